"""Permuted, adversarial and erased attention against the batched plain way.

Documents of one length, so that padded batches of 32 waste nothing; a BiLSTM of 2 x 128 units.
"""

import numpy as np
import torch

from stages.counterfactual.adversarial import search
from stages.counterfactual.erasure import Documents, first_flips
from stages.counterfactual.permutation import permuted_changes
from tests.benchmarks import plain_adversarial
from tests.benchmarks.analysis_cases import documents, model_of
from tests.benchmarks.measuring import Case, Side
from tests.site.small_project import SEARCH

BATCH, CLASSES = 32, 10
PAPER = {"candidates": 5, "steps": 500, "learning_rate": 0.01}


@torch.no_grad()
def output_of(length, count=BATCH):
    """A BiLSTM and its output."""
    model = model_of("bilstm")
    return model, model(documents(count, length))


@torch.no_grad()
def permuted_by_batch(model, output):
    """A hundred times: new weights for all documents of the batch, then the model's head."""
    answer, mask = model.probabilities(output.logits), output.encoded.mask
    for _ in range(100):
        random = torch.rand(mask.shape).masked_fill(~mask, torch.inf)
        order = random.argsort(1)[:, : mask.sum(1).max()]  # of the words
        shuffled = output.weights.clone()
        shuffled[mask] = output.weights.gather(1, order).flatten()
        (model.probabilities(model.decode(output.encoded, shuffled)) - answer).abs().sum(-1)


def permutation(length, bar):
    model, output = output_of(length)
    seeds = np.arange(BATCH)
    return Case(
        f"100 permutations, {length} tokens",
        Side("ours", lambda: permuted_changes(model, output, 100, seeds), BATCH),
        Side(
            "batched plain way: a permutation of 32 documents at a time, model's head",
            lambda: permuted_by_batch(model, output),
            BATCH,
        ),
        bar,
        tokens=length,
    )


def adversarial(length):
    model, output = output_of(length)
    settings = SEARCH.model_copy(update=PAPER)
    draw = torch.Generator().manual_seed(0)
    start = torch.randn((BATCH, settings.candidates, length + 2), generator=draw)
    arguments = (model, output, start, settings)
    return Case(
        f"adversarial search, 500 steps, {length} tokens",
        Side("ours", lambda: search(*arguments), BATCH),
        Side(
            "batched plain way: 32 documents x 5 candidates, autograd, torch's AMSGrad",
            lambda: plain_adversarial.search(*arguments),
            BATCH,
        ),
        25,
        tokens=length,
    )


def peaked(count, length):
    """Random documents with peaked weights whose decision flips late, as in the paper."""
    draw = torch.Generator().manual_seed(length)
    weights = (3 * torch.randn(count, length, generator=draw)).softmax(1)
    evidence = torch.randn(count, length, CLASSES, generator=draw)
    evidence[:, :, 0] += 2  # most items support one class
    mask = torch.ones(count, length, dtype=torch.bool)
    return Documents.of(weights, evidence, torch.zeros(CLASSES), mask)


def erase(documents):
    """First flips along every ranking."""
    orders = torch.stack(list(documents.orders().values()))  # (R, B, L)
    (flips,) = first_flips(documents, orders, documents.bias)
    return flips.count


def erase_by_batch(documents):
    """The same: one more item of all documents at a time, until every decision has flipped."""
    counts = []
    for order in documents.orders().values():
        left, count = documents.weights.clone(), torch.zeros_like(documents.decision)
        for number, items in enumerate(order.unbind(1)[:-1], 1):
            left.scatter_(1, items.unsqueeze(1), 0)
            share = (left / left.sum(1, keepdim=True)).unsqueeze(1)  # (B, 1, L)
            logits = (share @ documents.evidence).squeeze(1) + documents.bias
            flipped = logits.argmax(1) != documents.decision
            count = torch.where((count == 0) & flipped, number, count)
            if count.all():
                break
        counts.append(count)
    return torch.stack(counts)


def erasure():
    few, many = peaked(BATCH, 200), peaked(1000, 200)
    return Case(
        "erasure along four rankings, 200 tokens, ten classes",
        Side("ours", lambda: erase(many), 1000),
        Side(
            "batched plain way: an item of 32 documents at a time",
            lambda: erase_by_batch(few),
            BATCH,
        ),
        10,
        tokens=200,
    )


CASES = {
    "permutation-20": lambda: permutation(20, 10),
    "permutation-180": lambda: permutation(180, 4),
    "adversarial-20": lambda: adversarial(20),
    "adversarial-180": lambda: adversarial(180),
    "erasure": erasure,
}
