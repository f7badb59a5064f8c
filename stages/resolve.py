"""resolve: params.yaml, checked as a whole, and what single stages get of it in data/settings/."""

from stages.settings import paths
from stages.settings.files import replacing, write_json
from stages.settings.params import load
from stages.settings.refusal import stage
from stages.settings.resolved import resolved


def main() -> None:
    """One small file for each stage."""
    with replacing(paths.SETTINGS) as folder:
        for name, values in resolved(load()).items():
            file = folder / f"{name}.json"
            file.parent.mkdir(exist_ok=True)
            write_json(file, values)


if __name__ == "__main__":
    stage(main)
