"""One torch thread per process: several processes with one thread each beat one with several."""


def one_thread() -> None:
    """Limit torch to one thread."""
    import torch

    torch.set_num_threads(1)
