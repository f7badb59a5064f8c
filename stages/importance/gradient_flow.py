"""The gradient flow of token scores by automatic differentiation, a check of the closed terms.

Under gradient flow the parameters move along minus the gradient of the mean loss; the scores of a
one-token document then move by their derivative in that direction. Valid for any model.
"""

import copy

import torch
from torch.func import functional_call, jvp

from stages.corpora.batching import Reader
from stages.corpora.ragged import Longs
from stages.importance.token_scores import TokenScores
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.optimizers import losses
from stages.nn.prediction import one_token_documents


def flow(model: AttentionModel, reader: Reader, ids: Longs) -> TokenScores:
    """ds/dtau and da/dtau of tokens `ids`, in float64, without dropout."""
    exact = copy.deepcopy(model).double().eval()
    parameters = dict(exact.named_parameters())
    fixed = dict(exact.named_buffers())
    gradients = torch.autograd.grad(_loss(exact, reader), list(parameters.values()))
    direction = {name: -g for name, g in zip(parameters, gradients, strict=True)}
    documents = one_token_documents(ids)

    def scores(moving: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        output = functional_call(exact, {**moving, **fixed}, (documents,))
        return output.logits, output.scores[:, 0]

    values = {name: value.detach() for name, value in parameters.items()}
    polarity, attention = jvp(scores, (values,), (direction,))[1]
    return TokenScores(polarity.detach().numpy(), attention.detach().numpy())


def _loss(model: AttentionModel, reader: Reader) -> torch.Tensor:
    """Mean loss of a document."""
    ones = torch.ones(reader.classes, dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for batch in reader.batches(256):
        logits = model(Inputs.of(batch)).logits
        total = total + losses(logits, torch.from_numpy(batch.labels), ones).sum()
    return total / len(reader.labels)
