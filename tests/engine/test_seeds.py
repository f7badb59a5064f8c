"""Analyses of runs with further seeds: the same tables, without the slower ones and examples."""

from types import SimpleNamespace

import numpy as np
import pytest

from stages import adversarial, correlation, permutation
from stages.corpora.batching import Reader
from stages.engine.analyses import Options
from tests.fixtures.project import settings_of
from tests.nn import toy

ANALYSES = settings_of().analyses
FIRST_ONLY = {"tokens", "integrated", "faithfulness", "examples", "outputs", "evidence"}


def tables(node, replica):
    """The tables of one run of a small network on ten documents."""
    reader = Reader(toy.corpus(), "test", True, np.arange(10))
    run = SimpleNamespace(
        run=SimpleNamespace(replica=replica),
        load=lambda: (toy.network().eval().requires_grad_(False), reader),
        reader=lambda split, budget: reader,
        generator=lambda purpose: np.random.default_rng(0),
        seed_of=lambda purpose: lambda row: row,
    )
    section = getattr(ANALYSES, node.__name__.rpartition(".")[2])
    return node.analyse(run, Options(section, {"faithfulness": None}))


@pytest.mark.parametrize("node", [correlation, permutation, adversarial])
def test_further_seeds_have_the_tables_that_claims_use(node):
    first, further = tables(node, False), tables(node, True)
    assert set(further) == set(first) - FIRST_ONLY
    for name, table in further.items():
        assert table.equals(first[name])


def test_attention_of_every_seed_is_kept_by_token():
    first = tables(correlation, False)
    names = ["instance", "position", "weight"]
    assert first["weights"].equals(first["tokens"][names])
    sums = tables(correlation, True)["weights"].groupby("instance")["weight"].sum()
    np.testing.assert_allclose(sums, np.ones(10), rtol=1e-5)
