"""polarity: polarity and attention scores of every token of a group (Sun & Lu)."""

from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.importance.polarity_tables import document_table, dot_table, run_table, token_table
from stages.importance.token_groups import class_counts, token_groups
from stages.settings.errors import UserError, stage
from stages.settings.params import Settings
from stages.settings.studies import TokenGroups


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run."""
    model, test = run.load()
    train, corpus = run.training_reader(), run.corpus
    counts = class_counts(train, corpus.vocabulary_size)
    groups = token_groups(counts, corpus.labels, corpus.words, options.extra)
    documents = document_table(model, test)
    return {
        "instances": documents[["instance", "correct", "entropy"]],
        "tokens": token_table(model, train, test, corpus, groups),
        "runs": run_table(model, documents, corpus, groups),
        "dots": dot_table(model, groups, run.seed_of("dots")(0)),
    }


def groups_of(settings: Settings, study: str) -> TokenGroups:
    """The study's rule for token groups."""
    groups = settings.studies[study].groups
    if groups is None:
        raise UserError(f"studies.{study} has no key groups, which defines the tokens to score")
    return groups


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "polarity", __doc__, replicas=True, extra=groups_of))
