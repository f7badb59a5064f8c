import subprocess
import sys
from typing import get_args

import pytest

from stages.corpora.cleaning import cleaned
from stages.settings.datasets import Recipe

CASES = [
    ("blanks", "A  b\nc.", "A b c."),
    ("keras", "It's <br />GOOD-ish (10/10)!", "it's br good ish 10 10"),
    ("sst", "It 's -LRB- not -RRB- bad , 3 stars", "it s not bad 3 stars"),
    ("clean", "Don't pay  $9.99 for 2nd-rate stuff.", "do n't pay $ qqq for qqq - rate stuff ."),
    # a run of non-word characters becomes its last one: mostly the blank before the next token
    ("newsgroups", "We won 3-2 !?? Go , team...", "we won qqq qqq go team ."),
    ("spacy", r"Nice<br />price.\nIsn't it?", "nice price . is n't it ?"),
    ("mimic", "  Admitted\n\n on  Monday ", "admitted on monday"),
    ("mimic", "Seen [**2151-7-16**] by [**Known lastname 12**]now", "seen <DE> by <DE> now"),
    ("mimic", "Seen [ * * Name * * ] .", "seen <DE> ."),
    ("mimic", "Dr. [**First Name (STitle) 5**] gave 20mg.", "dr. <DE> gave qqq mg ."),
    ("mimic", "a ----- b = = = c __ d", "a - b = c _ d"),
    ("mimic", "--x 10mg b12 3 o'clock", "- x qqq mg qqq qqq o'clock"),
    ("mimic", "aabb -- ++ 11", "aabb - + qqq"),
]


@pytest.mark.parametrize(("recipe", "text", "tokens"), CASES)
def test_recipes(recipe, text, tokens):
    assert list(cleaned([text], recipe, sentences=False)) == [[tokens.split()]]


def test_sentences_are_split_and_joined_they_are_the_same_tokens():
    text = "It broke. I want my money back! Why? "
    split, whole = (next(cleaned([text], "spacy", s)) for s in (True, False))
    assert split == [["it", "broke", "."], ["i", "want", "my", "money", "back", "!"], ["why", "?"]]
    assert [token for sentence in split for token in sentence] == whole[0]


@pytest.mark.parametrize("recipe", get_args(Recipe))
@pytest.mark.parametrize("sentences", [True, False])
def test_empty_text_has_no_sentence(recipe, sentences):
    assert list(cleaned(["", "  \n"], recipe, sentences)) == [[], []]


def test_tokenizer_does_not_import_torch():
    code = (
        "import sys; from stages.corpora.cleaning import spacy_tokens; spacy_tokens('a b');"
        "assert 'torch' not in sys.modules; import torch; torch.zeros(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
