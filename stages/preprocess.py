"""preprocess: the text of every data set to tokens, splits and vocabulary in data/corpora."""

from stages.engine import jobs as store
from stages.engine.preprocess_jobs import jobs_of, write_corpus
from stages.engine.selection import selection_of_corpora
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.params import load


def main() -> None:
    """Prepare the data sets that are not in the job store and link all of them."""
    settings = load()
    chosen = selection_of_corpora(__doc__, settings.corpora)
    jobs = jobs_of(settings, chosen.groups)
    store.run_jobs(write_corpus, jobs, "preprocess", settings)
    store.link_datasets(jobs, paths.CORPORA, chosen.whole)
    if chosen.whole:
        store.note_use("preprocess", settings, jobs)


if __name__ == "__main__":
    stage(main)
