"""The twelve data sets of the paper in the order of its Figures 3-5, and ours for each."""

from pathlib import Path

from stages.settings.reading import read_yaml

NAMES = read_yaml(Path(__file__).with_name("panels.yaml"))
PANELS, TASKS, REASONS = (NAMES[key] for key in ("panels", "tasks", "absent"))
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}
OWN = {names[0] for names in PANELS.values()}  # data sets with the paper's own texts
ENCODERS = {"bilstm": "BiLSTM", "cnn": "CNN", "average": "Average"}
ATTENTIONS = {"additive": "additive", "dot": "scaled dot"}
