"""Counterfactual attention: the answer under weights the model did not choose."""
