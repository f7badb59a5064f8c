"""The committed reports: no claim is decided by a run that may not decide."""

import json

import pandas as pd
import pytest

from stages.papers.shared.names import PAPERS
from stages.papers.shared.rules import read_claims
from tests.fixtures.project import ROOT
from tests.papers.common import VERDICTS


@pytest.mark.parametrize("paper", PAPERS)
def test_no_row_rests_on_a_run_that_may_not_decide(paper):
    folder = ROOT / "reports/laptop" / paper
    gate = pd.read_csv(folder / "tables/gate.csv", keep_default_na=False)
    value = gate["value"].map(lambda text: f"@{float(text):g}" if text else "")
    gate["name"] = gate["dataset"] + " " + gate["model"] + value
    usable = gate[gate["reason"] == ""].groupby("name").size().to_dict()
    checked = 0
    claims = read_claims(ROOT / "stages/papers" / paper.replace("-", "_") / "claims.yaml")
    for record in json.loads((folder / "claims.json").read_text(encoding="utf-8")):
        assert record["verdict"] in VERDICTS
        assert (record["verdict"] == "not run") == (not record["rows"])
        if claims[record["id"]].runs == "gated":  # about accuracy itself
            continue
        for row in record["rows"]:
            name = " ".join(row["row"].split()[:2])
            if name in set(gate["name"]):
                assert name in usable, f"{record['id']}: {row['row']}"
                checked += 1
    assert checked
