"""Words on backgrounds as dark as their weights; private words are never shown."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from stages.papers.jain_wallace import examples, report
from stages.papers.shared import reading
from stages.papers.shared.strips import WIDTH, Strip, draw_strips
from stages.papers.shared.style import save_svg
from stages.papers.shared.writing import write_figures
from tests.nn import toy
from tests.papers import jain_wallace_results as synthetic
from tests.papers.common import files


def drawn(*strips):
    """Words with their places, and their backgrounds in the same order."""
    axis = draw_strips(list(strips)).axes[0]
    words = {text.get_text(): text.get_position() for text in axis.texts}
    return words, axis.patches, axis


def test_a_word_is_darker_the_more_weight_it_has():
    backgrounds = drawn(Strip("c", ["none", "some", "most"], np.array([0.0, 0.2, 0.4])))[1]
    colours = [to_rgb(patch.get_facecolor()) for patch in backgrounds]
    lightness = [(max(colour) + min(colour)) / 2 for colour in colours]
    assert lightness == pytest.approx([0.75, 0.5])  # the first word has no background
    assert np.argmax(colours[1]) == 2  # hue 202 is a blue
    assert [patch.get_x() for patch in backgrounds] == pytest.approx([4.8, 9.8])


def test_words_without_any_weight_stay_white():
    assert not drawn(Strip("c", ["a", "b"], np.zeros(2)))[1]


def test_words_go_on_to_the_next_line_where_the_first_is_full():
    half = WIDTH // 2 - 1  # two such words and a blank after each fill a line
    words = ["a" * half, "b" * half, "c", "d" * (WIDTH + 5), "e"]
    places, boxes, axis = drawn(Strip("caption", words, np.ones(5)))
    written_lines = [f"{words[0]} {words[1]}", *words[2:]]
    lines = [places[line][1] - places["caption"][1] for line in written_lines]
    assert lines == pytest.approx([1, 2, 3, 4])
    assert [box.get_x() + 0.2 for box in boxes] == pytest.approx([0, half + 1, 0, 0, 0])
    assert max(place[1] for place in places.values()) < axis.get_ylim()[0]  # upside down


def test_strips_stand_under_one_another_without_touching():
    one = Strip("first", ["up"], np.ones(1), "heading")
    places = drawn(one, Strip("second", ["down"], np.ones(1)))[0]
    order = ["heading", "first", "up", "second", "down"]
    tops = [places[name][1] for name in order]
    assert np.diff(tops).min() >= 0.9
    assert list(places) == order


def test_strips_are_the_same_bytes_twice(tmp_path):
    for name in ("one.svg", "two.svg"):
        strip = Strip("caption", ["good", "$$", "film"], np.array([0.3, 0.1, 0.6]))
        save_svg(draw_strips([strip]), tmp_path / name)  # money is a word and no formula
    one, two = files(tmp_path).values()
    assert one == two
    assert b"film" in one


def weights(dataset, documents=(0, 1, 2), encoder="bilstm"):
    """Three words per document; the adversary has most weight on the last one."""
    rows = [
        {"instance": row, "position": place, "original": 0.9 if place == 0 else 0.05}
        | {f"adversary_{k}": 0.8 if place == 2 else 0.1 / k for k in (1, 2)}
        for row in documents
        for place in range(3)
    ]
    return pd.DataFrame(rows).assign(**synthetic.about(dataset, encoder))


def instances(dataset, encoder="bilstm", **columns):
    defaults = {"length": [71, 5, 5], "candidate": 2, "other_top_token": True}
    run = synthetic.about(dataset, encoder)
    return synthetic.adversaries([0.6, 0.2, 0.4], run, 0.01, **(defaults | columns))


def test_the_example_is_short_then_sure_then_has_another_top_word_then_moved_farthest():
    def chosen(**columns):
        return examples.chosen(instances("imdb", **columns), "imdb", 0.01)["instance"]

    assert chosen() == 2
    assert chosen(length=5) == 0
    assert chosen(length=[71, 5, 3]) == 1  # three words are too few to show
    assert chosen(probability=[0.9, 0.9, 0.55]) == 1
    assert chosen(other_top_token=[True, True, False]) == 1
    assert chosen(feasible=[True, True, False]) == 1
    assert examples.chosen(instances("imdb", feasible=False), "imdb", 0.01) is None
    assert examples.chosen(instances("imdb"), "imdb", 0.05) is None


def written(folder, words, *datasets, kept=None):
    chosen = pd.concat(instances(name) for name in datasets)
    if kept is None:
        kept = pd.concat(weights(name) for name in datasets)
    tables = {
        "taus": [synthetic.taus([0.1, 0.2, 0.29], synthetic.about(name)) for name in datasets],
        "shuffled": [synthetic.shuffled([0, 0, 0.006], synthetic.about(name)) for name in datasets],
    }
    results = synthetic.results(adversaries=chosen, **tables)
    write_figures(report.example_drawings(results, kept, words), folder, 5, None)
    return {path.name: path.read_text() for path in folder.iterdir()}


def words_of(dataset, documents):
    places = range(3)
    asked = f"why {dataset}?"
    return {row: ([f"{dataset}-{row}-{place}" for place in places], asked) for row in documents}


def test_examples_show_both_attentions_of_the_chosen_document(tmp_path):
    contents = written(tmp_path, words_of, "rotten-tomatoes", "imdb")
    assert set(contents) == {"figure-1.svg", "figure-1.csv", "appendix-d.svg", "appendix-d.csv"}
    assert "imdb-2-0" in contents["figure-1.svg"]
    assert "asked: why imdb?" in contents["figure-1.svg"]
    assert "rotten-tomatoes-2-0" not in contents["figure-1.svg"]
    assert "rotten-tomatoes-2-0" in contents["appendix-d.svg"]
    assert "imdb-1-0" not in contents["appendix-d.svg"]
    numbers = pd.read_csv(tmp_path / "figure-1.csv")
    assert numbers["original"].to_list() == [0.9, 0.05, 0.05]
    assert numbers["adversarial"].to_list() == [0.05, 0.05, 0.8]  # of candidate 2
    assert set(numbers["instance"]) == {2}
    assert set(numbers["tau_gradient"]) == {0.29}
    assert set(numbers["median_change"]) == {0.006}
    assert "τ with gradients 0.29, median |Δŷ| when shuffled 0.006" in contents["figure-1.svg"]


def test_examples_are_of_the_seed_whose_weights_are_kept(tmp_path):
    contents = written(tmp_path, words_of, "imdb", kept=weights("imdb").assign(seed=2))
    assert "no example" in contents["figure-1.svg"]


def test_without_imdb_the_first_figure_is_of_the_stand_in_for_sst(tmp_path):
    contents = written(tmp_path, words_of, "rotten-tomatoes", "snli")
    assert "rotten-tomatoes-2-0" in contents["figure-1.svg"]
    assert "snli" not in contents["figure-1.svg"]


def test_private_words_never_appear(tmp_path):
    def words(dataset, rows):
        return {} if dataset == "imdb" else words_of(dataset, rows)

    contents = written(tmp_path, words, "imdb", "rotten-tomatoes")
    assert "rotten-tomatoes-2-0" in contents["figure-1.svg"]
    assert not any("imdb" in text.lower() for text in contents.values())


def test_with_private_sets_only_the_examples_are_empty(tmp_path):
    contents = written(tmp_path, lambda *_: {}, "diabetes", "anemia")
    assert len(contents) == 4
    assert not any("diabetes" in text.lower() for text in contents.values())
    pictures = [text for name, text in contents.items() if name.endswith(".svg")]
    assert all(text.count("<text") == 1 and "no example" in text for text in pictures)
    assert contents["appendix-d.csv"].strip() in ("", '""')


def test_the_words_of_a_private_set_do_not_leave_its_folder(monkeypatch):
    corpus = toy.corpus()
    monkeypatch.setattr(reading.corpora, "load", lambda folder: corpus)
    shown = reading.words("jain-wallace", "imdb", [3, 4])
    assert {row: len(words) for row, (words, _) in shown.items()} == {
        row: corpus.parts["test"].text.lengths[row] for row in (3, 4)
    }
    assert "good" in shown[3][0]
    assert shown[3][1] == ""  # nothing is asked about a text to classify
    monkeypatch.setattr(reading.corpora, "load", lambda folder: replace(corpus, private=True))
    assert reading.words("jain-wallace", "imdb", [3, 4]) == {}


def test_a_document_kept_for_another_model_is_not_chosen(tmp_path):
    kept = pd.concat([weights("imdb", (0, 1)), weights("imdb", (2,), "cnn")])
    written(tmp_path, words_of, "imdb", kept=kept)
