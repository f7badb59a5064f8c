"""embed: the word vectors of every data set in data/vectors."""

from stages.engine.embed_jobs import job_of, write_vectors
from stages.engine.jobs import run_corpora
from stages.settings import paths
from stages.settings.errors import stage

if __name__ == "__main__":
    stage(lambda: run_corpora(write_vectors, job_of, "embed", __doc__, paths.VECTORS))
