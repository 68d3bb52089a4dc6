"""Frames: a definition entered in a context -> its variables and constraints.

    box = make(f); other = make(g)      two frames of make, so that f and g are not mixed up

The first frame of a definition uses the variables of the nodes of its file, further ones get a
block of their own. Which context a call makes is said in contexts.py.
Next: constraints.py.
"""

from __future__ import annotations

from codelake.resolve.constraints import run_steps
from codelake.resolve.state import Frame, State


def make_frame(
    state: State, definition: int, env: Frame | None, context: tuple[int, ...]
) -> tuple[Frame, bool]:
    """Return the frame of a definition in a context, and whether it is new."""
    key = (definition, -1 if env is None else env.number, context)
    frame = state.frame_of.get(key)
    if frame is not None:
        return frame, False
    file, def_no = state.file_of[definition], state.number_of[definition]
    frame = Frame(len(state.frames), file, def_no, definition)
    frame.env = env
    frame.context = context
    frame.body = state.bodies[file].body(def_no)
    if def_no == 0:
        state.timed_keys |= state.bodies[file].timed_keys
    state.frame_of[key] = frame
    state.frames.append(frame)
    others = state.frames_of.setdefault(definition, [])
    if others:
        place = state.files[file].definitions[def_no]
        first = state.solver.variables(place.last - place.node + 1)
        frame.offset = first - place.node
        if state.decorated.isdisjoint(context):
            state.copies += len(frame.body.steps)
        else:
            state.decorated_copies += len(frame.body.steps)
    else:
        frame.offset = state.base[file]
    others.append(frame)
    first = state.solver.variables(3)
    frame.result, frame.yields, frame.sent = first, first + 1, first + 2
    return frame, True


def enter_frame(
    state: State, definition: int, env: Frame | None, context: tuple[int, ...]
) -> Frame:
    """Return the frame of a definition in a context; make its constraints when it is new."""
    frame, is_new = make_frame(state, definition, env, context)
    if is_new:
        run_steps(state, frame)
    return frame
