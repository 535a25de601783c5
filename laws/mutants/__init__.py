"""The laws' own test: faults are planted in passes, kernels and steps, and the laws must find them.

    make mutants

`edits` are the mistakes, `places` where they are made; `living` puts one into a running function, `judge` asks the
laws, `run` does so in a process for each fault, and `report` says what found it.
"""
