"""The table of data sets in data/README.md, here of the fixture's catalogue."""

from stages.corpora.data_table import markdown
from tests.fixtures.project import catalogue_of


def test_one_row_per_entry_and_used_ones_in_bold():
    catalogue = catalogue_of()
    rows = markdown(catalogue, ["imdb"]).splitlines()[2:]
    names = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert [name.strip("*") for name in names] == list(catalogue.groups)
    assert [name for name in names if name.startswith("**")] == ["**imdb**"]
    assert all(row.count(" | ") == 5 for row in rows)
    (tickets,) = [row for row in rows if row.startswith("| tickets |")]
    assert tickets.split(" | ")[1] == "local, private"
