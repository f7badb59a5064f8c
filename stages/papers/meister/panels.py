"""The paper's data sets and models, in its order, and what runs for each."""

from pathlib import Path

from stages.settings.reading import read_yaml

NAMES = read_yaml(Path(__file__).with_name("panels.yaml"))
PANELS, ENCODERS, MODELS, BAG, OURS = (
    NAMES[key] for key in ("panels", "encoders", "models", "bag", "ours")
)
