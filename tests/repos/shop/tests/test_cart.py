from shop import Cart
from shop.pricing import percent


def test_total():
    cart = Cart()
    cart.add("tea", 300, amount=2)
    assert cart.total() == 600
    assert cart.total(percent(50)) == 300
