"""bAbI stories against a solver that reads only the text and counts the facts it uses."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pytest

from stages.corpora.examples import Example
from stages.corpora.generated.babi import vocabulary
from tests.corpora.reading import examples_of

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
LAST_VISIT = (
    "Mary went to the garden . Mary took the apple . Mary went to the office . "
    "Mary went to the hallway . Mary went to the office . Mary left the apple"
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
def questions(task: int, seed: int = 1) -> list[Example]:
    keys = {"supporting_facts": task, "train": 502, "test": 103, "seed": seed}
    return examples_of(Path(), "babi-simulator", "generated", **keys)


@pytest.mark.parametrize(
    ("story", "lines", "query", "answer", "used"),
    [
        (STORY, 10, "Where is Mary", "garden", [8]),
        (STORY, 5, "Where is John", "office", [5]),
        (STORY, 3, "Where is the milk", "bathroom", [1, 3]),
        (STORY, 6, "Where is the milk", "kitchen", [3, 6]),
        (STORY, 8, "Where is the milk", "kitchen", [6, 7]),
        (STORY, 10, "Where is the milk", "kitchen", [9, 10]),
        (STORY, 4, "Where was the milk before the office", "bathroom", [1, 3, 4]),
        (STORY, 10, "Where was the milk before the kitchen", "office", [3, 4, 6]),
        (STORY, 10, "Where was the milk before the office", "bathroom", [1, 3, 4]),
        (LAST_VISIT, 6, "Where was the apple before the office", "hallway", [2, 4, 5]),
    ],
)
def test_solver_on_stories_worked_by_hand(story, lines, query, answer, used):
    assert solve(" . ".join(story.split(" . ")[:lines]), query) == (answer, used)


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
def test_illegal_stories_are_detected(story):
    with pytest.raises((AssertionError, KeyError)):
        check_legal(read(story))


@TASKS
def test_stories_are_legal_and_the_solver_needs_as_many_facts_as_the_task_has(task):
    for example in questions(task):
        facts = read(example.text)
        check_legal(facts)
        assert task > 1 or {f.deed for f in facts} == {"move"}
        answer, used = solve(example.text, example.query)
        assert answer == example.label
        assert len(set(used)) == task


def test_task_3_names_the_present_place():
    for example in questions(3):
        thing, place = re.findall(r"the (\w+)", example.query)
        assert solve(example.text, f"Where is the {thing}")[0] == place != example.label


@TASKS
def test_a_story_grows_over_five_questions_then_resets_in_each_split(task):
    examples = questions(task)
    assert [e.split for e in examples] == ["train"] * 502 + ["test"] * 103
    for stories in (examples[:502], examples[502:]):
        for i in range(1, len(stories)):
            grows = stories[i].text.startswith(stories[i - 1].text + " . ")
            assert grows == (i % 5 != 0)


def test_task_1_has_a_question_after_every_second_statement():
    lengths = [len(read(e.text)) for e in questions(1)[:500]]
    assert lengths == [2, 4, 6, 8, 10] * 100


@TASKS
def test_lengths_are_near_the_released_files_and_no_answer_dominates(task):
    tokens = mean(len(e.text.split()) for e in questions(task))
    assert abs(tokens / RELEASED[task] - 1) < 0.2
    answers = Counter(e.label for e in questions(task))
    assert len(answers) == 6
    assert max(answers.values()) < 0.25 * answers.total()


def test_vocabulary_is_exactly_what_the_tasks_use():
    used = [
        {word for e in questions(task) for word in f"{e.text} {e.query}".split()}
        for task in (1, 2, 3)
    ]
    assert [len(words) for words in used] == [20, 34, 35]  # released: 24, 38, 39 with 4 specials
    assert vocabulary() == sorted(set.union(*used)) == WORDS.split()


@TASKS
def test_the_seed_decides(task):
    assert questions(task) == questions.__wrapped__(task) != questions(task, seed=2)
