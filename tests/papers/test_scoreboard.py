"""The verdicts in the README are those of the committed reports."""

import json
from pathlib import Path

import pandas as pd

from stages.papers import scoreboard

ROOT = Path(__file__).parents[2]


def test_the_readme_has_the_verdicts_of_the_reports():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert scoreboard.START in text
    assert scoreboard.rewritten(text, ROOT / "reports") == text


def scores(paper):
    return pd.read_csv(ROOT / "reports" / paper / "tables/scores.csv")


def test_scores_in_its_prose_are_those_of_the_tables():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    table = scores("jain-wallace")
    bilstm = table[table["model"] == "bilstm-additive"].set_index("dataset")["accuracy"]
    titles = {
        "rotten-tomatoes": "Rotten Tomatoes",
        "imdb": "IMDB",
        "newsgroups-sports": "the newsgroups",
        "bbc": "BBC",
        "babi-1": "bAbI 1",
    }
    for dataset, title in titles.items():
        assert f"{bilstm[dataset]:.2f} on {title}" in text
    yahoo = scores("serrano-smith").query("dataset == 'yahoo-answers'")
    low, high = yahoo["accuracy"].min(), yahoo["accuracy"].max()
    documents = int(yahoo["train_documents"].iloc[0])
    assert f"(Yahoo {low:.2f} to {high:.2f} on {documents:,} training documents)" in text


def test_a_section_counts_and_lists(tmp_path):
    entry = {
        "id": "JW1",
        "statement": "a | b",
        "where": "x",
        "statistic": "y",
        "published": "z",
        "ours": 0.25,
        "low": 0.1,
        "high": 0.4,
        "n": 12,
        "verdict": "holds",
        "reason": "r",
    }
    missing = entry | {
        "id": "JW2",
        "ours": None,
        "low": None,
        "high": None,
        "n": 0,
        "verdict": "not run",
    }
    (tmp_path / "jain-wallace").mkdir()
    (tmp_path / "jain-wallace" / "claims.json").write_text(json.dumps([entry, missing]))
    block = scoreboard.block(tmp_path)
    assert "1 holds, 1 not run" in block
    assert "| JW1: a \\| b | 0.25 (0.10 to 0.40) | 12 | holds |" in block
    assert "| JW2: a \\| b |  |  | not run |" in block
    assert "Meister" not in block  # has no report there
    text = f"before {scoreboard.START} old {scoreboard.END} after"
    assert scoreboard.rewritten(text, tmp_path) == f"before {block} after"
