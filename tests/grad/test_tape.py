"""The tape: what it records, what it holds, when it lets go; Vars of other tapes."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError, DtypeError
from bendtorch.grad.rule import Rule
from bendtorch.grad.tape import Tape, array_of, guard_on, guard_vars, held, next_number, read_only
from bendtorch.grad.var import ADD, NEG
from tests.support.grad import normal


def test_what_depends_on_constants_alone_has_no_past() -> None:
    g = grad.graph()
    c = g.constant(normal(0, (3,)))
    for v in (c + c, -c, grad.concat([c, c, c], 0)):
        assert (v.active, v.rule, v.inputs) == (False, None, ())
    x = g.input(normal(0, (3,)))
    for v in (x + c, c + x, -x, grad.concat([c, c, x], 0)):
        assert v.active
        assert v.rule is not None
        assert x in v.inputs


def test_a_tape_that_does_not_record_gives_values_alone() -> None:
    tape = Tape(records=False)
    x = tape.hold(grad.lazy.leaf(normal(0, (3,))), active=True)
    for v in (tape.record(ADD, x, x), tape.record1(NEG, x), tape.record2(ADD, x, x)):
        assert (v.active, v.rule, v.inputs) == (False, None, ())
    assert np.array_equal(array_of(x + x), 2 * normal(0, (3,)))


def test_vars_are_numbered_as_they_are_made() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    numbers = [x.id, (x + x).id, g.constant(normal(0, (3,))).id, next_number(), grad.exp(x).id]
    assert numbers == sorted(set(numbers))


def test_vars_of_another_graph_are_refused_by_every_way_in() -> None:
    g, other = grad.graph(), grad.graph()
    x, y = g.input(normal(0, (2, 3))), other.input(normal(1, (2, 3)))
    calls: list[Any] = [
        lambda: x + y,
        lambda: g.record(ADD, x, y),
        lambda: g.record1(NEG, y),
        lambda: g.record2(ADD, y, x),
        lambda: grad.concat([x, y], 0),
        lambda: x @ grad.transpose(y),
        lambda: g.value(y),
        lambda: g.backward(y),
        lambda: g.tangent([y], [normal(0, (2, 3))], x),
        lambda: g.gradients(grad.sum(x), [y]),
        lambda: g.backward_from(x, normal(0, (2, 3))).of(y),
        lambda: g.backward_from(x, normal(0, (2, 3)), keep=[y]),
    ]
    for call in calls:
        with pytest.raises(ConfigError, match=r"^[\w.]+: Var\(\[\d, \d\].*\) belongs to another graph"):
            call()


def test_what_is_no_var_is_refused() -> None:
    for wrong in (None, 1.0, normal(0, (3,))):
        with pytest.raises(DtypeError, match=rf"^op: expected a Var, got {type(wrong).__name__}"):
            guard_vars("op", wrong)
        with pytest.raises(DtypeError, match=r"^op: expected a Var"):
            guard_on(grad.graph(), "op", wrong)


def test_values_cannot_be_written_to() -> None:
    g = grad.graph()
    x = normal(0, (3,))
    v = g.input(x)
    loss = grad.sum(v * v)
    for array in (g.value(v), g.value(loss), g.backward(loss).of(v), g.tangent([v], [x], loss)):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert x.flags.writeable
    assert np.shares_memory(read_only(x), x)


def test_held_arrays_have_no_past() -> None:
    g = grad.graph()
    (v,) = held(g.input(normal(0, (3,))), normal(1, (2,)))
    assert v is not None
    assert (v.active, v.graph, v.shape) == (False, g, (2,))


def test_watchers_see_every_result_in_order() -> None:
    seen: list[str] = []

    def watcher(name: str) -> Any:
        def watch(result: grad.Var, rule: Rule, xs: tuple[grad.Var, ...]) -> grad.Var:
            seen.append(f"{name} {rule.name} {len(xs)}")
            return result

        return watch

    g = grad.graph()
    x = g.input(normal(0, (3,)))
    g.watchers = (watcher("one"), watcher("two"))
    _ = grad.exp(x) + x
    assert seen == ["one exp 1", "two exp 1", "one add 2", "two add 2"]


def test_what_nobody_needs_is_freed_at_once() -> None:
    """Without the garbage collector, which a step must not wait for."""
    gc.disable()
    try:
        g = grad.graph()
        x = g.input(normal(0, (3,)))
        y = grad.exp(x)
        z = grad.sum(y * y)
        grads = g.backward(z)
        arrays = [weakref.ref(g.value(v).base) for v in (y, z)]
        arrays.append(weakref.ref(grads.of(x).base))
        del y, z, grads
        assert [ref() for ref in arrays] == [None] * 3
    finally:
        gc.enable()


def test_a_long_chain_is_walked_and_freed() -> None:
    """Longer than Python's stack is deep."""
    g = grad.graph()
    x = g.input(np.ones(1, np.float32))
    y = x
    for _ in range(20_000):
        y = y + 1.0
    assert g.value(y) == 20_001
    assert g.backward(y).of(x) == 1
    assert g.tangent([x], [np.ones(1, np.float32)], y) == 1
    del y
