"""Bidirectional GRU with the initialisation of Serrano & Smith 2019 (section 2.1).

Their bias initialiser was written for an LSTM: it sets the second quarter of b_hh to one, which in
a GRU falls on part of the reset and part of the update gate. Kept as published.
"""

from torch import nn

from stages.nn.recurrent import Recurrent


class BiGRU(Recurrent):
    """`hidden` units in each direction."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(*(nn.GRU(width, hidden, batch_first=True) for _ in range(2)))
        for path, parameter in self.named_parameters():
            name = path.split(".")[-1]
            if name.startswith("weight_ih"):
                nn.init.xavier_uniform_(parameter)
            elif name.startswith("weight_hh"):
                nn.init.orthogonal_(parameter)
            else:
                nn.init.zeros_(parameter)
            if name.startswith("bias_hh"):
                quarter = len(parameter) // 4
                parameter.data[quarter : 2 * quarter] = 1
