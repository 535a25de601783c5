"""Comparisons with PyTorch and with float64, and the benchmarks beside it. Nothing else of the project imports torch.

    python -m reference [--quick] [patterns]          how exact: the table, and exit status 1 where ours is worse
    python -m reference.bench [--quick] [patterns]    how fast

A file here has the path of the file it compares: `reference/layers/linear.py` is about `bendtorch/layers/linear.py`.

    errors      how far a result is from the exact one, and how sure a ratio of two errors is
    compare     cases, the judge, its verdicts as rows of a table
    inputs      random and adversarial arrays
    pytorch     a function's value and gradients, in float32 or in float64
    digits      the network that several comparisons share
"""
