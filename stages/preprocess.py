"""preprocess: the text of every data set to tokens, splits and vocabulary in data/corpora."""

from stages.engine.jobs import run_corpora
from stages.engine.preprocess_jobs import job_of, write_corpus
from stages.settings import paths
from stages.settings.errors import stage

if __name__ == "__main__":
    stage(lambda: run_corpora(write_corpus, job_of, "preprocess", __doc__, paths.CORPORA))
