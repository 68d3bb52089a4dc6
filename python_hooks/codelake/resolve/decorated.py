"""Decorated definitions: the statements that names come from when decorators made their values.

    @keep
    def safe(x): ...        safe holds keep.<locals>.wrapper, and comes from the statement of safe
    from app import safe    so does this one, whatever modules are between

A name that is assigned again (`other = safe`) is followed by values only. Next: report_names.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codelake.resolve.held import functions_behind, place_of
from codelake.resolve.objects import CLASS, INSTANCE, MODULE
from codelake.resolve.resolution import Place
from codelake.resolve.state import ClassInfo, State


class Decorated:
    """Finds the decorated definitions that names of modules and classes come from."""

    def __init__(self, state: State) -> None:
        """Index the decorated definitions of all files, by the node that stores them."""
        self._state = state
        self._made: list[dict[int, int]] = [_decorated(state, no) for no in range(len(state.files))]
        self._imports = [_imports(state, number) for number in range(len(state.files))]
        self._of_names: dict[tuple[int, str], tuple[Place, ...]] = {}
        self._of_classes: dict[tuple[int, int, str], list[int]] = {}
        self._members: dict[tuple[int, str], list[Place]] = {}
        self.method_names: set[str] = set()  # of decorated methods
        for number, made in enumerate(self._made):
            self._note_classes(number, made)

    def _note_classes(self, file: int, made: dict[int, int]) -> None:
        facts, hidden = self._state.files[file], self._state.bodies[file].hidden
        for node, def_no in made.items():
            around = facts.definitions[def_no].parent or 0
            if facts.definitions[around].kind == "CLASS" and node not in hidden:
                use = facts.names.get(node)
                if use is not None:
                    self._of_classes.setdefault((file, around, use[0]), []).append(def_no)
                    self.method_names.add(use[0])

    def of_load(self, file: int, node: int) -> Sequence[Place]:
        """Return the decorated definitions that a name which is read comes from."""
        facts = self._state.files[file]
        reached = facts.reaches.get(node)
        if reached is None:
            use = facts.names.get(node)
            if use is None or use[2] != 0 or use[0] not in self._state.index.bound[file]:
                return ()
            return self.of_name(file, use[0])
        found: list[Place] = []
        for store in reached:
            found += self._of_store(file, store, node)
        return found

    def of_import(self, file: int, node: int) -> Sequence[Place]:
        """Return the decorated definitions that `from m import name` brings."""
        found = self._imports[file].get(node)
        return () if found is None else self.of_name(*found)

    def of_name(self, file: int, name: str) -> tuple[Place, ...]:
        """Return the decorated definitions that a name of a module comes from."""
        known = self._of_names.get((file, name))
        if known is not None:
            return known
        self._of_names[file, name] = ()  # modules that import from each other end here
        bodies = self._state.bodies[file]
        found: set[Place] = set()
        if name in self._state.index.bound[file]:
            for store in bodies.stores_of.get((0, name), ()):
                if store not in bodies.hidden and not bodies.dead.holds(store):
                    found.update(self._of_store(file, store, 0))
        else:
            source = self._state.index.star_source(file, name)
            if source is not None:
                found.update(self.of_name(source[1], name))
        result = self._of_names[file, name] = tuple(sorted(found))
        return result

    def of_class(self, info: ClassInfo, name: str) -> list[int]:
        """Return the definitions in the body of a class that an attribute comes from.

        A property comes from the function that reads it, whatever statement is the last.
        """
        state = self._state
        file, around = state.file_of[info.definition], state.number_of[info.definition]
        first, definitions = state.first_definition[file], state.files[file].definitions
        own = [
            one
            for one in functions_behind(state, info.attributes[name])
            if state.file_of[one] == file
            and definitions[state.number_of[one]].parent == around
            and definitions[state.number_of[one]].name == name
        ]
        return own or [first + each for each in self._of_classes.get((file, around, name), ())]

    def of_attribute(self, receivers: Iterable[int], name: str) -> Sequence[Place]:
        """Return the decorated definitions that an attribute of modules, classes, instances is."""
        objects = self._state.objects
        found: set[Place] = set()
        is_method = name in self.method_names
        for one in receivers:
            kind = objects.kind[one] if one >= 0 else 0
            if kind == MODULE and objects.first[one] >= 0:
                found.update(self.of_name(objects.first[one], name))
            elif is_method and kind == CLASS:
                found.update(self._of_member(one, name))
            elif is_method and kind == INSTANCE:
                found.update(self._of_member(objects.first[one], name))
        return sorted(found)

    def _of_member(self, number: int, name: str) -> Sequence[Place]:
        """Return the decorated definitions that an attribute of a class comes from."""
        known = self._members.get((number, name))
        if known is None:
            classes, known = self._state.classes, []
            for one in classes[number].order if number in classes else ():
                info = classes.get(one)
                if info is None or name in info.attributes:
                    if info is not None and info.definition >= 0:
                        behind = functions_behind(self._state, info.attributes[name])
                        own = self.of_class(info, name)
                        known = [place_of(self._state, each) for each in own if each not in behind]
                    break
            self._members[number, name] = known
        return known

    def _of_store(self, file: int, store: int, use: int) -> Sequence[Place]:
        """Return the decorated definitions that a store gives to a name."""
        def_no = self._made[file].get(store)
        if def_no is not None:
            return (Place(file, def_no),)
        if store in self._imports[file]:
            return self.of_import(file, store)
        if use and store in self._state.bodies[file].star_nodes:
            name = self._state.files[file].names.get(use)
            source = None if name is None else self._state.index.star_source(file, name[0])
            if name is not None and source is not None:
                return self.of_name(source[1], name[0])
        return ()


def _decorated(state: State, file: int) -> dict[int, int]:
    """Return the definitions of a file whose names hold what decorators made."""
    numbers = {each.node: number for number, each in enumerate(state.files[file].definitions)}
    return {
        node: numbers[node]
        for op, _, node, value, _, _, _ in state.files[file].facts
        if op == "store" and value != node and node in numbers
    }


def _imports(state: State, file: int) -> dict[int, tuple[int, str]]:
    """Return the modules and names behind the `from` imports of a file, inside the repositories."""
    index = state.index
    found: dict[int, tuple[int, str]] = {}
    for op, _, node, _, _, text, _ in state.files[file].facts:
        if op == "import_from":
            module, _, name = (text or "").rpartition(":")
            full = index.module_of(file, module)
            source = None if full is None else index.by_name.get(full)
            if source is not None and not (source == file and f"{full}.{name}" in index.by_name):
                found[node] = (source, name)
    return found
