"""Compiled code gives the same bytes in the process that compiles it and when loaded from a cache.

A function that calls another one compiled with `fastmath` may not: the linker can choose between
two copies of the callee. Callees are inlined for that reason.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEARCH = """
import hashlib
import numpy as np
import torch
from stages.counterfactual.adversarial_steps import Rule, search_linear
from stages.nn.encoders.bilstm import BiLSTM

draw = np.random.default_rng(0)
logits, evidence = (draw.standard_normal(s).astype("f4") for s in ((6, 5, 23), (6, 3, 23)))
original, answer = (draw.dirichlet(np.ones(n), 6).astype("f4") for n in (23, 3))
rule, best = Rule(500, 0.01, 500.0, 0.01, np.array([0.01, 0.05], "f4")), np.zeros((6, 2), "f4")
search_linear(logits, original, evidence, np.zeros(3, "f4"), answer, rule, best)
torch.manual_seed(1)
encoder, lengths = BiLSTM(20, hidden=13), torch.tensor([9, 7, 5, 3])
embedded = torch.randn(4, 9, 20, requires_grad=True)
states, summary = encoder(embedded, lengths, torch.arange(9) < lengths[:, None])
(states.sum() + (summary**2).sum()).backward()
results = [logits, best, states.detach().numpy(), embedded.grad.numpy()]
print([hashlib.sha256(values.tobytes()).hexdigest() for values in results])
"""


def test_compiling_and_loading_give_the_same_bytes(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SEARCH]
    runs = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert list(tmp_path.rglob("*.nbc"))
    assert runs[0].stdout == runs[1].stdout
