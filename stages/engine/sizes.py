"""How large the data sets are in whole, from a sample: for the plan of a run not yet made.

Every document is read, assigned to its split and counted; lengths are those of a few hundred that
are cleaned as preprocess would clean them.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from stages.corpora.generated import babi
from stages.corpora.prepare import labelled, splits_of
from stages.corpora.readers import read
from stages.corpora.selection import Limits, select
from stages.corpora.splitting import SPLITS
from stages.settings.datasets import Dataset
from stages.settings.params import Settings
from stages.settings.seeds import generator

SAMPLE = 200  # documents of a split that are cleaned


def counted(settings: Settings) -> pd.DataFrame:
    """Documents and tokens of every split of every prepared data set: dataset, split, ..."""
    rows = []
    for family, corpus in tqdm(settings.corpora.items(), desc="data sets", disable=None):
        if not Path(corpus.text).exists():
            continue  # not fetched, or not there
        for name, dataset in settings.members(family).items():
            for split, documents, tokens in whole(settings, name, dataset, Path(corpus.text)):
                rows.append(
                    {"dataset": name, "split": split, "documents": documents, "tokens": tokens}
                )
    return pd.DataFrame(rows)


def whole(
    settings: Settings, name: str, dataset: Dataset, text: Path
) -> list[tuple[str, int, int]]:
    """Documents and tokens of each split under the data set's own bounds."""
    removed: Counter[str] = Counter()
    examples = read(text, dataset.source, generator(settings.seed, name, "examples"))
    words = babi.vocabulary() if dataset.source.reader == "babi-simulator" else ()
    data = labelled(examples, dataset, removed, words)
    draw = generator(settings.seed, name, "plan")
    splits = splits_of(data, dataset, draw, removed)
    bounds = Limits(dataset.min_length, dataset.max_length, None, None, None)
    found = []
    for split in SPLITS:
        rows = np.flatnonzero(splits == split)
        sample = draw.permutation(rows)[:SAMPLE]
        kept = select(
            data.examples, data.labels.tolist(), sample.tolist(), dataset, bounds, removed
        )
        documents = round(len(rows) * len(kept) / max(len(sample), 1))
        length = np.mean([document.cost for document in kept]) if kept else 0
        found.append((split, documents, round(documents * length)))
    return found
