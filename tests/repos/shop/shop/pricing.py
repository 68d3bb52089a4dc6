"""Discounts."""

import math as m


def no_discount(total: float) -> float:
    return total


def percent(rate: float):
    """Return a discount of some percent."""

    def discount(total: float) -> float:
        return total * (100 - rate) / 100

    return discount


def round_down(total: float) -> int:
    while total > 1e9:
        total -= 1
    return m.floor(total)
