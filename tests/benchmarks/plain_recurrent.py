"""The batched plain way: a BiLSTM with additive attention as most PyTorch code is written.

Padded batches of 32 documents of similar length, torch's layer over packed sequences, dense
AMSGrad, gradients by autograd over a padded batch, and leave-one-out by position: for each position
a batch of the documents that reach it, without that token.
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from stages.nn.optimizers import losses

BATCH = 32


class PlainModel(nn.Module):
    """The same network as a model of this project with a BiLSTM, with copies of its weights."""

    def __init__(self, model):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(model.embedding.weight.clone(), freeze=False)
        width, hidden = model.embedding.embedding_dim, model.encoder.forwards.hidden_size
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        for end, layer in (("", model.encoder.forwards), ("_reverse", model.encoder.backwards)):
            for name, value in layer.named_parameters():
                getattr(self.lstm, name + end).data.copy_(value)
        size = len(model.score.of_state.weight)
        self.score, self.vector = nn.Linear(2 * hidden, size), nn.Linear(size, 1, bias=False)
        self.score.load_state_dict(model.score.of_state.state_dict())
        self.vector.load_state_dict(model.score.vector.state_dict())
        self.head = nn.Linear(2 * hidden, 1)
        self.head.load_state_dict(model.head.layer.state_dict())

    def states(self, embedded, lengths):
        """(B, T, H) of embedded tokens (B, T, E)."""
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        padded, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=embedded.shape[1]
        )
        return padded

    def attention(self, states, mask):
        """Weights (B, T)."""
        scores = self.vector(self.score(states).tanh()).squeeze(-1)
        return scores.masked_fill(~mask, -torch.inf).softmax(-1)

    def forward(self, inputs):
        """Logits (B, 1)."""
        states = self.states(self.embedding(inputs.tokens), inputs.lengths)
        pooled = self.attention(states, inputs.mask).unsqueeze(1) @ states  # (B, 1, H)
        return self.head(pooled.squeeze(1))


def train_epoch(model, adam, batches):
    """One pass over padded batches, a list of inputs and labels."""
    for inputs, labels in batches:
        adam.zero_grad()
        losses(model(inputs), labels, torch.ones(2)).sum().backward()
        adam.step()


def gradients(model, inputs):
    """Gradient x embedding (B, T) of the probability, attention held fixed."""
    embedded = model.embedding(inputs.tokens).detach().requires_grad_()
    states = model.states(embedded, inputs.lengths)
    weights = model.attention(states, inputs.mask).detach()
    output = model.head((weights.unsqueeze(1) @ states).squeeze(1)).sigmoid()
    of_tokens, _ = torch.autograd.grad(output.sum(), [embedded, states])
    return (of_tokens * embedded).sum(-1).abs().detach() * inputs.mask


@torch.no_grad()
def leave_one_out(model, inputs):
    """Change of the probability (B, T); all documents without their token at one position."""
    whole = model(inputs).sigmoid()
    change = torch.zeros(inputs.mask.shape)
    for place in range(inputs.tokens.shape[1]):
        rows = inputs.mask[:, place].nonzero().squeeze(1)
        rows = rows[inputs.mask[rows].sum(1) > 1]
        if len(rows):
            kept = torch.arange(inputs.tokens.shape[1]) != place
            without = type(inputs)(
                inputs.tokens[rows][:, kept], inputs.lengths[rows] - 1, inputs.mask[rows][:, kept]
            )
            change[rows, place] = (model(without).sigmoid() - whole[rows]).abs().squeeze(1)
    return change
