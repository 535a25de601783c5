"""Speed beside PyTorch on the same processor.

    python -m reference.bench [--quick] [--threads 1 2] [--json FILE] [--picture FILE] [--patience N] [patterns]

    registry     what a row is, and where rows come from: a file of this package with `rows()` is a family of them
    timing       both sides in turns
    statistics   medians, quartiles, ratios pair by pair
    neighbours   what other processes took of the machine meanwhile
    limits       what this machine can do: its FMA peak and memory bandwidth, measured in the same run
    run          rows, at each number of threads
    report       the table and the JSON file
    targets      what the rows are to reach
    picture      ratios and shares of the limits as bars
    networks     the small networks whose steps are measured
    everything else: families of rows

PyTorch runs as it comes: no environment variable is set, and it gets the same number of threads.
"""
