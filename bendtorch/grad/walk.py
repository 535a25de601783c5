"""The two walks over a tape: `pull` carries gradients from a result back, `push` derivatives from inputs on.

Vars are numbered as they are made, so of the Vars that wait for their gradient, the one with the highest number has it
whole: everything computed from it has been visited.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence

from bendtorch.grad.reductions import SumTo, broadcast_to
from bendtorch.grad.rule import Fused, Opaque, Rule
from bendtorch.grad.tape import Tape, next_number
from bendtorch.grad.var import Var


def pull(output: Var, seed: Var, first: int = 0, kept: Collection[int] = ()) -> dict[int, Var]:
    """The gradients of what `output` depends on, by number, from `seed`, the gradient of `output`.

    Of Vars that have a past, those numbered below `first` are not visited, and those in `kept` are; of the others the
    gradient is let go as soon as it has been passed on. Everything is computed on the tape of the seed: where that is
    the tape of the output and records, the gradients are Vars with a past.
    """
    gradients = {output.id: seed}
    waiting, visited = [-output.id], {output.id: output}
    while waiting:
        number = -heapq.heappop(waiting)
        v = visited.pop(number)
        if v.rule is None or number < first:
            continue
        d = gradients[number] if number in kept else gradients.pop(number)
        for x, given in zip(v.inputs, _cotangents(v, d), strict=True):
            if given is None or not x.active:
                continue
            part = given if given.shape == x.shape else given.graph.record1(SumTo(x.shape), given)
            before = gradients.get(x.id)
            gradients[x.id] = part if before is None else before + part
            if before is None:
                heapq.heappush(waiting, -x.id)
                visited[x.id] = x
    return gradients


def _cotangents(v: Var, d: Var) -> Sequence[Var | None]:
    """What the gradient of `v` gives each of its inputs."""
    rule, tape = v.rule, d.graph
    assert rule is not None
    if tape is v.graph and tape.records:
        if isinstance(rule, Opaque):
            raise rule.refusal()
        return _by_definition(rule, d, v.inputs) if isinstance(rule, Fused) else rule.cotangents(d, v, *v.inputs)
    return rule.cotangents(d, v.on(tape), *[x.on(tape) for x in v.inputs])


def _by_definition(rule: Fused, d: Var, xs: Sequence[Var]) -> list[Var | None]:
    """The same through what the operation is defined to be, recorded behind its inputs."""
    first = next_number()
    result = rule.definition(*xs)
    gradients = pull(result, d, first) if result.active else {}
    return [gradients.pop(x.id, None) for x in xs]  # of an input that comes twice, the first has it all


def push(output: Var, directions: Mapping[int, Var], tape: Tape) -> Var | None:
    """The derivative of `output` along directions of Vars, given by their numbers; None where it is zero.

    It is computed on `tape`.
    """
    tangents = dict(directions)
    for v in _before(output, directions):
        rule = v.rule
        assert rule is not None
        ds = [tangents.get(x.id) for x in v.inputs]
        if all(d is None for d in ds):
            continue
        moved = _tangent(rule, ds, v, tape)
        if moved is not None:
            tangents[v.id] = moved if moved.shape == v.shape else broadcast_to(moved, v.shape)
    return tangents.get(output.id)


def _before(output: Var, given: Collection[int]) -> list[Var]:
    """The Vars with a past that `output` is computed from, and itself, in order; not beyond those given."""
    found: dict[int, Var] = {}
    waiting = [output]
    while waiting:
        v = waiting.pop()
        if v.rule is not None and v.id not in found and v.id not in given:
            found[v.id] = v
            waiting.extend(v.inputs)
    return [found[number] for number in sorted(found)]


def _tangent(rule: Rule, ds: Sequence[Var | None], v: Var, tape: Tape) -> Var | None:
    if not isinstance(rule, Fused):
        return rule.tangent(ds, v.on(tape), *[x.on(tape) for x in v.inputs])
    inner = type(v.graph)(like=tape)
    xs = [inner.hold(x.lazy, x.active) for x in v.inputs]
    moving = {x.id: d for x, d in zip(xs, ds, strict=True) if d is not None}
    return push(rule.definition(*xs), moving, tape)
