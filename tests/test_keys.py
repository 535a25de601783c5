"""Keys: the same key gives the same bits, splits are independent, the bits are numpy's Philox."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.keys import Key
from tests.support.arrays import same_bits

seeds = st.integers(0, 2**130)
paths = st.lists(st.integers(0, 2**40), max_size=3).map(tuple)
counts = st.integers(0, 300)


@given(seed=seeds, path=paths, count=counts)
def test_bits_are_philox_under_seed_sequence(seed: int, path: tuple[int, ...], count: int) -> None:
    expected = np.random.Philox(np.random.SeedSequence(seed, spawn_key=path)).random_raw(count)
    assert same_bits(Key(seed, path).bits(count), expected)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (Key(0), [0x0399E5B222B82FA9, 0x41FD08C1F00F3BC5, 0x78B8824162EE4D04]),
        (Key(1).fold(2), [0x1F208D1B43B22D77, 0x780BD9D153023CF4, 0x107468FD717FD4B8]),
    ],
)
def test_bits_never_change(key: Key, words: list[int]) -> None:
    """Checkpoints and published numbers depend on these words."""
    assert [int(word) for word in key.bits(3)] == words


@given(seed=seeds, path=paths, count=counts, more=counts)
def test_same_key_same_bits_and_a_longer_draw_starts_with_a_shorter(
    seed: int, path: tuple[int, ...], count: int, more: int
) -> None:
    key = Key(seed, path)
    assert same_bits(key.bits(count), Key(seed, path).bits(count))
    assert same_bits(key.bits(count + more)[:count], key.bits(count))


@given(seed=seeds, path=paths, parts=st.integers(0, 9))
def test_split_is_fold(seed: int, path: tuple[int, ...], parts: int) -> None:
    key = Key(seed, path)
    assert key.split(parts) == tuple(key.fold(i) for i in range(parts))
    assert key.split(parts + 1)[:parts] == key.split(parts)  # one part more changes nobody else's key


@given(seed=seeds, path=paths)
def test_keys_of_a_tree_differ(seed: int, path: tuple[int, ...]) -> None:
    key = Key(seed, path)
    keys = [key, Key(seed + 1, path), *key.split(4), *key.fold(0).split(3), key.fold(1).fold(0)]
    assert len({tuple(k.bits(2)) for k in keys}) == len(keys)


def test_splits_are_independent() -> None:
    """The correlation of two streams of 4096 numbers is below five of its standard deviations."""
    streams = [key.uniform(4096, -1, 1).astype(np.float64) for key in (Key(7), Key(8), *Key(7).split(6))]
    for i, a in enumerate(streams):
        for b in streams[:i]:
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(4096)


@given(seed=seeds, count=counts, bounds=st.tuples(st.floats(-8, 8, width=32), st.floats(0.125, 8, width=32)))
def test_uniform_stays_inside(seed: int, count: int, bounds: tuple[float, float]) -> None:
    low, high = bounds[0], bounds[0] + bounds[1]
    drawn = Key(seed).uniform(count, low, high)
    assert drawn.dtype == np.float32
    assert drawn.shape == (count,)
    assert np.all((drawn >= np.float32(low)) & (drawn < np.float32(high)))


class AtTheEdge(Key):
    """A key whose words are the least and the greatest."""

    def bits(self, count: int) -> Any:
        """Half the words are all zeros, half all ones."""
        return np.where(np.arange(count) % 2 == 0, np.uint64(0), np.uint64(2**64 - 1))


class AllOnes(Key):
    """A key whose words are the greatest."""

    def bits(self, count: int) -> Any:
        """All ones."""
        return np.full(count, 2**64 - 1, np.uint64)


@given(low=st.floats(-8, 8, width=32), width=st.floats(0.125, 8, width=32))
def test_uniform_stays_inside_for_the_extreme_words(low: float, width: float) -> None:
    drawn = AtTheEdge(0).uniform(2, low, low + width)
    assert drawn[0] == np.float32(low)
    assert np.float32(low) <= drawn[1] < np.float32(low + width)


@pytest.mark.parametrize("bounds", [(1.0, 2.0), (-0.05, 0.05), (0.1, 0.3), (1e8, 1e8 + 8), (-1e-45, 0.0)])
def test_uniform_never_gives_the_upper_bound(bounds: tuple[float, float]) -> None:
    low, high = np.float32(bounds[0]), np.float32(bounds[1])
    drawn = AtTheEdge(0).uniform(2, *bounds)
    assert drawn[0] == low
    assert low <= drawn[1] <= np.nextafter(high, low)


@given(seed=seeds, count=counts)
def test_uniform_is_the_scaled_words_below_the_upper_bound(seed: int, count: int) -> None:
    unit = (Key(seed).bits(count) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    assert same_bits(Key(seed).uniform(count, -0.25, 0.5), unit * np.float32(0.75) + np.float32(-0.25))


def test_uniform_on_a_point_is_the_point() -> None:
    assert Key(0).uniform(3, 2.5, 2.5).tolist() == [2.5] * 3


@pytest.mark.parametrize(
    "bounds", [(2.0, 1.0), (np.nan, 1.0), (0.0, np.nan), (0.0, np.inf), (-np.inf, 0.0), (-3e38, 3e38), (1e300, 1e300)]
)
def test_an_interval_that_is_none_is_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ConfigError, match=r"^Key\.uniform: expected finite low <= high, not too far apart, got "):
        Key(0).uniform(3, *bounds)


def test_uniform_is_even() -> None:
    """Each of 16 equal bins of 64000 numbers holds 4000 within five deviations."""
    counts_of_bins, _ = np.histogram(Key(11).uniform(64000, -2, 2), bins=16, range=(-2, 2))
    assert np.all(np.abs(counts_of_bins - 4000) < 5 * np.sqrt(4000))


@given(seed=seeds, count=counts)
def test_normal_is_the_formula_of_box_and_muller(seed: int, count: int) -> None:
    """In float64, of pairs of words, rounded once; numpy's own functions may differ by a float32 rounding."""
    unit = (Key(seed).bits(2 * count).reshape(count, 2) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    expected = np.sqrt(-2 * np.log(1 - unit[:, 0])) * np.cos(2 * np.pi * unit[:, 1])
    drawn = Key(seed).normal(count, 3.0, 0.5)
    assert drawn.dtype == np.float32
    assert np.allclose(Key(seed).normal(count), expected, rtol=2.0**-24 * 1.001, atol=1e-14)
    assert np.allclose(drawn, 3 + 0.5 * expected, rtol=2.0**-23, atol=1e-14)


@given(seed=seeds, count=counts, more=counts)
def test_a_longer_normal_draw_starts_with_a_shorter(seed: int, count: int, more: int) -> None:
    assert same_bits(Key(seed).normal(count + more)[:count], Key(seed).normal(count))


@pytest.mark.parametrize(
    ("key", "numbers"),
    [
        (Key(0), [-0.008211587555706501, 0.9481955766677856, -0.10631822049617767, 0.8614349365234375]),
        (Key(1).fold(2), [-0.4995284378528595, 0.31229111552238464, -0.5652564167976379, -1.1618149280548096]),
    ],
)
def test_normal_numbers_never_change(key: Key, numbers: list[float]) -> None:
    """On no machine: the logarithm and the cosine are made of sums, products and square roots."""
    assert same_bits(key.normal(4), np.array(numbers, np.float32))


def test_normal_has_the_moments_and_tails_of_the_distribution() -> None:
    """Of 10^5 numbers, each within five of its standard deviations."""
    count = 100_000
    drawn = Key(5).normal(count).astype(np.float64)
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(drawn**power) - moment) < 5 * np.sqrt(variance / count)
    for bound in (-3.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0):
        share = (1 + math.erf(bound / math.sqrt(2))) / 2
        assert abs(np.mean(drawn < bound) - share) < 5 * np.sqrt(share * (1 - share) / count)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 5 / np.sqrt(count)


def test_normal_of_the_extreme_words() -> None:
    """Zeros give radius 0, and all ones the largest radius: nothing is infinite."""
    assert AtTheEdge(0).normal(1).tolist() == [0.0]
    assert abs(float(AllOnes(0).normal(1)[0])) == pytest.approx(math.sqrt(2 * 53 * math.log(2)), rel=1e-6)


@pytest.mark.parametrize(
    ("mean", "deviation"), [(np.nan, 1.0), (0.0, np.nan), (0.0, -1.0), (np.inf, 1.0), (0.0, np.inf), (0.0, 1e38)]
)
def test_a_distribution_that_is_none_is_refused(mean: float, deviation: float) -> None:
    with pytest.raises(
        ConfigError, match=r"^Key\.normal: expected a finite mean and deviation >= 0, not too large, got "
    ):
        Key(0).normal(3, mean, deviation)


def test_normal_without_deviation_is_the_mean() -> None:
    assert Key(0).normal(3, 2.5, 0.0).tolist() == [2.5] * 3


@given(seed=seeds, count=counts)
def test_permutation_is_one(seed: int, count: int) -> None:
    order = Key(seed).permutation(count)
    assert order.dtype == np.int64
    assert np.array_equal(np.sort(order), np.arange(count))
    assert same_bits(order, Key(seed).permutation(count))


def test_every_place_is_equally_likely() -> None:
    """Over 3000 keys, number 0 of 5 goes to each place 600 times within five deviations."""
    places = [int(np.argmin(Key(5).fold(i).permutation(5))) for i in range(3000)]
    assert all(abs(places.count(place) - 600) < 5 * np.sqrt(600) for place in range(5))


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True, np.int64(3)])
def test_a_seed_is_an_int_of_at_least_0(seed: Any) -> None:
    with pytest.raises(ConfigError, match="the seed must be an int of at least 0"):
        Key(seed)


def test_a_fold_is_of_at_least_0() -> None:
    with pytest.raises(ConfigError, match="must be at least 0, got -1"):
        Key(0).fold(-1)


def test_a_split_into_less_than_nothing_is_refused() -> None:
    assert Key(0).split(0) == ()
    with pytest.raises(ConfigError, match=r"^Key.split: the count must be at least 0, got -1$"):
        Key(0).split(-1)
