"""bAbI stories against a solver that reads only the text and counts the facts it uses."""

import re
from functools import cache
from statistics import mean
from typing import NamedTuple

import pytest

from stages.corpora.examples import Example
from stages.corpora.generated.babi import generate, vocabulary
from stages.settings.seeds import generator
from stages.settings.sources import BabiSimulator

TASKS = pytest.mark.parametrize("task", [1, 2, 3])
RELEASED = {1: 36.2, 2: 94.1, 3: 307.0}  # mean tokens of the released stories
WHO = r"(?P<who>Mary|John|Daniel|Sandra)"
SENTENCES = {
    "move": rf"{WHO} (moved|went|went back|journeyed|travelled) to the "
    r"(?P<what>bathroom|bedroom|garden|hallway|kitchen|office)",
    "take": rf"{WHO} (got|took|grabbed|picked up) the (?P<what>apple|football|milk)( there)?",
    "drop": rf"{WHO} (dropped|discarded|put down|left) the (?P<what>apple|football|milk)( there)?",
}
STORY = (
    "Mary moved to the bathroom . John went to the hallway . Mary got the milk there . "
    "Mary went back to the office . John journeyed to the office . Mary travelled to the kitchen . "
    "Mary put down the milk . Mary moved to the garden . John went to the kitchen . "
    "John picked up the milk"
)
WORDS = """. Daniel John Mary Sandra Where apple back bathroom bedroom before discarded down dropped
football garden got grabbed hallway is journeyed kitchen left milk moved office picked put the there
to took travelled up was went"""


class Fact(NamedTuple):
    who: str
    deed: str  # move, take or drop
    what: str


def read(story: str) -> list[Fact]:
    return [fact(line) for line in story.split(" . ")]


def fact(line: str) -> Fact:
    matches = [(deed, re.fullmatch(form, line)) for deed, form in SENTENCES.items()]
    ((deed, match),) = [(deed, match) for deed, match in matches if match]
    return Fact(match["who"], deed, match["what"])


def solve(story: str, query: str) -> tuple[str, list[int]]:
    """The answer and the 1-based numbers of the statements it follows from."""
    facts = read(story)
    if match := re.fullmatch(r"Where was the (\w+) before the (\w+)", query):
        used = carried(facts, *match.groups())
    elif match := re.fullmatch(r"Where is the (\w+)", query):
        used = touched(facts, match[1])
    else:
        used = [moved(facts, query.removeprefix("Where is "))]
    return facts[used[0]].what, sorted(number + 1 for number in used)


def moved(facts: list[Fact], who: str) -> int:
    """The person's last move."""
    return max(i for i, f in enumerate(facts) if f.deed == "move" and f.who == who)


def touched(facts: list[Fact], thing: str) -> list[int]:
    """The move that brought the thing where it is, and the last touch."""
    touch = max(i for i, f in enumerate(facts) if f.what == thing)
    until = touch if facts[touch].deed == "drop" else len(facts)
    return [moved(facts[:until], facts[touch].who), touch]


def carried(facts: list[Fact], thing: str, place: str) -> list[int]:
    """The move before the last one that took the thing to the place, that move, and the take."""
    for i in reversed(range(len(facts))):
        touches = [j for j in range(i) if facts[j].what == thing]
        if facts[i].deed != "move" or facts[i].what != place or not touches:
            continue
        take = facts[touches[-1]]
        if take.deed == "take" and take.who == facts[i].who:
            return [moved(facts[:i], take.who), i, touches[-1]]
    raise AssertionError(f"{thing} was never in {place}")


def check_legal(facts: list[Fact]) -> None:
    """Nobody moves to where they are; things are taken where they lie and dropped by a holder."""
    place: dict[str, str] = {}
    lies: dict[str, str] = {}
    held: dict[str, str] = {}
    for who, deed, what in facts:
        if deed == "move":
            assert place.get(who) != what
            place[who] = what
        elif deed == "take":
            assert what not in held
            assert lies.get(what, place[who]) == place[who]
            held[what] = who
        else:
            assert held.pop(what) == who
            lies[what] = place[who]


@cache
def questions(task: int, seed: int = 1, train: int = 502, test: int = 103) -> list[Example]:
    values = {"supporting_facts": task, "train": train, "test": test}
    section = {"kind": "generated", "reader": "babi-simulator", **values}
    return list(generate(BabiSimulator.model_validate(section), generator(seed, "babi")))


@pytest.mark.parametrize(
    ("lines", "query", "answer", "used"),
    [
        (10, "Where is Mary", "garden", [8]),
        (5, "Where is John", "office", [5]),
        (3, "Where is the milk", "bathroom", [1, 3]),
        (6, "Where is the milk", "kitchen", [3, 6]),
        (8, "Where is the milk", "kitchen", [6, 7]),
        (10, "Where is the milk", "kitchen", [9, 10]),
        (4, "Where was the milk before the office", "bathroom", [1, 3, 4]),
        (10, "Where was the milk before the kitchen", "office", [3, 4, 6]),
        (10, "Where was the milk before the office", "bathroom", [1, 3, 4]),
    ],
)
def test_solver_on_a_story_worked_by_hand(
    lines: int, query: str, answer: str, used: list[int]
) -> None:
    story = " . ".join(STORY.split(" . ")[:lines])
    assert solve(story, query) == (answer, used)


def test_solver_takes_the_last_visit() -> None:
    story = (
        "Mary went to the garden . Mary took the apple . Mary went to the office . "
        "Mary went to the hallway . Mary went to the office . Mary left the apple"
    )
    assert solve(story, "Where was the apple before the office") == ("hallway", [2, 4, 5])


@pytest.mark.parametrize(
    "story",
    [
        "Mary went to the garden . Mary moved to the garden",
        "Mary went to the garden . Mary left the milk",
        "Mary went to the garden . Mary got the milk . John went to the garden . John got the milk",
        "Mary went to the garden . Mary got the milk . Mary left the milk . "
        "Mary went to the office . Mary got the milk",
        "Mary got the milk",
    ],
)
def test_illegal_stories_are_detected(story: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        check_legal(read(story))


@TASKS
def test_solver_agrees_and_needs_as_many_facts_as_the_task_has(task: int) -> None:
    for example in questions(task):
        answer, used = solve(example.text, example.query)
        assert answer == example.label
        assert len(set(used)) == task


def test_task_3_names_the_present_place() -> None:
    for example in questions(3):
        thing, place = re.findall(r"the (\w+)", example.query)
        assert solve(example.text, f"Where is the {thing}")[0] == place != example.label


@TASKS
def test_stories_follow_the_rules_of_the_world(task: int) -> None:
    for example in questions(task):
        facts = read(example.text)
        check_legal(facts)
        assert task > 1 or {f.deed for f in facts} == {"move"}


@TASKS
def test_splits_have_their_sizes_and_no_candidates(task: int) -> None:
    examples = questions(task)
    assert [e.split for e in examples] == ["train"] * 502 + ["test"] * 103
    assert {e.candidates for e in examples} == {()}


@TASKS
def test_a_story_grows_over_five_questions_then_resets(task: int) -> None:
    examples = questions(task)
    for stories in (examples[:502], examples[502:]):
        for i in range(1, len(stories)):
            grows = stories[i].text.startswith(stories[i - 1].text + " . ")
            assert grows == (i % 5 != 0)


def test_task_1_has_a_question_after_every_second_statement() -> None:
    lengths = [len(read(e.text)) for e in questions(1)[:500]]
    assert lengths == [2, 4, 6, 8, 10] * 100


@TASKS
def test_mean_length_is_near_the_released_files(task: int) -> None:
    tokens = mean(len(e.text.split()) for e in questions(task))
    assert abs(tokens / RELEASED[task] - 1) < 0.2


@TASKS
def test_every_place_is_an_answer_and_none_dominates(task: int) -> None:
    labels = [e.label for e in questions(task)]
    shares = {place: labels.count(place) / len(labels) for place in set(labels)}
    assert len(shares) == 6
    assert max(shares.values()) < 0.25


def test_vocabulary_is_exactly_what_the_tasks_use() -> None:
    used = [
        {word for e in questions(task) for word in f"{e.text} {e.query}".split()}
        for task in (1, 2, 3)
    ]
    assert [len(words) for words in used] == [20, 34, 35]  # released: 24, 38, 39 with 4 specials
    assert vocabulary() == sorted(set.union(*used))
    assert vocabulary() == WORDS.split()


@TASKS
def test_the_seed_decides(task: int) -> None:
    assert questions(task, 1, 20, 5) == questions.__wrapped__(task, 1, 20, 5)
    assert questions(task, 1, 20, 5) != questions(task, 2, 20, 5)
