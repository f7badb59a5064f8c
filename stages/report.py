"""report: tables, figures and verdicts in reports/ to a site that opens from the disk."""

from stages.settings.errors import stage
from stages.settings.params import load
from stages.site.writing import write


def main() -> None:
    """Write every page."""
    write(load())


if __name__ == "__main__":
    stage(main)
