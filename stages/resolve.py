"""resolve: params.yaml, checked as a whole, and what every stage is made of in data/made-of/."""

from stages.settings import paths
from stages.settings.code import code_of
from stages.settings.errors import stage
from stages.settings.files import replacing, write_json
from stages.settings.params import load
from stages.settings.resolved import resolved


def main() -> None:
    """One small file for each stage: its settings and the digests of its code."""
    with replacing(paths.MADE_OF) as folder:
        for name, values in resolved(load()).items():
            file = folder / f"{name}.json"
            file.parent.mkdir(exist_ok=True)
            made_of = {"settings": values, "code": code_of(name.split("/")[0])}
            write_json(file, made_of)


if __name__ == "__main__":
    stage(main)
