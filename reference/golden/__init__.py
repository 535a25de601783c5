"""Golden vectors: small inputs, outputs and gradients of every layer and loss, computed by PyTorch in float64.

    python -m reference.golden      write tests/golden/*.json anew

`make test` compares ours with them, so that it judges numbers without PyTorch; `python -m reference` says which files
are not what PyTorch gives now. A layer is added as a line of `cases`.
"""
