"""Real text into tensors: sources, cleaning, vocabulary, splits, ragged storage, batching."""
