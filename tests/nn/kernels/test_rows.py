"""Rows trained lazily against a dense optimiser of the whole table."""

import numpy as np
import pytest
import torch
from torch import nn

from stages.corpora.batching import Reader
from stages.nn.build import build
from stages.nn.inputs import Inputs
from stages.nn.kernels.rows import Rows
from stages.nn.optimizers import Steps, losses, optimizer
from tests.nn import toy

RULES = {
    "amsgrad with decay": {"optimizer": "amsgrad", "weight_decay": {"embedding": 1e-2}},
    "amsgrad": {"optimizer": "amsgrad"},
    "adam with decay": {"optimizer": "adam", "weight_decay": {"embedding": 1e-2}},
    "adam": {"optimizer": "adam"},
    "adagrad": {"optimizer": "adagrad", "rate_decay": 0.01},
    "sgd": {"optimizer": "sgd"},
}


def tables(size=40, width=7, dtype=torch.float32):
    draw = torch.Generator().manual_seed(0)
    start = torch.randn(size, width, generator=draw, dtype=dtype)
    start[0] = 0
    return nn.Embedding.from_pretrained(start.clone(), freeze=False, padding_idx=0)


def dense(table, rule, steps, seed=1):
    """Dense steps on the whole table, by torch."""
    dense_optimizer = optimizer([("embedding.weight", table.weight)], rule)
    for ids, target in batches(steps, seed):
        dense_optimizer.zero_grad()
        (table(ids) * target.to(table.weight.dtype)).sin().sum().backward()
        dense_optimizer.step()


def batches(steps, seed):
    draw = torch.Generator().manual_seed(seed)
    for step in range(steps):
        # some rows in every batch, some seldom, some never
        high = 8 if step % 5 else 35
        yield torch.randint(0, high, (6,), generator=draw), torch.randn(6, 7, generator=draw)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", RULES)
def test_rows_equal_the_dense_optimiser(name, dtype):
    rule = toy.training(learning_rate=0.05, **RULES[name])
    whole, lazy = tables(dtype=dtype), tables(dtype=dtype)
    dense(whole, rule, 60)
    model = nn.ModuleDict({"embedding": lazy, "other": nn.Linear(1, 1)})
    steps = Steps(model, rule)
    for ids, target in batches(60, 1):
        steps.step((lazy(ids) * target.to(dtype)).sin().sum())
    steps.finish()
    close = {"atol": 2e-5, "rtol": 1e-4} if dtype == torch.float32 else {"atol": 1e-12, "rtol": 0}
    torch.testing.assert_close(lazy.weight, whole.weight, **close)
    assert not torch.equal(whole.weight, tables(dtype=dtype).weight)
    assert (lazy.weight[0] == 0).all()


def test_looked_up_rows_are_up_to_date():
    rule = toy.training(learning_rate=0.05, **RULES["amsgrad with decay"])
    whole, lazy = tables(), tables()
    dense(whole, rule, 7)
    steps = Steps(nn.ModuleDict({"embedding": lazy, "other": nn.Linear(1, 1)}), rule)
    for ids, target in batches(7, 1):
        steps.step((lazy(ids) * target).sin().sum())
    looked_at = torch.tensor([39, 20])  # never in a batch: weight decay alone moves them
    torch.testing.assert_close(lazy(looked_at), whole(looked_at), atol=1e-5, rtol=1e-4)


def test_close_ends_sparse_gradients_and_updates_by_look_up():
    table = tables()
    model = nn.ModuleDict({"embedding": table, "other": nn.Linear(1, 1)})
    steps = Steps(model, toy.training(**RULES["amsgrad with decay"]))
    for ids, target in batches(3, 1):
        steps.step((table(ids) * target).sin().sum())
    assert table.sparse
    steps.close()
    assert not table.sparse
    before = table.weight.detach().clone()
    table(torch.tensor([39]))  # it has missed three steps of weight decay
    assert torch.equal(table.weight, before)


def test_decay_without_momentum_uses_the_dense_optimiser():
    rule = toy.training(optimizer="adagrad", weight_decay={"embedding": 0.1})
    assert not Rows.exact_for(rule)
    steps = Steps(nn.ModuleDict({"embedding": tables(), "other": nn.Linear(1, 1)}), rule)
    assert not steps.tables


@pytest.mark.parametrize("clip", [0.01, 10.0])
def test_clipping_uses_the_norm_of_all_gradients(clip):
    rule = toy.training(optimizer="sgd", learning_rate=1.0, clip=clip)
    corpus = toy.corpus()
    reader = Reader(corpus, "train")
    batch = reader.batch(reader.rows[:20])
    moved = []
    for lazily in (True, False):
        torch.manual_seed(0)
        model = build(toy.model(), toy.vectors(), 2, False)
        loss = losses(
            model(Inputs.of(batch)).logits, torch.from_numpy(batch.labels), torch.ones(2)
        ).mean()
        if lazily:
            steps = Steps(model, rule)
            loss = losses(
                model(Inputs.of(batch)).logits, torch.from_numpy(batch.labels), torch.ones(2)
            ).mean()
            steps.step(loss)
        else:
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= parameter.grad
        moved.append({name: value.clone() for name, value in model.state_dict().items()})
    for name, value in moved[0].items():
        torch.testing.assert_close(value, moved[1][name], atol=1e-6, rtol=1e-5)


def test_more_steps_than_the_first_table_of_corrections():
    rule = toy.training(learning_rate=0.01, **RULES["amsgrad with decay"])
    whole, lazy = tables(), tables()
    dense(whole, rule, 1100)
    steps = Steps(nn.ModuleDict({"embedding": lazy, "other": nn.Linear(1, 1)}), rule)
    for ids, target in batches(1100, 1):
        steps.step((lazy(ids) * target).sin().sum())
    steps.finish()
    torch.testing.assert_close(lazy.weight, whole.weight, atol=1e-3, rtol=1e-2)
    assert np.isfinite(lazy.weight.detach().numpy()).all()
