class Animal:
    def __init__(self, name):
        self.name = name

    def speak(self):
        return self.name


class Dog(Animal):
    def speak(self):
        return super().speak().upper()


def chorus(animals):
    for animal in animals:
        yield animal.speak()


print(list(chorus([Dog("Rex")])))
