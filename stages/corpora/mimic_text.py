"""Cleaning of MIMIC-III discharge summaries: spaCy tokens, de-identified spans, digits.

Jain & Wallace (2019), section 3 (Diabetes, Anemia), as in their released code. Spans and runs are
matched after tokenization, which may insert blanks into them.
"""

import re
from collections.abc import Callable

# [**2151-7-16**] or, once tokenized, [ * * 2151 - 7 - 16 * * ]
_DEIDENTIFIED = re.compile(r"\[\s*\*\s*\*.*?\*\s*\*\s*\]")
_RUN = re.compile(r"([^\w\s]|_)(?:\s*\1)+\s*")


def clean_mimic(text: str, tokenize: Callable[[str], list[str]]) -> list[str]:
    """The tokens of one summary; `tokenize` is spaCy's English tokenizer."""
    joined = " ".join(tokenize(" ".join(text.split()))).lower()
    hidden = _DEIDENTIFIED.sub(" <DE> ", joined)
    tokens = _RUN.sub(r"\1 ", hidden).split()
    return ["qqq" if any(map(str.isdigit, token)) else token for token in tokens]
