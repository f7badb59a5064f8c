"""The table in data/README.md is that of the catalogue."""

from pathlib import Path

from stages.corpora.data_table import markdown
from stages.settings.catalogue import load_catalogue
from stages.settings.params import load

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue(ROOT / "data/catalogue.yaml")


def test_the_table_is_up_to_date():
    table = markdown(CATALOGUE, load(ROOT / "params.yaml").corpora)
    assert table in (ROOT / "data/README.md").read_text(encoding="utf-8")


def test_one_row_per_entry_and_used_ones_in_bold():
    rows = markdown(CATALOGUE, ["imdb"]).splitlines()[2:]
    names = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert [name.strip("*") for name in names] == list(CATALOGUE.groups)
    assert [name for name in names if name.startswith("**")] == ["**imdb**"]
    assert all(row.count(" | ") == 5 for row in rows)
    (diabetes,) = [row for row in rows if row.startswith("| diabetes |")]
    assert diabetes.split(" | ")[1] == "local, private"
