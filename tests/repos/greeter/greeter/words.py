MARK = "!"


def greet(name, mark=MARK):
    if not name:
        return None
    return "Hello, " + name + mark
