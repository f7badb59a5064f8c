"""train_base: every run of one study in models/."""

from stages.engine import jobs as store
from stages.engine.selection import selection
from stages.engine.training import train
from stages.engine.training_jobs import corpus_and_vectors, jobs_of
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.files import remove_others, replacing
from stages.settings.params import load


def main() -> None:
    """Train the runs that are not in the job store and link all of them into models/.

    The corpus is linked beside them, so that a folder of models is complete: analyses read no more.
    """
    settings = load()
    chosen = selection(__doc__, lambda study: settings.study(study).datasets)
    jobs = jobs_of(settings, chosen.study, chosen.groups)
    independent = [job for job in jobs if not job.payload.base]
    store.run_jobs(train, independent, f"train_base {chosen.study}", settings)
    frozen = [job for job in jobs if job.payload.base]
    store.run_jobs(train, frozen, f"train_base {chosen.study}, frozen attention", settings)
    datasets = [name for group in chosen.groups for name in settings.members(group)]
    for dataset in datasets:
        with replacing(paths.models(chosen.study, dataset)) as folder:
            for job in jobs:
                if job.payload.first.dataset == dataset:
                    store.link(job, folder)
            for file in corpus_and_vectors(dataset):
                store.link_file(file, folder / "corpus" / file.name)
    if chosen.whole:
        remove_others(paths.MODELS / chosen.study, datasets)
        store.note_use(f"train_base-{chosen.study}", settings, jobs)


if __name__ == "__main__":
    stage(main)
