"""Bidirectional LSTM, one layer (Jain & Wallace 2019, section 2)."""

from torch import nn

from stages.nn.recurrent import Recurrent


class BiLSTM(Recurrent):
    """`hidden` units per direction; `orthogonal` initialises all matrices so (Sun & Lu 2020)."""

    def __init__(self, width: int, hidden: int, orthogonal: bool = False) -> None:
        super().__init__(*(nn.LSTM(width, hidden, batch_first=True) for _ in range(2)))
        if orthogonal:
            for parameter in self.parameters():
                if parameter.ndim == 2:
                    nn.init.orthogonal_(parameter)
