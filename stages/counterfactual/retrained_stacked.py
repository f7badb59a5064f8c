"""Adversaries without context, stacked, each document as its distinct words.

Without context all copies of a word have one score. So a document is its distinct words, each with
the logarithm of its count added to the score: the softmax over words is then the total weight of
each, and the divergence from the base, which has no context either, equals that over positions. On
Mock data all fillers become one entry. Runs lie along a leading axis and do not affect each other;
each has its own batches, the smaller ones filled with padding that no loss counts. That costs 12 %
against batches that all runs share. Only words that occur are trained: weight decay updates every
row of the table at every step.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call, vmap

from stages.corpora.batching import Reader, buckets
from stages.corpora.ragged import Longs, Ragged, padded
from stages.corpora.vocabulary import PADDING
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Evaluation, compared
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.kernels.rows import Rows
from stages.nn.prediction import scores_alone, without_context
from stages.nn.projections.softmax import Softmax
from stages.nn.stacked import StackedRuns, distinct
from stages.nn.training import check_finite
from stages.settings.studies import Training

BATCH = 256  # documents at a time for evaluation
MASKED = -1e30  # added to the score of padding


def applies(model: AttentionModel, training: Training) -> bool:
    """Whether the model has no context and softmax attention, and its runs step together."""
    together = training.cap is None and training.clip is None and Rows.exact_for(training)
    return together and without_context(model) and isinstance(model.projection, Softmax)


@dataclass(frozen=True)
class DistinctWords:
    """The distinct words of every document with the logarithm of their counts."""

    words: Ragged
    log_counts: NDArray[np.float32]  # one for each value of `words`

    @classmethod
    def of(cls, reader: Reader) -> "DistinctWords":
        """All documents of a reader, without boundary tokens, in the order of its rows."""
        edge = 1 if reader.add_boundary_tokens else 0
        texts = (reader.text[row] for row in reader.rows)
        pairs = [np.unique(text[edge : len(text) - edge], return_counts=True) for text in texts]
        words, counts = zip(*pairs, strict=True)
        log_counts = np.log(np.concatenate(counts)).astype(np.float32)
        return cls(Ragged.of([each.tolist() for each in words]), log_counts)

    def numbered(self, used: Longs) -> "DistinctWords":
        """The same with each word replaced by its place among those in `used`."""
        places = np.searchsorted(used, self.words.values).astype(np.int32)
        return DistinctWords(Ragged(places, self.words.offsets), self.log_counts)

    def padded(self, rows: Longs) -> tuple[Longs, Tensor]:
        """Words (B, K) and the terms added to their scores (B, K)."""
        words, lengths = self.words.padded(rows), self.words.lengths[rows]
        terms = padded(self.log_counts, self.words.offsets[rows], lengths)
        terms[np.arange(words.shape[1]) >= lengths[:, None]] = MASKED
        return words, torch.from_numpy(terms)

    def padded_runs(self, documents: Sequence[Longs]) -> tuple[Longs, Tensor, Tensor]:
        """Words and terms (R, B, K) of the documents of R runs, and which are documents (R, B)."""
        sizes = np.array([len(rows) for rows in documents])
        real = np.arange(sizes.max()) < sizes[:, None]
        words, terms = self.padded(np.concatenate(documents))
        if real.all():
            shape = (*real.shape, words.shape[1])
            return words.reshape(shape), terms.view(shape), torch.from_numpy(real)
        filled = np.full((*real.shape, words.shape[1]), PADDING, np.int64)
        added = torch.full(filled.shape, MASKED)
        filled[real], added[torch.from_numpy(real)] = words, terms
        return filled, added, torch.from_numpy(real)


class _OneWord(nn.Module):
    """A model on single words: embedded (U, E) to scores (U,) and evidence (U, C)."""

    def __init__(self, model: AttentionModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, embedded: Tensor) -> tuple[Tensor, Tensor]:
        ones = torch.ones(len(embedded), dtype=torch.long)
        inputs = Inputs(ones.unsqueeze(1), ones, ones.unsqueeze(1).bool())
        encoded = self.model.encode_embedded(embedded.unsqueeze(1), inputs)
        scores: Tensor = self.model.score(encoded.states, None)
        evidence, _ = self.model.evidence(encoded)
        return scores.squeeze(1), evidence.squeeze(1)


def _compact(model: AttentionModel, used: Longs) -> AttentionModel:
    """A copy with the embeddings of these words only."""
    whole = model.embedding.weight
    small = copy.copy(model)
    small._modules = dict(model._modules)
    small.embedding = nn.Embedding.from_pretrained(
        whole.detach()[torch.from_numpy(used)], freeze=False, padding_idx=PADDING
    )
    return small


class StackedAdversaries(StackedRuns):
    """R adversaries along a leading axis, each against its own base; words by place in `used`."""

    def __init__(
        self,
        name: str,
        models: list[AttentionModel],
        bases: Sequence[AttentionModel],
        readers: Mapping[str, Reader],
        training: Training,
        objective: Objective,
    ) -> None:
        texts = {split: DistinctWords.of(reader) for split, reader in readers.items()}
        words = [text.words.values for text in texts.values()]
        self.used = np.unique(np.concatenate([[PADDING], *words]).astype(np.int64))  # (U,)
        self.texts = {split: text.numbered(self.used) for split, text in texts.items()}
        super().__init__([_compact(model, self.used) for model in models], training)
        self.name, self.objective = name, objective
        self.one_word = _OneWord(copy.deepcopy(self.model))
        alone = [scores_alone(base, self.used) for base in bases]
        scores, evidence = map(torch.stack, zip(*alone, strict=True))  # (R, U), (R, U, C)
        biases: list[Tensor] = [base.head.bias() for base in bases]  # type: ignore[operator]
        self.base = (scores, evidence, torch.stack(biases).detach())  # (R, C)

    def words(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (R, U) and evidence (R, U, C) of embedded words (R, U, E)."""
        flat = {f"model.{name}": value for name, value in self.parameters.items()}

        def one(parameters: dict[str, Tensor], embedded: Tensor) -> tuple[Tensor, Tensor]:
            return functional_call(self.one_word, parameters, (embedded,))

        return vmap(one)(flat, rows)

    def outputs(
        self, scores: Tensor, evidence: Tensor, bias: Tensor, places: Tensor, counts: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Outputs (R, B, C) and weights (R, B, K) of words at `places` (R, B, K)."""
        flat = places.flatten(1)
        weights = (scores.gather(1, flat).view(places.shape) + counts).softmax(-1)
        every = flat.unsqueeze(-1).expand(-1, -1, evidence.shape[-1])
        values = evidence.gather(1, every).view(*places.shape, -1)
        logits = (weights.unsqueeze(-1) * values).sum(2) + bias.unsqueeze(1)
        return self.model.probabilities(logits), weights

    def with_base(
        self, scores: Tensor, evidence: Tensor, places: Tensor, words: Tensor, counts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Outputs of adversaries and bases (R, B, C), weights of adversaries and bases (R, B, K).

        `places` (R, B, K) point into scores (R, U) and evidence (R, U, C), `words` into the bases'.
        """
        bias = self.parameters.get("head.layer.bias", torch.zeros_like(self.base[-1]))  # (R, C)
        outputs, weights = self.outputs(scores, evidence, bias, places, counts)
        base_outputs, base_weights = self.outputs(*self.base, words, counts)
        return outputs, base_outputs, weights, base_weights

    def losses(self, rows: Tensor, places: Tensor, words: Tensor, counts: Tensor) -> Tensor:
        """(R, B) of documents whose words lie at `places` (R, B, K) of the rows (R, U, E)."""
        return self.objective.of(*self.with_base(*self.words(rows), places, words, counts))

    def looked_up(self, present: Sequence[Longs]) -> Tensor:
        """Up-to-date embeddings (R, U, E) of the words of each run's batch, a leaf of autograd."""
        looked_up = torch.zeros(self.count, max(map(len, present)), self.table.shape[-1])
        for run, (rows, words) in enumerate(zip(self.rows, present, strict=True)):
            rows.refresh(words)
            looked_up[run, : len(words)] = self.table[run, torch.from_numpy(words)]
        return looked_up.requires_grad_()

    def update(self, present: Sequence[Longs], looked_up: Tensor) -> None:
        """One step of the rows that were looked up, by their gradients; padding stays zero."""
        assert looked_up.grad is not None
        gradients = looked_up.grad.numpy()
        for rows, words, gradient in zip(self.rows, present, gradients, strict=True):
            gradient[: len(words)][words == PADDING] = 0.0
            rows.update(words, gradient[: len(words)])

    def freeze_attention(self, frozen: bool) -> None:
        """The optimiser does not change parameters without a gradient."""
        for name, value in self.parameters.items():
            if name.startswith("score."):
                value.requires_grad_(not frozen)

    def train_epoch(self, number: int, draws: Sequence[np.random.Generator]) -> None:
        """One pass over the training documents, which each draw shuffles for one run."""
        texts, training = self.texts["train"], self.training
        lengths = texts.words.lengths
        orders = [buckets(lengths, training.batch, draw, training.length_jitter) for draw in draws]
        for place, documents in enumerate(zip(*orders, strict=True), 1):
            words, counts, real = texts.padded_runs(documents)
            present, places = zip(*map(distinct, words), strict=True)
            rows = self.looked_up(present)
            self.steps.zero_grad()
            tokens, at = torch.from_numpy(words), torch.from_numpy(np.stack(places))
            by_document = self.losses(rows, at, tokens, counts) * real
            # a mean per run: in the sum over runs each keeps its own gradient
            loss = (by_document.sum(1) / real.sum(1)).sum()
            check_finite(loss, self.name, number, place, training.learning_rate)
            loss.backward()
            self.update(present, rows)
            self.steps.step()
        self.finish()

    @torch.no_grad()
    def evaluate(self, split: str) -> list[Evaluation]:
        """Every adversary on a split."""
        texts = self.texts[split]
        present = np.unique(np.append(texts.words.values, PADDING))  # padding fills rectangles
        scores, evidence = self.words(self.table[:, torch.from_numpy(present)])
        parts = []
        for start in range(0, len(texts.words), BATCH):
            words, counts = texts.padded(np.arange(start, min(start + BATCH, len(texts.words))))
            places, tokens = (
                torch.from_numpy(values).expand(self.count, -1, -1)
                for values in (np.searchsorted(present, words), words)
            )
            both = self.with_base(scores, evidence, places, tokens, counts)
            parts.append(compared(self.objective, *both))
        joined = [torch.cat(part, 1).double().numpy() for part in zip(*parts, strict=True)]
        return [Evaluation(*(part[run] for part in joined)) for run in range(self.count)]
