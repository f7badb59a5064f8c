"""Compiled kernels: LSTM and GRU recurrences, row-wise optimiser steps, dot-product attention."""
