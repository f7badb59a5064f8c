"""The adversarial search of Jain & Wallace in plain PyTorch: baseline of speed and test oracle.

A padded batch of documents with all their candidates at once: every step decodes the encoded states
under the candidates' weights, and autograd and torch's Adam do the rest.
"""

import torch


def divergence(p, q):
    """Jensen-Shannon divergence with 1e-10 under the logarithms, as released."""
    middle = (p + q) / 2
    kl = [(a * ((a + 1e-10).log() - (middle + 1e-10).log())).sum(-1) for a in (p, q)]
    return sum(kl) / 2


def search(model, output, start, options):
    """The last weights (B, K, T) of candidates that start from normal draws (B, K, T)."""
    original, mask = output.weights.unsqueeze(1), output.encoded.mask.unsqueeze(1)  # (B, 1, T)
    answer = model.probabilities(output.logits).unsqueeze(1)  # (B, 1, C)
    logits = (options.spread * start).requires_grad_()
    adam = torch.optim.Adam([logits], lr=options.learning_rate, amsgrad=True)
    for _ in range(options.steps):
        weights = logits.masked_fill(~mask, -torch.inf).softmax(-1)
        outputs = model.probabilities(model.decode(output.encoded, weights))  # (B, K, C)
        moved = (outputs - answer).abs().sum(-1)  # (B, K)
        far = divergence(weights, original)  # (B, K)
        apart = divergence(weights.unsqueeze(1), weights.unsqueeze(2))  # (B, K, K)
        penalty = options.penalty * (moved - options.margin).relu()
        adam.zero_grad()
        ((penalty - far).sum() - apart.mean((1, 2)).sum()).backward()
        adam.step()
    return logits.detach().masked_fill(~mask, -torch.inf).softmax(-1)
