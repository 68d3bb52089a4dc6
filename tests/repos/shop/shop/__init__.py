"""A small shop: the repository that the README builds."""

from shop.cart import Cart

__all__ = ["Cart"]
