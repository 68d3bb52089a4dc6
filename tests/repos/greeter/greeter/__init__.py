from greeter.words import greet

__all__ = ["greet"]
