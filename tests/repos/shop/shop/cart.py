"""Carts and their totals."""

from dataclasses import dataclass, field

from shop import pricing


@dataclass
class Item:
    """Something to buy."""

    name: str
    price: int
    amount: int = 1


@dataclass
class Cart:
    """A list of items."""

    items: list[Item] = field(default_factory=list)

    def add(self, name: str, price: int, *, amount: int = 1) -> None:
        """Put an item into the cart."""
        if amount < 1:
            raise ValueError(f"cannot add {amount} of {name}")
        self.items.append(Item(name, price, amount=amount))

    def total(self, discount=pricing.no_discount) -> int:
        """Return what the cart costs."""
        cheapest_first = sorted(self.items, key=lambda item: item.price)
        full = sum(item.price * item.amount for item in cheapest_first if item.amount)
        return pricing.round_down(discount(full))
