"""The function that decides each claim of Serrano & Smith 2019."""

from typing import Any

from stages.papers.serrano_smith import claims as single
from stages.papers.serrano_smith import order_claims as order
from stages.papers.serrano_smith.evidence import Results
from stages.papers.serrano_smith.tables import PUBLISHED
from stages.papers.shared.claims import Record, not_run, stated

STATEMENTS = PUBLISHED.with_name("statements.csv")


def decided(results: Results) -> list[Record]:
    """All records of claims.json, in the order of statements.csv."""
    deciders: dict[str, Any] = {
        "C1": single.top_matters_more,
        "C2": single.negatives_are_tiny,
        "C3": single.negatives_are_ties,
        "C4": single.yahoo_tails,
        "C5": single.still_near_zero,
        "C6": single.steep_rise,
        "C7": single.earlier_rise,
        "C8": single.seldom_flips,
        "C9": single.top_alone_more_often,
        "C10": single.flat_more_so,
        "C11": single.flips_like_negatives,
        "C12": single.more_flips_without_encoder,
        "C13": single.product_flips_more,
        "C14": single.gradient_flips_less,
        "C15": order.attention_beats_random,
        "C16": order.attention_slower,
        "C17": order.gradient_wins_half,
        "C18": order.gradient_wins_often,
        "C19": order.product_before_gradient,
        "C20": order.large_fraction,
        "C21": order.recurrence_later_in_flat,
        "C22": order.earlier_without_encoder,
        "C23": order.amazon_brittle,
        "C24": order.on_par_without_encoder,
        "C25": order.some_ranking_beats,
        "C26": order.yahoo_attention_poor,
        "C27": order.high_mass,
        "C28": order.mass_lower,
        "C29": order.recurrence_scores_best,
        "C30": lambda claim, _: not_run(
            claim, "one seed per model was erased, and accuracy differs with the architecture"
        ),
        "X1": single.random_item_defect,
        "X2": order.centred_product,
        "X3": single.oracle,
        "X4": order.empty_document,
    }
    return [deciders[name](claim, results) for name, claim in stated(STATEMENTS).items()]
