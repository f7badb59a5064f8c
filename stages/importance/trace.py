"""What happens to token scores while a model trains, epoch by epoch, as a tidy table.

Sun & Lu (2020), section 4 and supplement C: for each group of tokens the scores, pi, rho and the
terms A to F; dot products between the embeddings of groups; the product V.W; and how far the terms
are from the gradient flow that automatic differentiation finds.
"""

import copy
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.corpora.ragged import Ragged
from stages.importance.gradient_flow import flow
from stages.importance.gradient_terms import Weights, pull, terms
from stages.importance.token_groups import Groups
from stages.nn.attention import AttentionModel

Floats = NDArray[np.float64]
TERMS = "abcdef"
CHECKED_EVERY = 5  # epochs


def weights_of(state: dict[str, torch.Tensor]) -> Weights | None:
    """A run's weights in float64, or None where the terms do not apply (AD's tanh layer)."""
    held = {name: value.detach().double().numpy() for name, value in state.items()}
    if "score.layer.weight" in held:
        return None
    return Weights(
        held["embedding.weight"],
        held["score.vector"],
        held["head.layer.weight"],
        float(held["score.scale"]),
        held.get("encoder.layer.weight"),
        held.get("encoder.layer.bias"),
    )


class Trace:
    """The course of one run over the documents it is trained on."""

    def __init__(
        self, model: AttentionModel, train: Reader, groups: Groups, checked: bool = True
    ) -> None:
        """`checked`: also compare the terms with automatic differentiation, which is dearer."""
        self.model, self.train, self.groups = copy.deepcopy(model), train, groups
        self.checked = checked
        rows = train.rows
        lengths = train.text.lengths[rows]
        values = np.concatenate([train.text[row] for row in rows])
        self.text = Ragged(values, np.concatenate([[0], lengths.cumsum()]))
        self.shown = np.flatnonzero(groups.member >= 0)
        self.rows: list[dict[str, float | str]] = []
        self.before: tuple[Floats, Floats, Floats, Floats] | None = None

    def look(self, epoch: int, state: dict[str, torch.Tensor]) -> None:
        """Record the run as it is after an epoch; 0 is before training."""
        self.epoch = epoch
        self.model.load_state_dict(state)
        vector, output = (state[n].double() for n in ("score.vector", "head.layer.weight"))
        weights = weights_of(state)
        if weights is not None:
            self._terms(weights)
        else:
            self._scores_of_layer(state)
        self._dots("dot", state["embedding.weight"].double().numpy())
        if weights is not None and weights.matrix is not None:
            self._dots("state_dot", weights.states)
        self._one("context_size", float(vector.norm()))
        self._one("output_size", float(output.norm()))
        for name, value in zip(self._classes(), (output @ vector).tolist(), strict=True):
            self._one("product", value, name)

    def table(self) -> pd.DataFrame:
        """Everything recorded."""
        return pd.DataFrame(self.rows)

    def _terms(self, weights: Weights) -> None:
        found = pull(weights, self.text, self.train.labels)
        split = terms(weights, found)
        if self.checked and self.epoch % CHECKED_EVERY == 0:
            exact = flow(self.model, self.train, self.shown)
            for name in ("polarity", "attention"):
                apart = np.abs(getattr(split, name)[self.shown] - getattr(exact, name)).max()
                self._one(f"residual_{name}", float(apart))
        self._one("beta", found.beta)
        self._one("sum_rho", float(found.rho.sum()))
        for name, value in zip(self._classes(), found.pi.sum(0), strict=True):
            self._one("sum_pi", float(value), name)
        self._grouped("pi", found.pi)
        self._grouped("rho", found.rho)
        for name in TERMS:
            self._grouped(name.upper(), getattr(split, name))
        # how the term that depends on V.W compares with the others, before their signs cancel
        small = np.abs(split.a) / np.maximum(np.abs(split.b) + np.abs(split.c), 1e-300)
        self._grouped("A/(B+C)", small)
        large = np.abs(split.d) / np.maximum(np.abs(split.e) + np.abs(split.f), 1e-300)
        self._grouped("D/(E+F)", large)
        self._moved(weights.polarity, weights.attention, split.polarity, split.attention)

    def _moved(self, polarity: Floats, attention: Floats, ds: Floats, da: Floats) -> None:
        """Scores now, and whether the last epoch moved them the way the terms had said."""
        self._grouped("polarity", polarity)
        self._grouped("attention", attention)
        if self.before is not None:
            then_s, then_a, said_s, said_a = self.before
            self._grouped("as_said_s", ((polarity - then_s) * said_s > 0).astype(float))
            self._grouped("as_said_a", ((attention - then_a) * said_a > 0).astype(float))
        self.before = (polarity, attention, ds, da)

    def _scores_of_layer(self, state: dict[str, torch.Tensor]) -> None:
        table = state["embedding.weight"].double()
        inner = torch.tanh(
            table @ state["score.layer.weight"].double().T + state["score.layer.bias"].double()
        )
        scores = inner @ state["score.vector"].double() / state["score.scale"].double()
        self._grouped("polarity", (table @ state["head.layer.weight"].double().T).numpy())
        self._grouped("attention", scores.numpy())

    def _classes(self) -> tuple[str, ...]:
        """Names of the outputs: one for a sigmoid."""
        return ("",) if self.train.classes == 2 else self.groups.polar

    def _grouped(self, quantity: str, values: Floats) -> None:
        """Each group's tokens; of several classes a group is seen toward its own, neutral toward
        all of them on average."""
        for place, name in enumerate(self.groups.names):
            ids = self.groups.ids(name)
            if values.ndim == 1 or values.shape[1] == 1:
                seen = values.reshape(len(values), -1)[ids, 0]
            else:
                seen = values[ids, place] if name in self.groups.polar else values[ids].mean(1)
            if len(seen):
                low, middle, high = np.percentile(seen, (25, 50, 75))
                share = float((seen > 0).mean())
                self._row(quantity, name, len(seen), float(seen.mean()), low, middle, high, share)

    def _dots(self, quantity: str, table: Floats) -> None:
        """Mean dot product of two different tokens, one of each group."""
        sums = {name: table[self.groups.ids(name)] for name in self.groups.names}
        for one, other in combinations_with_replacement(self.groups.names, 2):
            left, right = sums[one], sums[other]
            pairs = len(left) * len(right) if one != other else len(left) * (len(left) - 1)
            if pairs:
                total = left.sum(0) @ right.sum(0) - (0 if one != other else (left**2).sum())
                self._one(quantity, float(total / pairs), f"{one}-{other}", pairs)

    def _one(self, quantity: str, value: float, group: str = "", n: int = 1) -> None:
        self._row(quantity, group, n, value, value, value, value, float(value > 0))

    def _row(self, quantity: str, group: str, n: int, mean: float, *rest: float) -> None:
        names = ("q25", "q50", "q75", "positive")
        self.rows.append(
            {
                "epoch": self.epoch,
                "quantity": quantity,
                "group": group,
                "n": n,
                "mean": mean,
                **dict(zip(names, map(float, rest), strict=True)),
            }
        )
