"""Whose attention guides a model without context best (Wiegreffe & Pinter 2019, section 3.4).

An MLP is trained twice under frozen weights: those of a trained model, and those of the adversary
that was trained against it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Reader
from stages.corpora.budget import training_rows
from stages.counterfactual.retrained import answers
from stages.engine.grid import Subject
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.metrics import predicted
from stages.nn.prediction import predict
from stages.nn.training import fit
from stages.settings.seeds import entropy, generator
from stages.settings.studies import Model, Training


@dataclass(frozen=True)
class Lesson:
    """The model with frozen attention, how it is trained and on how many tokens."""

    model: Model
    training: Training
    tokens: int | None


def taught(
    lesson: Lesson,
    subject: Subject,
    base: AttentionModel,
    adversary: AttentionModel,
    vectors: Path,
) -> pd.DataFrame:
    """Test predictions under either's weights, same start and same batches."""
    corpus = subject.known()
    rows = training_rows(corpus, lesson.tokens, subject.seed, subject.study)
    kept = {"train": rows, "dev": None, "test": None}
    found = []
    for name, teacher in (("base", base), ("adversary", adversary)):
        readers = {
            split: Reader(corpus, split, subject.add_boundary_tokens, r)
            for split, r in kept.items()
        }
        for reader in readers.values():
            reader.weights = answers(teacher, reader).weights
        names = (subject.study, subject.dataset, subject.cell.name, "taught")
        torch.manual_seed(entropy(subject.seed, *names))
        with np.load(vectors, allow_pickle=False) as arrays:
            pupil = build(lesson.model, arrays["vectors"], len(corpus.labels), False)
        draw = generator(subject.seed, *names, "batches")
        fit(" ".join(names), [pupil], readers["train"], readers["dev"], lesson.training, draw)
        said = predict(pupil, readers["test"])
        found.append(
            pd.DataFrame(
                {
                    "weights_of": name,
                    "instance": readers["test"].rows,
                    "label": readers["test"].labels,
                    "predicted": predicted(said),
                }
            )
        )
    table = pd.concat(found, ignore_index=True)
    for place, (column, value) in enumerate(subject.about.items()):
        table.insert(place, column, value)
    return table
