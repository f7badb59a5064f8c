"""Token scores of a model during training, epoch by epoch, as a tidy table.

Sun & Lu (2020), section 4 and supplement C: for each group of tokens the scores, pi, rho and the
terms A to F; dot products between the embeddings of groups; the product V.W; and the difference of
the terms from the gradient flow by automatic differentiation.
"""

import copy
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.importance.gradient_terms import Weights, pull, terms
from stages.importance.token_groups import Groups, toward_own
from stages.importance.token_scores import flow
from stages.nn.attention import AttentionModel

Floats = NDArray[np.float64]
CHECKED_EVERY = 5  # epochs


def weights_of(state: dict[str, torch.Tensor]) -> Weights | None:
    """A run's weights in float64, or None where the terms do not apply (AD's tanh layer)."""
    arrays = {name: value.detach().double().numpy() for name, value in state.items()}
    if "score.layer.weight" in arrays:
        return None
    return Weights(
        arrays["embedding.weight"],
        arrays["score.vector"],
        arrays["head.layer.weight"],
        float(arrays["score.scale"]),
        arrays.get("encoder.layer.weight"),
        arrays.get("encoder.layer.bias"),
    )


class Trace:
    """A record of one run during training, over its training documents."""

    def __init__(
        self, model: AttentionModel, train: Reader, groups: Groups, checked: bool = True
    ) -> None:
        """`checked`: also compare the terms with automatic differentiation, which is slower."""
        self.model, self.train, self.groups = copy.deepcopy(model), train, groups
        self.checked = checked
        self.text = train.text.rows(train.rows)
        self.rows: list[dict[str, object]] = []
        self.previous: tuple[Floats, Floats, Floats, Floats] | None = None

    def record(self, epoch: int, state: dict[str, torch.Tensor]) -> None:
        """Add the rows of an epoch from the run's weights after it; 0 is before training."""
        self.epoch = epoch
        self.model.load_state_dict(state)
        state = {name: value.detach().double() for name, value in state.items()}
        vector, output = state["score.vector"], state["head.layer.weight"]
        weights = weights_of(state)
        if weights is not None:
            self._add_terms(weights)
        else:
            self._add_scores_of_layer(state)
        self._add_dots("dot", state["embedding.weight"].numpy())
        if weights is not None and weights.matrix is not None:
            self._add_dots("state_dot", weights.states)
        self._add("context_size", float(vector.norm()))
        self._add("output_size", float(output.norm()))
        self._add_classes("product", (output @ vector).numpy())

    def table(self) -> pd.DataFrame:
        """Everything recorded."""
        return pd.DataFrame(self.rows)

    def _add_terms(self, weights: Weights) -> None:
        sums = pull(weights, self.text, self.train.labels)
        split = terms(weights, sums)
        if self.checked and self.epoch % CHECKED_EVERY == 0:
            grouped = np.flatnonzero(self.groups.member >= 0)
            exact = flow(self.model, self.train, grouped)
            for name in ("polarity", "attention"):
                residual = np.abs(getattr(split, name)[grouped] - getattr(exact, name)).max()
                self._add(f"residual_{name}", residual)
        self._add("beta", sums.beta)
        self._add("sum_rho", sums.rho.sum())
        self._add_classes("sum_pi", sums.pi.sum(0))
        self._add_groups("pi", sums.pi)
        self._add_groups("rho", sums.rho)
        for name in "abcdef":
            self._add_groups(name.upper(), getattr(split, name))
        # the size of the term that depends on V.W relative to the others, before signs cancel
        a_to_bc = np.abs(split.a) / np.maximum(np.abs(split.b) + np.abs(split.c), 1e-300)
        self._add_groups("A/(B+C)", a_to_bc)
        d_to_ef = np.abs(split.d) / np.maximum(np.abs(split.e) + np.abs(split.f), 1e-300)
        self._add_groups("D/(E+F)", d_to_ef)
        polarity, attention = weights.polarity, weights.attention
        self._add_groups("polarity", polarity)
        self._add_groups("attention", attention)
        if self.previous is not None:  # whether the scores moved in the direction of their terms
            old_s, old_a, old_ds, old_da = self.previous
            self._add_groups("as_said_s", ((polarity - old_s) * old_ds > 0).astype(float))
            self._add_groups("as_said_a", ((attention - old_a) * old_da > 0).astype(float))
        self.previous = (polarity, attention, split.polarity, split.attention)

    def _add_scores_of_layer(self, state: dict[str, torch.Tensor]) -> None:
        table = state["embedding.weight"]
        inner = torch.tanh(table @ state["score.layer.weight"].T + state["score.layer.bias"])
        scores = inner @ state["score.vector"] / state["score.scale"]
        self._add_groups("polarity", (table @ state["head.layer.weight"].T).numpy())
        self._add_groups("attention", scores.numpy())

    def _add_classes(self, quantity: str, values: Floats) -> None:
        """One row per output; a sigmoid has one, without a name."""
        names = ("",) if self.train.classes == 2 else self.groups.names[:-1]
        for name, value in zip(names, values, strict=True):
            self._add(quantity, value, name)

    def _add_groups(self, quantity: str, values: Floats) -> None:
        """One row per group; with several classes of its own class, for neutral of their mean."""
        own = toward_own(values.reshape(len(values), -1), self.groups.member)
        for name in self.groups.names:
            ids = self.groups.ids(name)
            if len(ids):
                self._add(quantity, own[ids], name)

    def _add_dots(self, quantity: str, table: Floats) -> None:
        """Mean dot product of two different tokens, one of each group."""
        rows = {name: table[self.groups.ids(name)] for name in self.groups.names}
        for one, other in combinations_with_replacement(self.groups.names, 2):
            left, right = rows[one], rows[other]
            pairs = len(left) * len(right) if one != other else len(left) * (len(left) - 1)
            if pairs:
                total = left.sum(0) @ right.sum(0) - (0 if one != other else (left**2).sum())
                self._add(quantity, total / pairs, f"{one}-{other}", pairs)

    def _add(
        self, quantity: str, values: Floats | float, group: str = "", n: int | None = None
    ) -> None:
        """One row: mean, quartiles and share of positive values."""
        flat = np.atleast_1d(values)
        row: dict[str, object] = {"epoch": self.epoch, "quantity": quantity, "group": group}
        row |= {"n": n or len(flat), "mean": float(flat.mean())}
        quartiles = np.percentile(flat, (25, 50, 75)).tolist()
        row |= dict(zip(("q25", "q50", "q75"), quartiles, strict=True))
        self.rows.append(row | {"positive": float((flat > 0).mean())})
