"""polarity: polarity and attention scores of every token of a group (Sun & Lu)."""

import pandas as pd

from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.importance.polarity_tables import dot_table, run_table, token_table
from stages.importance.token_groups import class_counts, token_groups
from stages.settings.errors import UserError, stage
from stages.settings.params import load


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    rule = load().studies[subject.study].groups
    if rule is None:
        raise UserError(
            f"studies.{subject.study} has no key groups, which says what tokens to score"
        )
    model, test = subject.opened()
    train, corpus = subject.trained_on(), subject.known()
    counts = class_counts(train, corpus.vocabulary_size)
    groups = token_groups(counts, corpus.labels, corpus.words, rule)
    return {
        "tokens": token_table(model, train, test, corpus, groups),
        "runs": run_table(model, test, corpus, groups),
        "dots": dot_table(model, groups, subject.seed_of("dots")(0)),
    }


def main() -> None:
    """All models of a study."""
    put_through(tried, "polarity", arguments(__doc__), replicas=True)


if __name__ == "__main__":
    stage(main)
