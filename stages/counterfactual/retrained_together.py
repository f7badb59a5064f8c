"""Adversaries without context, many at once, each document as its distinct words.

Without context all copies of a word have one score. So a document is its distinct words, each with
the logarithm of its count added to the score: the softmax over words is then the total weight of
each, and the divergence from the base, whose copies are alike too, is that over positions. On Mock
data this leaves one entry for all the fillers. Runs lie along a leading axis and never touch. Only
words that are read are trained: weight decay moves every row at every step, read or not.
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
from stages.corpora.ragged import Longs, Ragged
from stages.corpora.vocabulary import PADDING
from stages.counterfactual.objectives import Objective
from stages.counterfactual.retrained import Seen
from stages.nn import by_type
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.projections.softmax import Softmax
from stages.nn.stacked import StackedRuns
from stages.nn.training import check_finite
from stages.settings.studies import Training
from stages.statistics.divergences import jensen_shannon, total_variation

BATCH = 256  # documents at a time where nothing is trained
OFF = -1e30  # score of a place without a word


def applies(model: AttentionModel) -> bool:
    """Whether copies of a word are alike and their weights add up."""
    return by_type.applies(model) and isinstance(model.projection, Softmax)


@dataclass(frozen=True)
class Entries:
    """The distinct words of every document with the logarithm of their counts."""

    words: Ragged
    counts: NDArray[np.float32]  # one for each value of `words`

    @classmethod
    def of(cls, reader: Reader) -> "Entries":
        """All documents of a reader, where attention may rest, in the order of its rows."""
        edge = 1 if reader.add_boundary_tokens else 0
        found = []
        for row in reader.rows:
            text = reader.text[row]
            found.append(np.unique(text[edge : len(text) - edge], return_counts=True))
        counts = np.concatenate([counts for _, counts in found])
        return cls(
            Ragged.of([words.tolist() for words, _ in found]), np.log(counts).astype(np.float32)
        )

    def numbered(self, used: Longs) -> "Entries":
        """The same with each word's place among those that are `used`."""
        places = np.searchsorted(used, self.words.values).astype(np.int32)
        return Entries(Ragged(places, self.words.offsets), self.counts)

    def padded(self, rows: Longs) -> tuple[Longs, Tensor]:
        """Words (B, K) and what is added to their scores (B, K)."""
        words, lengths = self.words.padded(rows), self.words.lengths[rows]
        place = np.arange(words.shape[1])
        real = place < lengths[:, None]
        at = np.where(real, self.words.offsets[rows][:, None] + place, 0)
        return words, torch.from_numpy(np.where(real, self.counts[at], np.float32(OFF)))


class _OneWord(nn.Module):
    """A model of words each on its own: embedded (U, E) to scores (U,) and evidence (U, C)."""

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
    """A copy that knows these words only."""
    whole = model.embedding.weight
    small = copy.copy(model)
    small._modules = dict(model._modules)
    small.embedding = nn.Embedding.from_pretrained(
        whole.detach()[torch.from_numpy(used)], freeze=False, padding_idx=PADDING
    )
    return small


class Together(StackedRuns):
    """R adversaries, each against a base of its own; a Trainee.

    Words are numbered by their place among those read.
    """

    def __init__(
        self,
        name: str,
        models: list[AttentionModel],
        bases: Sequence[AttentionModel],
        readers: Mapping[str, Reader],
        training: Training,
        objective: Objective,
    ) -> None:
        entries = {split: Entries.of(reader) for split, reader in readers.items()}
        read = [found.words.values for found in entries.values()]
        self.used = np.unique(np.concatenate([[PADDING], *read]).astype(np.int64))  # (U,)
        self.entries = {split: found.numbered(self.used) for split, found in entries.items()}
        super().__init__([_compact(model, self.used) for model in models], training)
        self.name, self.objective = name, objective
        self.one_word = _OneWord(copy.deepcopy(self.shape.model))
        alone = [by_type.scores_alone(base, self.used) for base in bases]
        self.base_scores = torch.stack([scores for scores, _ in alone])  # (R, U)
        self.base_evidence = torch.stack([evidence for _, evidence in alone])  # (R, U, C)
        biases: list[Tensor] = [base.head.bias() for base in bases]  # type: ignore[operator]
        self.base_bias = torch.stack(biases).detach()  # (R, C)

    def words(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (R, U) and evidence (R, U, C) of embedded words (R, U, E)."""
        flat = {f"model.{name}": value for name, value in self.parameters.items()}

        def one(parameters: dict[str, Tensor], embedded: Tensor) -> tuple[Tensor, Tensor]:
            found: tuple[Tensor, Tensor] = functional_call(self.one_word, parameters, (embedded,))
            return found

        return vmap(one)(flat, rows)

    def answered(
        self, scores: Tensor, evidence: Tensor, bias: Tensor, places: Tensor, counts: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Outputs (R, B, C) and weights (R, B, K) of words at `places` (B, K)."""
        runs, (documents, width) = len(scores), places.shape
        flat = places.reshape(-1)
        taken = scores.index_select(1, flat).view(runs, documents, width)
        weights = (taken + counts).softmax(-1)
        said = evidence.index_select(1, flat).view(runs, documents, width, -1)
        logits = (weights.unsqueeze(-1) * said).sum(2) + bias.unsqueeze(1)
        return self.shape.model.probabilities(logits), weights

    def against(self, words: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """The bases' outputs (R, B, C) and weights (R, B, K)."""
        return self.answered(self.base_scores, self.base_evidence, self.base_bias, words, counts)

    def losses(self, rows: Tensor, places: Tensor, words: Tensor, counts: Tensor) -> Tensor:
        """(R, B) of documents whose words lie at `places` (B, K) of the rows (R, U, E)."""
        said, weights = self.answered(*self.words(rows), self._bias(), places, counts)
        base_said, base_weights = self.against(words, counts)
        return self.objective.of(said, base_said, weights, base_weights)

    def _bias(self) -> Tensor:
        """(R, C)."""
        nothing = torch.zeros_like(self.base_bias)
        return self.parameters.get("head.layer.bias", nothing)

    def hold(self, still: bool) -> None:
        """Without a gradient the optimiser leaves a parameter where it is."""
        for name, value in self.parameters.items():
            if name.startswith("score."):
                value.requires_grad_(not still)

    def epoch(self, number: int, draw: np.random.Generator) -> None:
        """One pass over the training documents."""
        entries, training = self.entries["train"], self.training
        cut = buckets(
            entries.words.lengths, training.batch, draw, training.length_jitter, training.cap
        )
        for place, documents in enumerate(cut, 1):
            words, counts = entries.padded(documents)
            tokens = torch.from_numpy(words)
            present, places = tokens.unique(return_inverse=True)
            rows = self.looked_up(present)
            self.steps.zero_grad()
            # a mean per run: the runs' sum leaves each its own gradient
            loss = self.losses(rows, places, tokens, counts).mean(1).sum()
            check_finite(loss, self.name, number, place, training.learning_rate)
            loss.backward()
            self.update(present, rows)
            self.steps.step()
        self.finish()

    @torch.no_grad()
    def look(self, split: str) -> list[Seen]:
        """Every adversary on a split."""
        entries = self.entries[split]
        present = np.unique(np.append(entries.words.values, PADDING))  # it fills rectangles up
        scores, evidence = self.words(self.table[:, torch.from_numpy(present)])
        parts = []
        for start in range(0, len(entries.words), BATCH):
            taken = np.arange(start, min(start + BATCH, len(entries.words)))
            words, counts = entries.padded(taken)
            places = torch.from_numpy(np.searchsorted(present, words))
            said, weights = self.answered(scores, evidence, self._bias(), places, counts)
            base_said, base_weights = self.against(torch.from_numpy(words), counts)
            lost = self.objective.of(said, base_said, weights, base_weights)
            away = jensen_shannon(weights.double(), base_weights.double())
            parts.append((said, total_variation(said, base_said), away, lost))
        joined = [torch.cat(part, 1).double().numpy() for part in zip(*parts, strict=True)]
        return [Seen(*(part[run] for part in joined)) for run in range(self.count)]
