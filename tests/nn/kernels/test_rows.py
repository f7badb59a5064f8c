"""Rows trained lazily against a dense optimiser of the whole table."""

import pytest
import torch
from torch import nn

from stages.corpora.batching import Reader
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


def new_table(dtype=torch.float32):
    start = torch.randn(40, 7, generator=torch.Generator().manual_seed(0), dtype=dtype)
    start[0] = 0
    return nn.Embedding.from_pretrained(start, freeze=False, padding_idx=0)


def batches(steps):
    draw = torch.Generator().manual_seed(1)
    for step in range(steps):
        # some rows in every batch, some seldom, some never
        high = 8 if step % 5 else 35
        yield torch.randint(0, high, (6,), generator=draw), torch.randn(6, 7, generator=draw)


def loss_of(table, ids, target):
    return (table(ids) * target.to(table.weight.dtype)).sin().sum()


def dense(rule, steps, dtype=torch.float32):
    """A table after dense steps, by torch."""
    table = new_table(dtype)
    dense_optimizer = optimizer([("embedding.weight", table.weight)], rule)
    for batch in batches(steps):
        dense_optimizer.zero_grad()
        loss_of(table, *batch).backward()
        dense_optimizer.step()
    return table


def lazy(rule, steps, dtype=torch.float32):
    """A table after steps by rows, and the steps; rows may have missed some."""
    table = new_table(dtype)
    by_rows = Steps(nn.ModuleDict({"embedding": table, "other": nn.Linear(1, 1)}), rule)
    for batch in batches(steps):
        by_rows.step(loss_of(table, *batch))
    return table, by_rows


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", RULES)
def test_rows_equal_the_dense_optimiser(name, dtype):
    rule = toy.training(learning_rate=0.05, **RULES[name])
    whole, (table, steps) = dense(rule, 60, dtype), lazy(rule, 60, dtype)
    steps.finish()
    close = {"atol": 2e-5, "rtol": 1e-4} if dtype == torch.float32 else {"atol": 1e-12, "rtol": 0}
    torch.testing.assert_close(table.weight, whole.weight, **close)
    assert not torch.equal(whole.weight, new_table(dtype).weight)
    assert (table.weight[0] == 0).all()


def test_looked_up_rows_are_up_to_date():
    rule = toy.training(learning_rate=0.05, **RULES["amsgrad with decay"])
    whole, (table, _) = dense(rule, 7), lazy(rule, 7)
    looked_at = torch.tensor([39, 20])  # never in a batch: weight decay alone moves them
    torch.testing.assert_close(table(looked_at), whole(looked_at), atol=1e-5, rtol=1e-4)


def test_more_steps_than_the_first_table_of_corrections():
    rule = toy.training(learning_rate=0.01, **RULES["amsgrad with decay"])
    whole, (table, steps) = dense(rule, 1100), lazy(rule, 1100)
    steps.finish()
    torch.testing.assert_close(table.weight, whole.weight, atol=1e-3, rtol=1e-2)
    assert table.weight.isfinite().all()


def test_close_ends_sparse_gradients_and_updates_by_look_up():
    table, steps = lazy(toy.training(**RULES["amsgrad with decay"]), 3)
    assert table.sparse
    steps.close()
    assert not table.sparse
    before = table.weight.detach().clone()
    table(torch.tensor([39]))  # it has missed three steps of weight decay
    assert torch.equal(table.weight, before)


def test_decay_without_momentum_uses_the_dense_optimiser():
    rule = toy.training(optimizer="adagrad", weight_decay={"embedding": 0.1})
    assert not Rows.exact_for(rule)
    assert not lazy(rule, 0)[1].tables


@pytest.mark.parametrize("clip", [0.01, 10.0])
def test_clipping_uses_the_norm_of_all_gradients(clip):
    rule = toy.training(optimizer="sgd", learning_rate=1.0, clip=clip)
    reader = Reader(toy.corpus(), "train")
    batch = reader.batch(reader.rows[:20])

    def mean_loss(model):
        logits = model(Inputs.of(batch)).logits
        return losses(logits, torch.from_numpy(batch.labels), torch.ones(2)).mean()

    clipped, by_hand = toy.network(), toy.network()
    steps = Steps(clipped, rule)
    steps.step(mean_loss(clipped))
    mean_loss(by_hand).backward()
    torch.nn.utils.clip_grad_norm_(by_hand.parameters(), clip)
    for name, parameter in by_hand.named_parameters():
        expected = parameter.detach() - parameter.grad
        torch.testing.assert_close(clipped.state_dict()[name], expected, atol=1e-6, rtol=1e-5)
