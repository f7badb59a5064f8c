"""The repository's own params.yaml and data/catalogue.yaml; no other test reads these two files."""

from pathlib import Path

import pytest

from stages.corpora.data_table import markdown
from stages.settings.catalogue import load_catalogue
from stages.settings.params import Settings, parse
from stages.settings.reading import read_yaml
from stages.settings.runs import runs_of
from stages.settings.studies import Study

ROOT = Path(__file__).parents[2]
PARAMS = ROOT / "params.yaml"
CATALOGUE = load_catalogue(ROOT / "data/catalogue.yaml")
RAW = read_yaml(PARAMS)
SCALES = ("smoke", "laptop", "overnight", "paper")


def settings_at(scale: str) -> Settings:
    return parse(RAW | {"scale": scale}, "params.yaml", CATALOGUE)


def test_the_file_reads_like_a_document():
    assert PARAMS.stat().st_size <= 25 * 1024
    order = ("scale", "seed", "engine", "archives", "corpora", "studies", "analyses", "scales")
    sections = list(RAW)
    assert [sections.index(name) for name in order] == sorted(map(sections.index, order))
    assert tuple(RAW["scales"]) == SCALES


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_resolves_to_runs(scale):
    settings = settings_at(scale)
    for name, study in settings.studies.items():
        for group in study.datasets:
            runs = runs_of(settings, name, group)
            folders = {(run.dataset, run.name) for run in runs}
            assert len(folders) == len(runs) > 0
            assert {run.dataset for run in runs} == set(settings.members(group))
            bases = {run.settings.weights_of for run in runs} - {None}
            assert all((run.dataset, f"{base}+1") in folders for run in runs for base in bases)


def _pairs(settings: Settings, study: Study) -> list[tuple[tuple[str, str], str]]:
    return [
        ((dataset, group), model)
        for group in study.datasets
        for dataset in settings.members(group)
        for model in study.entries
        if study.trained_on(model, dataset, group)
    ]


def test_every_override_matches_something():
    settings = settings_at("laptop")
    for name, study in settings.studies.items():
        budgets = [scale.train_base[name].overrides for scale in settings.scales.values()]
        for override in (*study.overrides, *(one for some in budgets for one in some)):
            assert any(
                override.matches(dataset=datasets, model=(model,))
                for datasets, model in _pairs(settings, study)
            ), override
    retrain = settings.analyses.retrain
    for override in settings.scales["laptop"].retrain.overrides:
        assert any(
            override.matches(dataset=datasets, model=(model,), procedure=(procedure,))
            for name in retrain.studies
            for datasets, model in _pairs(settings, settings.studies[name])
            for procedure in retrain.procedures
        ), override


def test_everything_that_is_listed_can_be_prepared():
    settings = settings_at("laptop")
    for group, kind in settings.corpora.items():
        for name, dataset in settings.members(group).items():
            assert dataset.archive in (None, *settings.archives), name
        file = getattr(settings.embed.kinds[kind], "file", None)
        assert file is None or Path(file).parent.name in settings.archives
    assert sum(map(len, CATALOGUE.groups.values())) == len(CATALOGUE.datasets)


def test_the_table_of_data_sets_is_up_to_date():
    table = markdown(CATALOGUE, settings_at("laptop").corpora)
    assert table in (ROOT / "data/README.md").read_text(encoding="utf-8")
