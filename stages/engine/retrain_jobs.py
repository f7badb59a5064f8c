"""The retraining jobs of a study: which adversaries are trained against which runs."""

from collections.abc import Iterator
from dataclasses import replace

from stages.corpora import corpus as storage
from stages.engine.adversaries import BaseAttention, Opposition
from stages.engine.code import STAGES
from stages.engine.cost import SCORED, SETUP, STEP, Cost, Sizes, estimated, sizes_of
from stages.engine.jobs import Job
from stages.engine.trained import TrainedRun, trained_runs
from stages.engine.training_jobs import labels, model_files
from stages.settings.analyses import DocumentBudget, Opponents, Procedure, RetrainBudget
from stages.settings.errors import UserError
from stages.settings.params import Settings
from stages.settings.runs import Run, model_runs
from stages.settings.studies import Training

CODE = STAGES / "engine" / "adversaries.py"
WITHOUT_CONTEXT = ("none", "affine", "average")


def jobs_of(settings: Settings, study: str, group: str) -> list[Job]:
    """All adversaries against a study's runs on a data set or group, and every base's attention."""
    ordered = sorted(oppositions(settings, study, group), key=lambda job: _context_free(job.first))
    jobs = [job_of(opposition) for opposition in ordered]  # also the order of the tables' rows
    for base in bases_of(settings, study, group):
        source = settings.catalogue.datasets[base.run.dataset].source
        payload = BaseAttention(base, source.filler if source.reader == "mock" else None)
        name = " ".join(("retrain", *base.names, "base"))
        files = (*storage.files(base.corpus_folder), base.folder)
        code = (CODE, *model_files(base.run.settings))
        jobs.append(Job(name, payload, files, code, labels("retrain base", base.run)))
    return jobs


def bases_of(settings: Settings, study: str, group: str) -> list[TrainedRun]:
    """The trained runs that adversaries are trained against."""
    models = settings.analyses.retrain.studies[study][group].models
    bases = []
    for base in trained_runs(settings, study, group, DocumentBudget()):
        run, budget = base.run, _budget(settings, base, "")
        if models and run.model not in models:
            continue
        if run.settings.architecture == "hierarchical":
            raise UserError(f"retrain: {run.model} is hierarchical; allowed: flat models")
        if settings.catalogue.datasets[run.dataset].is_pair:
            raise UserError(f"retrain: {run.dataset} holds pairs; allowed: texts to classify")
        if run.seed <= (budget.bases or run.seed):
            bounds = DocumentBudget(instances=budget.instances, tokens=budget.tokens)
            bases.append(replace(base, budget=bounds))
    return bases


def _budget(settings: Settings, base: TrainedRun, procedure: str) -> RetrainBudget:
    return settings.budget.retrain.of(
        dataset=(base.run.dataset, base.run.group), model=(base.run.model,), procedure=(procedure,)
    )


def _context_free(base: TrainedRun) -> bool:
    """Whether adversaries are trained in seconds, so that one job trains all of a model."""
    model = base.run.settings
    return model.encoder.kind in WITHOUT_CONTEXT and model.projection.kind == "softmax"


def oppositions(settings: Settings, study: str, group: str) -> Iterator[Opposition]:
    """The adversaries to train, job by job."""
    retrain = settings.analyses.retrain
    opponents = retrain.studies[study][group]
    options = retrain.model_copy(update={"studies": {}, "procedures": {}})
    bases = bases_of(settings, study, group)
    for name in opponents.procedures:
        procedure = retrain.procedures[name]
        opposed = procedure.models
        procedure = procedure.model_copy(update={"models": ()})
        sets: dict[tuple[str, str, float | None], list[TrainedRun]] = {}
        for base in bases:
            if not opposed or base.run.model in opposed:
                key = (base.run.dataset, base.run.model, base.run.value)
                sets.setdefault(key, []).append(base)
        for some in sets.values():
            budget = _budget(settings, some[0], name)
            chosen = [base for base in some if base.run.seed <= (budget.bases or base.run.seed)]
            pairs = [(base, k) for base in chosen for k in range(1, budget.adversaries + 1)]
            apart = opponents.guided is not None or not _context_free(some[0])
            stacks = [(pair,) for pair in pairs] if apart else [tuple(pairs)]
            for strength in procedure.strengths or (None,):
                for stack in stacks:
                    yield Opposition(
                        stack,
                        name,
                        procedure,
                        strength,
                        _training(some[0].run.training, procedure, budget),
                        budget.documents,
                        options,
                        _guided(settings, opponents, stack, name),
                    )


def _training(base: Training, procedure: Procedure, budget: RetrainBudget) -> Training:
    """As the base was trained, for as long and as fast as procedure and scale say."""
    return base.model_copy(
        update={
            "epochs": min(filter(None, (procedure.epochs, budget.epochs))),
            "learning_rate": budget.learning_rate or procedure.learning_rate,
            "batch": budget.batch or base.batch,
        }
    )


def _guided(
    settings: Settings,
    opponents: Opponents,
    pairs: tuple[tuple[TrainedRun, int], ...],
    procedure: str,
) -> Run | None:
    """The model that the first adversary of a base, by the first procedure, guides, if any."""
    base, number = pairs[0]
    if opponents.guided is None or number > 1 or procedure != opponents.procedures[0]:
        return None
    run = base.run
    return model_runs(settings, run.study, run.group, run.dataset, opponents.guided)[0]


def retraining_cost(job: Opposition, sizes: Sizes) -> Cost:
    """The cost of training adversaries against runs of one model on one data set."""
    run, budget, runs = job.first.run, job.first.budget, len(job.pairs)
    train = sizes["train"].tokens(run.tokens, job.documents)
    scored = sum(sizes[split].tokens(budget.tokens, budget.instances) for split in ("dev", "test"))
    tokens = runs * job.training.epochs * (train + SCORED * scored)
    if runs == 1:
        cost = estimated(tokens, run.settings)
        if job.guided is None:
            return cost
        read = 2 * job.guided.training.epochs * sizes["train"].tokens(job.guided.tokens)
        return Cost(tokens, cost.seconds + estimated(read, job.guided.settings).seconds)
    # stacked adversaries: every step updates the vectors of all words
    steps = runs * job.training.epochs * train / sizes["train"].length / job.training.batch
    return Cost(tokens, SETUP + STEP * steps)


def job_of(opposition: Opposition) -> Job:
    """The job of some adversaries."""
    first, guided = opposition.first, opposition.guided
    folders = dict.fromkeys(base.folder for base, _ in opposition.pairs)
    vectors = first.corpus_folder / "vectors.npz"
    models = [first.run.settings, *([guided.settings] if guided else [])]
    code = [CODE, *(file for model in models for file in model_files(model))]
    names = (*first.names, opposition.name, str(opposition.strength or ""))
    return Job(
        " ".join(("retrain", *names)).strip(),
        opposition,
        (*storage.files(first.corpus_folder), vectors, *folders),
        tuple(dict.fromkeys(code)),
        labels("retrain", first.run, len(opposition.pairs)),
        retraining_cost(opposition, sizes_of(first.corpus_folder)).seconds,
    )
