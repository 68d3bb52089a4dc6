"""State: all that the analysis knows while it runs.

    frame      one run of a definition in one context; its values are variables offset + node
    field      what an attribute of an object holds
    container  what the items of a list, tuple, dict ... hold, by key
    site       a place that calls something, in one frame

The functions that act on it are in constraints.py (steps of a body), attributes.py, calls.py,
operators.py and known_calls.py; they reach each other through the hooks below.
Next: constraints.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from codelake.resolve.abstract_methods import abstract_methods
from codelake.resolve.bodies import FileBodies
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.module_index import ModuleIndex
from codelake.resolve.objects import CONTAINER, Objects
from codelake.resolve.solver import Solver
from codelake.resolve.steps import Body, Timed

EXPLICIT, IMPLICIT, CALLBACK = "explicit", "implicit", "callback"

type Tag = tuple[int, str]  # file and path
type Target = int | str  # number of a definition, or an external name
type Values = tuple[tuple[tuple[int, bool], ...], tuple[tuple[str | None, int], ...]]

KEYWORDS = 1_000_000  # keyword arguments are counted from here, see arguments.py


class TimedRead(NamedTuple):
    """A read of a path by a module: its own stores before, and whether one surely happened."""

    tag: Tag
    values: tuple[int, ...]
    is_sure: bool


class Patch(NamedTuple):
    """A store to an attribute of a module or class by the code of a module; see patches.py."""

    file: int
    node: int
    value: int


class Frame:
    """A definition in one context."""

    __slots__ = ("body", "context", "definition", "env", "file", "number", "offset", "owner",
                 "result", "sent", "yields")  # fmt: skip

    def __init__(self, number: int, file: int, owner: int, definition: int) -> None:
        """Name the definition; the analysis fills the rest."""
        self.number = number
        self.file = file
        self.owner = owner  # def_no
        self.definition = definition
        self.offset = 0
        self.env: Frame | None = None
        self.context: tuple[int, ...] = ()
        self.body: Body = None  # type: ignore[assignment]
        self.result = -1
        self.yields = -1
        self.sent = -1


class Site:
    """A place that calls: where the result goes, what is handed over, how it is reported."""

    __slots__ = ("depth", "frame", "kind", "node", "number", "result", "values")

    def __init__(
        self, number: int, frame: Frame, node: int, result: int, values: Values, kind: str
    ) -> None:
        """Describe the place."""
        self.number = number
        self.frame = frame
        self.node = node
        self.result = result
        self.values = values
        self.kind = kind
        self.depth = 0  # of objects that stand for what they call

    def inside(self, values: Values) -> Site:
        """Return the same place with other arguments, for what stands for something else."""
        made = Site(self.number, self.frame, self.node, self.result, values, self.kind)
        made.depth = self.depth + 1
        return made


class Container:
    """Variables of what a container holds.

    Attributes:
        every: all values.
        loose: values whose key is not known.
        keys: values by key text.
        names: the keys themselves, of a mapping.
        size: number of items when it is known.
        sizes: the numbers of items that `*args` or the list of a starred target may have; None
            when they are not known.
        tails: reads from the end of those: negative position and target.
        listeners: called with each new key.
    """

    __slots__ = ("every", "keys", "listeners", "loose", "names", "size", "sizes", "tails")

    def __init__(self, every: int, loose: int, names: int) -> None:
        """Start empty."""
        self.every = every
        self.loose = loose
        self.names = names
        self.keys: dict[str, int] = {}
        self.size: int | None = None
        self.sizes: set[int] | None = None
        self.tails: list[tuple[int, int]] = []
        self.listeners: list[Callable[[str, int], None]] = []


class ClassInfo:
    """A class of the repository.

    Attributes:
        number: its object.
        definition: its definition.
        frame: of its body.
        attributes: name -> variable.
        bases: objects by position.
        order: the method resolution order: objects of classes and externals.
        metaclasses: variables.
        subclasses: objects.
        lookups: what to look up again when the order or the attributes change.
        fields: names of data class fields with their annotations, in order.
        instances: places of its instances that are kept apart.
        decorated: how many of them decorators have made.
    """

    __slots__ = (
        "attributes",
        "bases",
        "decorated",
        "definition",
        "fields",
        "found",
        "frame",
        "instances",
        "keywords",
        "lookups",
        "metaclass",
        "number",
        "order",
        "positions",
        "subclasses",
        "traits",
    )

    def __init__(self, number: int, definition: int) -> None:
        """Start without bases."""
        self.number = number
        self.definition = definition
        self.frame: Frame | None = None
        self.attributes: dict[str, int] = {}
        self.bases: dict[int, list[int]] = {}
        self.order: tuple[int, ...] = (number,)
        self.metaclass: int = -1
        self.keywords: list[tuple[str | None, int]] = []
        self.subclasses: list[int] = []
        self.lookups: list[tuple[Any, ...]] = []
        self.fields: list[tuple[str, int, bool]] = []
        self.instances: dict[int, None] = {}
        self.decorated = 0
        self.traits: set[str] = set()
        self.positions = 0  # bases in the statement
        self.found: dict[str, tuple[int | None, int, str | None, bool]] = {}  # lookups so far

    def is_open(self) -> bool:
        """Tell whether bases of the class are not known yet."""
        return len(self.bases) < self.positions


class State:
    """The whole analysis."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        """Give numbers to the definitions and a variable to each node."""
        self.files = files
        self.index = ModuleIndex(files)
        self.bodies = [FileBodies(file) for file in files]
        self.objects = Objects()
        self.solver = Solver(self.objects.text)
        self.base: list[int] = []
        self.first_definition: list[int] = []
        self.file_of: list[int] = []
        self.number_of: list[int] = []
        self.defined_names: set[str] = set()  # names of all functions
        self.timed_keys: set[str] = set()  # attributes and keys that modules store to by a path
        self.has_metaclasses = False
        self.stored_names: set[str] = set()  # attributes that something is stored to
        self.abstract: set[tuple[int, str]] = set()  # definition of a class, name of a method
        self.deleted_names: set[str] = set()  # attributes that something deletes
        for number, file in enumerate(files):
            self.base.append(self.solver.variables(file.size + 1))
            self.first_definition.append(len(self.file_of))
            self.file_of += [number] * len(file.definitions)
            self.number_of += range(len(file.definitions))
            self._note_names(file)
            first = self.first_definition[number]
            self.abstract.update((first + cls, name) for cls, name in abstract_methods(file))
        self.frames: list[Frame] = []
        self.frame_of: dict[tuple[int, int, tuple[int, ...]], Frame] = {}
        self.frames_of: dict[int, list[Frame]] = {}
        self.classes: dict[int, ClassInfo] = {}
        self.fields: dict[tuple[int, str], int] = {}
        self.field_objects: dict[str, list[int]] = {}  # attribute -> objects that were given it
        self.instance_reads: dict[str, dict[int, int]] = {}  # attribute -> class -> variable
        self.declared_reads: dict[str, dict[int, int]] = {}
        self.narrowed: list[tuple[int, int, bool]] = []
        self.deferred: list[tuple[Any, ...]] = []
        self.handlers: dict[tuple[int, int], list[int]] = {}  # classes caught by a try, in order
        self.caught: list[tuple[int, int]] = []
        self.raised = self.solver.variable()
        self.grouped = self.solver.variable()  # what groups of exceptions are made of
        self.globals: list[dict[str, int]] = [{} for _ in files]
        self.shared: dict[tuple[int, int, int], int] = {}
        self.containers: dict[int, Container] = {}
        self.attribute_mappings: dict[int, int] = {}  # instance -> its __dict__
        self.constant_keys: dict[int, str] = {}  # variable -> text of the key that it always is
        self.extra: dict[int, Any] = {}
        self.sites = 0
        self.sites_of: dict[int, list[Site]] = {}  # frame -> places that call it
        self.bound: set[tuple[Any, ...]] = set()
        self.special_sites: dict[tuple[Any, ...], tuple[Site, set[int]]] = {}  # and receivers
        self.edges: dict[tuple[int, int, str], dict[Target, str]] = {}
        self.passes: dict[tuple[int, int, int], list[tuple[int, int, str]]] = {}
        self.callers: dict[int, int] = {}  # definition -> number of edges to it
        self.copies = 0  # steps made again for further contexts
        self.decorated: set[int] = set()  # places and instances, as contexts name them
        self.decorated_copies = 0  # steps made again for them
        self.limits: Any = None
        self.dynamic: set[tuple[int, int]] = set()  # calls of getattr with a part of a name
        self.dispatched: dict[int, list[int]] = {}  # implementation -> classes it is for
        self.writes: dict[tuple[int, str], list[tuple[Tag | None, int, bool]]] = {}
        self.reads: dict[tuple[int, str], list[tuple[TimedRead, int]]] = {}
        self.patches: dict[tuple[int, str], list[Patch]] = {}
        self.patched_by: dict[tuple[int, int], set[int]] = {}  # place of a patch -> owners
        self.patch_reads: dict[tuple[int, str], list[tuple[int, int, int]]] = {}
        self.absent: dict[int, set[int]] = {}  # frame -> parameters that every call leaves None
        self.only_none: set[int] = set()  # variables that hold None and nothing else
        self.partial_methods: set[int] = set()
        self.managed: dict[int, dict[int, None]] = {}  # function -> managers that decorate it
        self.managers: set[int] = set()  # functions under contextlib.contextmanager
        self.annotations: list[tuple[int, Frame, int]] = []
        self.annotated_frames = 0
        self.casts: list[tuple[Frame, int, int]] = []
        self.made_by_meta: dict[int, set[int]] = {}

    def _note_names(self, file: FileFacts) -> None:
        self.defined_names.update(one.name for one in file.definitions if one.kind != "CLASS")
        for op, _, _, _, _, text, _ in file.facts:
            if op in ("store_attr", "annotate"):
                self.stored_names.add(text or "")
            elif op == "delete_attr":
                self.deleted_names.add(text or "")
            elif op == "store":
                if text is not None and text.startswith("__"):
                    self.defined_names.add(text)
            elif op == "keyword" and text == "metaclass":
                self.has_metaclasses = True

    # variables

    def new(self) -> int:
        """Make a variable."""
        return self.solver.variable()

    def value(self, frame: Frame, node: int) -> int:
        """Return the variable of the value that a node of a frame has."""
        return frame.offset + self.bodies[frame.file].value(node)

    def global_variable(self, file: int, name: str) -> int:
        """Return the variable of a name of a module, as others see it."""
        names = self.globals[file]
        variable = names.get(name)
        if variable is None:
            variable = names[name] = self.solver.variable()
        return variable

    def shared_variable(self, file: int, node: int, around: int) -> int:
        """Return the variable of a store to a name of another definition, in a frame around."""
        key = (file, node, around)
        variable = self.shared.get(key)
        if variable is None:
            variable = self.shared[key] = self.solver.variable()
        return variable

    def field(self, owner: int, name: str) -> int:
        """Return the variable of an attribute that belongs to an object itself."""
        key = (owner, name)
        variable = self.fields.get(key)
        if variable is None:
            variable = self.fields[key] = self.solver.variable()
        return variable

    def container(self, kind: str, place: Any) -> int:
        """Return the container that is made at a place."""
        number = self.objects.of(CONTAINER, kind, place)
        if number not in self.containers:
            first = self.solver.variables(3)
            self.containers[number] = Container(first, first + 1, first + 2)
        return number

    def key_variable(self, container: Container, key: str) -> int:
        """Return the variable of one key of a container."""
        variable = container.keys.get(key)
        if variable is None:
            variable = container.keys[key] = self.solver.variable()
            self.solver.link(variable, container.every)
            for listener in tuple(container.listeners):
                listener(key, variable)
        return variable

    def timed_read(self, frame: Frame, timed: Timed) -> TimedRead:
        """Return what a read of the module knows of its own stores."""
        values = tuple([frame.offset + one for one in timed.values])
        return TimedRead((frame.file, timed.path), values, timed.is_sure)

    def note_write(
        self, owner: int, key: str, value: int, tag: Tag | None, is_first: bool = False
    ) -> None:
        """Note a store to an attribute or item that a module reads in order.

        Args:
            owner: the object.
            key: attribute, or text of the key.
            value: what is stored.
            tag: file and path, when the module itself stores.
            is_first: whether the object is being made.
        """
        if key not in self.timed_keys:
            return
        self.writes.setdefault((owner, key), []).append((tag, value, is_first))
        for read, target in self.reads.get((owner, key), ()):
            if read.tag != tag and not (is_first and read.is_sure):
                self.solver.link(value, target)

    def read_in_order(self, owner: int, key: str, read: TimedRead, target: int) -> None:
        """Let what a module has stored before, and what others store, flow to a variable."""
        for value in read.values:
            self.solver.link(value, target)
        for tag, value, is_first in self.writes.get((owner, key), ()):
            if read.tag != tag and not (is_first and read.is_sure):
                self.solver.link(value, target)
        self.reads.setdefault((owner, key), []).append((read, target))

    def store_item(
        self,
        number: int,
        key: str | None,
        value: int,
        tag: Tag | None = None,
        is_first: bool = False,
    ) -> None:
        """Let a value be an item of a container."""
        container = self.containers[number]
        if key is not None:
            self.note_write(number, key, value, tag, is_first)
        if key is None:
            self.solver.link(value, container.loose)
            self.solver.link(value, container.every)
        else:
            self.solver.link(value, self.key_variable(container, key))

    def store_named(self, number: int, name: str, value: int) -> None:
        """Let a value be the entry of a mapping that a keyword names."""
        self.store_item(number, f"str:{name}", value)
        self.solver.put(self.containers[number].names, self.objects.known_text(name))

    def load_item(self, number: int, key: str | None, target: int) -> None:
        """Let an item of a container flow to a variable."""
        container = self.containers[number]
        if key is None:
            self.solver.link(container.every, target)
            return
        if key.startswith("int:-"):
            if self.objects.first[number] == "builtins.list":  # it may have grown since
                self.solver.watch(container.loose, self._load_every, container, target)
            if container.sizes is not None:
                container.tails.append((int(key[4:]), target))
                for size in container.sizes:
                    self._load_tail(container, size + int(key[4:]), target)
                self.solver.link(container.loose, target)
                return
            if container.size is None:
                self.solver.link(container.every, target)
                return
            key = f"int:{container.size + int(key[4:])}"
        self.solver.link(self.key_variable(container, key), target)
        self.solver.link(container.loose, target)

    def note_size(self, container: Container, size: int | None) -> None:
        """Note how many items `*args` has in a call, None when that is not known."""
        if container.sizes is None or size in container.sizes:
            return
        for position, target in container.tails:
            if size is None:
                self.solver.link(container.every, target)
            else:
                self._load_tail(container, size + position, target)
        if size is None:
            container.sizes = None
        else:
            container.sizes.add(size)

    def _load_every(self, _: Iterable[int], container: Container, target: int) -> None:
        self.solver.link(container.every, target)

    def _load_tail(self, container: Container, index: int, target: int) -> None:
        if index >= 0:
            self.solver.link(self.key_variable(container, f"int:{index}"), target)

    # sites and edges

    def site(self, frame: Frame, node: int, result: int, values: Values, kind: str) -> Site:
        """Describe a place that calls."""
        self.sites += 1
        return Site(self.sites, frame, node, result, values, kind)

    def edge(self, site: Site, target: Target, tier: str) -> bool:
        """Note that a place calls something; tell whether that is new."""
        key = (site.frame.file, site.node, site.kind)
        targets = self.edges.get(key)
        if targets is None:
            targets = self.edges[key] = {}
        if target in targets:
            return False
        targets[target] = tier
        if target.__class__ is int:
            self.callers[target] = self.callers.get(target, 0) + 1  # type: ignore
        return True

    def definition(self, file: int, def_no: int) -> int:
        """Return the number of a definition in the whole analysis."""
        return self.first_definition[file] + def_no

    def name_of(self, definition: int) -> str:
        """Return module and path of a definition."""
        file = self.file_of[definition]
        return self.files[file].qualified(self.number_of[definition])

    def release(self) -> None:
        """Let go of what only the analysis needs, cycles too; what it found is kept."""
        for container in self.containers.values():
            container.listeners.clear()
        for info in self.classes.values():
            info.lookups.clear()
        self.solver.release()
        self.bound.clear()
        self.special_sites.clear()
        self.sites_of.clear()

    # hooks, set by resolve.py

    call: Callable[..., None]
    call_method: Callable[..., None]
    iterate: Callable[..., None]
    make_frame: Callable[..., tuple[Frame, bool]]
    enter_frame: Callable[..., Frame]
    run_steps: Callable[..., None]
