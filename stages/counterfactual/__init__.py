"""Counterfactual attention: the output under weights other than the model's own."""
