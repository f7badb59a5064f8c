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
        rows = train.rows
        lengths = train.text.lengths[rows]
        values = np.concatenate([train.text[row] for row in rows])
        self.text = Ragged(values, np.concatenate([[0], lengths.cumsum()]))
        self.grouped = np.flatnonzero(groups.member >= 0)
        self.rows: list[dict[str, float | str]] = []
        self.previous: tuple[Floats, Floats, Floats, Floats] | None = None

    def record(self, epoch: int, state: dict[str, torch.Tensor]) -> None:
        """Add the rows of an epoch from the run's weights after it; 0 is before training."""
        self.epoch = epoch
        self.model.load_state_dict(state)
        vector, output = (state[n].double() for n in ("score.vector", "head.layer.weight"))
        weights = weights_of(state)
        if weights is not None:
            self._add_terms(weights)
        else:
            self._add_scores_of_layer(state)
        self._add_dots("dot", state["embedding.weight"].double().numpy())
        if weights is not None and weights.matrix is not None:
            self._add_dots("state_dot", weights.states)
        self._add_value("context_size", float(vector.norm()))
        self._add_value("output_size", float(output.norm()))
        for name, value in zip(self._classes(), (output @ vector).tolist(), strict=True):
            self._add_value("product", value, name)

    def table(self) -> pd.DataFrame:
        """Everything recorded."""
        return pd.DataFrame(self.rows)

    def _add_terms(self, weights: Weights) -> None:
        sums = pull(weights, self.text, self.train.labels)
        split = terms(weights, sums)
        if self.checked and self.epoch % CHECKED_EVERY == 0:
            exact = flow(self.model, self.train, self.grouped)
            for name in ("polarity", "attention"):
                residual = np.abs(getattr(split, name)[self.grouped] - getattr(exact, name)).max()
                self._add_value(f"residual_{name}", float(residual))
        self._add_value("beta", sums.beta)
        self._add_value("sum_rho", float(sums.rho.sum()))
        for name, value in zip(self._classes(), sums.pi.sum(0), strict=True):
            self._add_value("sum_pi", float(value), name)
        self._add_groups("pi", sums.pi)
        self._add_groups("rho", sums.rho)
        for name in TERMS:
            self._add_groups(name.upper(), getattr(split, name))
        # the size of the term that depends on V.W relative to the others, before signs cancel
        a_to_bc = np.abs(split.a) / np.maximum(np.abs(split.b) + np.abs(split.c), 1e-300)
        self._add_groups("A/(B+C)", a_to_bc)
        d_to_ef = np.abs(split.d) / np.maximum(np.abs(split.e) + np.abs(split.f), 1e-300)
        self._add_groups("D/(E+F)", d_to_ef)
        self._add_scores(weights.polarity, weights.attention, split.polarity, split.attention)

    def _add_scores(self, polarity: Floats, attention: Floats, ds: Floats, da: Floats) -> None:
        """Scores, and whether the last epoch moved them in the direction of the terms before it."""
        self._add_groups("polarity", polarity)
        self._add_groups("attention", attention)
        if self.previous is not None:
            old_s, old_a, old_ds, old_da = self.previous
            self._add_groups("as_said_s", ((polarity - old_s) * old_ds > 0).astype(float))
            self._add_groups("as_said_a", ((attention - old_a) * old_da > 0).astype(float))
        self.previous = (polarity, attention, ds, da)

    def _add_scores_of_layer(self, state: dict[str, torch.Tensor]) -> None:
        table = state["embedding.weight"].double()
        inner = torch.tanh(
            table @ state["score.layer.weight"].double().T + state["score.layer.bias"].double()
        )
        scores = inner @ state["score.vector"].double() / state["score.scale"].double()
        self._add_groups("polarity", (table @ state["head.layer.weight"].double().T).numpy())
        self._add_groups("attention", scores.numpy())

    def _classes(self) -> tuple[str, ...]:
        """Names of the outputs: one for a sigmoid."""
        return ("",) if self.train.classes == 2 else self.groups.polar

    def _add_groups(self, quantity: str, values: Floats) -> None:
        """One row per group; with several classes of its own class, for neutral of their mean."""
        for place, name in enumerate(self.groups.names):
            ids = self.groups.ids(name)
            if values.ndim == 1 or values.shape[1] == 1:
                own = values.reshape(len(values), -1)[ids, 0]
            else:
                own = values[ids, place] if name in self.groups.polar else values[ids].mean(1)
            if len(own):
                quartiles = np.percentile(own, (25, 50, 75))
                share = float((own > 0).mean())
                self._add_row(quantity, name, len(own), float(own.mean()), *quartiles, share)

    def _add_dots(self, quantity: str, table: Floats) -> None:
        """Mean dot product of two different tokens, one of each group."""
        rows = {name: table[self.groups.ids(name)] for name in self.groups.names}
        for one, other in combinations_with_replacement(self.groups.names, 2):
            left, right = rows[one], rows[other]
            pairs = len(left) * len(right) if one != other else len(left) * (len(left) - 1)
            if pairs:
                total = left.sum(0) @ right.sum(0) - (0 if one != other else (left**2).sum())
                self._add_value(quantity, float(total / pairs), f"{one}-{other}", pairs)

    def _add_value(self, quantity: str, value: float, group: str = "", n: int = 1) -> None:
        self._add_row(quantity, group, n, value, value, value, value, float(value > 0))

    def _add_row(self, quantity: str, group: str, n: int, mean: float, *rest: float) -> None:
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
