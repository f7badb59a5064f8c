"""The four data sets and six architectures of the paper, in its order, and what runs for each."""

from pathlib import Path

from stages.settings.reading import read_yaml

NAMES = read_yaml(Path(__file__).with_name("panels.yaml"))
PANELS, MODELS, RANKINGS = (NAMES[key] for key in ("panels", "models", "rankings"))
