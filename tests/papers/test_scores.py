import math
import re

import pandas as pd

from stages.papers.shared.scores import PUBLISHED, score_table


def about(name, accuracy, dataset="rotten-tomatoes", value=None, study="sun-lu"):
    test = {"n": 10, "accuracy": accuracy, "f1": 0.5, "roc_auc": 0.6}
    test |= {"per_class": [4, 6], "predicted_per_class": [5, 5]}
    return {
        "study": study,
        "dataset": dataset,
        "run": name,
        "name": re.split("[@+]", name)[0],
        "value": value,
        "seed": int(name[-1]),
        "best_epoch": 2,
        "train_documents": 7,
        "selected_on": "dev",
        "scores": {"test": test},
    }


def test_seeds_are_averaged_beside_the_published_score():
    models = [
        about("dp@10+1", 0.80, value=10.0),
        about("dp@10+2", 0.84, value=10.0),
        about("dp@0.001+1", 0.5, value=0.001),
    ]
    table = score_table(models, {"rotten-tomatoes": "SST (stand-in)"})
    ten, tiny = table.to_dict("records")
    assert (ten["seeds"], ten["accuracy"], ten["accuracy_sd"]) == (2, 0.82, 0.02)
    # Sun & Lu 2020, Table 2, SST: DP at 10 has 82.2, at 0.001 55.3
    assert (ten["published"], round(ten["difference"], 3)) == (0.822, -0.002)
    assert (tiny["published"], round(tiny["difference"], 3)) == (0.553, -0.053)
    assert ten["per_class"] == "4/6"
    assert ten["stands_for"] == "SST (stand-in)"
    assert ten["selected_on"] == "dev"


def test_f1_is_compared_with_f1():
    table = score_table([about("bilstm-additive+1", 0.9, study="jain-wallace")], {})
    # Jain & Wallace 2019, Table 1, SST: 0.81
    assert table.loc[0, "metric"] == "f1"
    assert math.isclose(table.loc[0, "difference"], 0.5 - 0.81)


def test_a_model_without_a_published_score_has_no_difference():
    table = score_table([about("cnn-dot+1", 0.9, study="jain-wallace")], {})
    assert math.isnan(table.loc[0, "published"])
    assert math.isnan(table.loc[0, "difference"])


def test_published_scores_are_shares():
    published = pd.read_csv(PUBLISHED)
    assert len(published) == 169
    assert published["published"].between(0.15, 1).all()
    assert set(published["metric"]) == {"f1", "accuracy"}
