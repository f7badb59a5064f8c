"""report: tables, figures and verdicts in reports/ to a site that opens from the disk."""

from stages.settings.errors import stage
from stages.settings.params import load
from stages.site.writing import write

if __name__ == "__main__":
    stage(lambda: write(load()))
