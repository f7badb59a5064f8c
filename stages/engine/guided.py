"""Whose attention guides a model without context best (Wiegreffe & Pinter 2019, section 3.4).

An MLP is trained twice under frozen weights: those of a trained run, and those of the adversary
that was trained against it.
"""

import pandas as pd
import torch

from stages.corpora.batching import Reader
from stages.corpora.budget import training_rows
from stages.engine.trained import TrainedRun
from stages.engine.training import pretrained_vectors
from stages.nn.attention import AttentionModel
from stages.nn.build import build
from stages.nn.metrics import predicted
from stages.nn.prediction import answers, predict
from stages.nn.training import fit
from stages.settings.runs import Run
from stages.settings.seeds import entropy, generator


def guided_predictions(
    guided: Run, base_run: TrainedRun, base: AttentionModel, adversary: AttentionModel
) -> pd.DataFrame:
    """Test predictions under the weights of either, from the same start and batches."""
    corpus = base_run.corpus
    rows = training_rows(corpus, guided.tokens, base_run.seed, base_run.run.study)
    splits = {"train": rows, "dev": None, "test": None}
    edges, vectors = base_run.add_boundary_tokens, base_run.corpus_folder
    tables = []
    for name, source in (("base", base), ("adversary", adversary)):
        readers = {split: Reader(corpus, split, edges, some) for split, some in splits.items()}
        for reader in readers.values():
            reader.weights = answers(source, reader).weights
        names = (*base_run.names, "taught")  # seeds the draws: a new word would change results
        torch.manual_seed(entropy(base_run.seed, *names))
        table = pretrained_vectors(vectors, corpus)
        model = build(guided.settings, table, len(corpus.labels), False)
        draw = generator(base_run.seed, *names, "batches")
        fit(" ".join(names), model, readers["train"], readers["dev"], guided.training, draw)
        test = readers["test"]
        columns = {
            "weights_of": name,
            "instance": test.rows,
            "label": test.labels,
            "predicted": predicted(predict(model, test)),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)
