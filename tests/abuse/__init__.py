"""Promises under faults: forks, threads, cold and damaged caches, other settings of the compiler."""
