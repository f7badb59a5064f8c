"""Simulator of bAbI tasks 1-3: people move, take things and put them down.

Weston et al. (2015), section 3, as used by Jain & Wallace (2019), section 3. The question of task 1
is where a person is (one supporting fact: the last move), of task 2 where a thing is (two: who
touched it last, and that person's move), of task 3 where a thing was before its present place
(three: who took it, and that person's last two moves with it). A story has five questions, as in
the released files.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from typing import TypeVar

import numpy as np

from stages.corpora.examples import Example
from stages.settings.sources import BabiSimulator

PEOPLE = ("Mary", "John", "Daniel", "Sandra")
PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
THINGS = ("apple", "football", "milk")
MOVES = ("moved to", "went to", "went back to", "journeyed to", "travelled to")
TAKES = ("got", "took", "grabbed", "picked up")
DROPS = ("dropped", "discarded", "put down", "left")
ENDINGS = ("", " there")
PERSON_NOW, THING_NOW = "Where is {}", "Where is the {}"
THING_BEFORE = "Where was the {} before the {}"
STOP = " . "

QUESTIONS = 5
HANDLING = 1 / 3  # share of takes and drops among events, where one is possible
# Fewest and most statements between questions; the mean story then has 36, 94 and 307 tokens, as
# in the released files.
PACE = {1: (2, 2), 2: (3, 7), 3: (10, 24)}

Option = TypeVar("Option")


def vocabulary() -> list[str]:
    """Every token of the three tasks, the full stop included: the candidate answers."""
    phrases = (*PEOPLE, *PLACES, *THINGS, *MOVES, *TAKES, *DROPS, *ENDINGS, STOP)
    questions = (PERSON_NOW, THING_NOW, THING_BEFORE)
    words = " ".join([*phrases, *questions, "the"]).replace("{}", "").split()
    return sorted(set(words))


def generate(source: BabiSimulator, draw: np.random.Generator) -> Iterator[Example]:
    """The training questions, then the test questions; they share no story."""
    for split, count in (("train", source.train), ("test", source.test)):
        stories = (_story(source.supporting_facts, draw) for _ in repeat(None))
        for text, query, answer in islice(chain.from_iterable(stories), count):
            yield Example(text, answer, split, query)


class _World:
    """Places of people, holders of things, and the places each thing has been to."""

    def __init__(self) -> None:
        self.place: dict[str, str] = {}  # person -> place, once it is mentioned
        self.holder: dict[str, str] = {}  # thing -> person
        self.trail: dict[str, list[str]] = {}  # thing -> places, the present one last

    def move(self, person: str, place: str) -> None:
        self.place[person] = place
        for thing, holder in self.holder.items():
            if holder == person:
                self.trail[thing].append(place)

    def take(self, person: str, thing: str) -> None:
        self.holder[thing] = person
        self.trail.setdefault(thing, [self.place[person]])

    def takes(self) -> list[tuple[str, str]]:
        """Possible takes: free things at the person's place, or things not mentioned so far."""
        free = [thing for thing in THINGS if thing not in self.holder]
        return [
            (person, thing)
            for person, place in self.place.items()
            for thing in free
            if thing not in self.trail or self.trail[thing][-1] == place
        ]


def _story(task: int, draw: np.random.Generator) -> Iterator[tuple[str, str, str]]:
    """Text so far, question and answer, for each question of one story."""
    world, statements = _World(), list[str]()
    fewest, most = PACE[task]
    for _ in range(QUESTIONS):
        for _ in range(draw.integers(fewest, most + 1)):
            statements.append(_statement(world, task, draw))
        while not (questions := _questions(world, task)):
            statements.append(_statement(world, task, draw))
        yield STOP.join(statements), *_pick(questions, draw)


def _statement(world: _World, task: int, draw: np.random.Generator) -> str:
    """Apply a random event to the world and describe it; task 1 has moves only."""
    takes = world.takes()
    handlings = [*takes, *((person, thing) for thing, person in world.holder.items())]
    if task == 1 or not handlings or draw.random() >= HANDLING:
        return _move(world, draw)
    person, thing = handling = _pick(handlings, draw)
    if handling in takes:
        world.take(person, thing)
    else:
        del world.holder[thing]
    verb = _pick(TAKES if handling in takes else DROPS, draw)
    return f"{person} {verb} the {thing}{_pick(ENDINGS, draw)}"


def _move(world: _World, draw: np.random.Generator) -> str:
    person = _pick(PEOPLE, draw)
    place = _pick([place for place in PLACES if place != world.place.get(person)], draw)
    world.move(person, place)
    return f"{person} {_pick(MOVES, draw)} the {place}"


def _questions(world: _World, task: int) -> list[tuple[str, str]]:
    """Questions that can be answered from the story so far, with their answers."""
    if task == 1:
        return [(PERSON_NOW.format(person), place) for person, place in world.place.items()]
    if task == 2:
        return [(THING_NOW.format(thing), trail[-1]) for thing, trail in world.trail.items()]
    return [
        (THING_BEFORE.format(thing, trail[-1]), trail[-2])
        for thing, trail in world.trail.items()
        if len(trail) > 1
    ]


def _pick(options: Sequence[Option], draw: np.random.Generator) -> Option:
    return options[int(draw.integers(len(options)))]
