"""embed: the word vectors of every data set in data/vectors."""

from stages.engine import jobs as store
from stages.engine.embed_jobs import jobs_of, write_vectors
from stages.engine.selection import selection_of_corpora
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.params import load


def main() -> None:
    """Make the vectors that are not in the job store and link all of them."""
    settings = load()
    chosen = selection_of_corpora(__doc__, settings.corpora)
    jobs = jobs_of(settings, chosen.groups)
    store.run_jobs(write_vectors, jobs, "embed", settings)
    store.link_datasets(jobs, paths.VECTORS, chosen.whole)
    if chosen.whole:
        store.note_use("embed", settings, jobs)


if __name__ == "__main__":
    stage(main)
