"""Programs that the abuse tests run in processes of their own."""

from __future__ import annotations

from typing import Final

LABELS: Final = """
import numpy as np
from bendtorch.kernels.labels import first_outside
print(first_outside(np.arange(9), 7))
"""
LABELS_RESULT: Final = "7"

EXP: Final = """
import numpy as np
from bendtorch.kernels.rows import exp_row
e = np.empty(7, np.float32)
exp_row(np.zeros(7, np.float32), np.float32(0), e)
print(float(e.sum()))
"""

TRAIN: Final = """
import hashlib
import numpy as np
from bendtorch import Adam, CrossEntropy, Key, Linear, LinearFirst, ReLU, Train, batches, fit

def mlp(n):
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)

rng = np.random.default_rng(0)
x = (rng.integers(0, 17, (1437, 64)) / 16).astype(np.float32)
labels = rng.integers(0, 10, 1437)
start, order = Key(0).split(2)
train = Train.new(mlp(32), Adam(1e-3), mlp(32).init(start))
history = fit(train, mlp, lambda n: CrossEntropy(n, 10), batches(x, labels, 32, order), 3)
wide = LinearFirst(300, 64, 700) >> ReLU(300, 700) >> Linear(300, 700, 300)
second = Train.new(wide, Adam(1e-3), wide.init(start))
large = [second.step(wide, CrossEntropy(300, 300), x[:300], rng.integers(0, 300, 300)) for _ in range(3)]
digest = hashlib.sha256(mlp(32).dump(train.p).tobytes() + wide.dump(second.p).tobytes())
digest.update(repr((history.steps, large)).encode())
print(digest.hexdigest())
"""

LOSS: Final = """
import hashlib
import numpy as np
from bendtorch import CrossEntropy

rng = np.random.default_rng(0)
y, labels = rng.standard_normal((40, 2500)).astype(np.float32) * 3, rng.integers(0, 2500, 40)
out = CrossEntropy(40, 2500).grad(y, labels)
print(out.loss, hashlib.sha256(out.dy.tobytes()).hexdigest(), CrossEntropy(40, 2500).value(y, labels))
"""

FORK: Final = """
import os
import sys
import threading
import numpy as np
from bendtorch import Key, Linear

layer = Linear(200, 150, 130)
p = layer.init(Key(0))
x, dy = np.ones((200, 150), np.float32), np.ones((200, 130), np.float32)

def compute():
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    return forward.y.tobytes() + backward.dx.tobytes() + layer.dump(backward.g).tobytes()

expected = compute()
busy = sys.argv[1] == "busy"
stop = threading.Event()

def keep_computing():
    while not stop.is_set():
        compute()

if busy:
    threading.Thread(target=keep_computing, daemon=True).start()
children = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        right = all(compute() == expected for _ in range(20))
        os._exit(0 if right else 1)
    children.append(child)
    compute()
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
stop.set()
print(codes, compute() == expected)
"""

GRANDCHILD: Final = """
import os
import numpy as np
from bendtorch import ReLU

layer, x = ReLU(100, 1000), np.ones((100, 1000), np.float32)
layer.fwd((), x)
child = os.fork()
if child == 0:
    layer.fwd((), x)
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(int(layer.fwd((), x).y.sum() != 100000))
    os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

POOL: Final = """
import multiprocessing
import numpy as np
from bendtorch import Key, LinearNB

layer = LinearNB(150, 150, 150)
p, x = layer.init(Key(0)), np.ones((150, 150), np.float32)

def work(number):
    return layer.fwd(p, x * np.float32(number)).y

if __name__ == "__main__":
    expected = [work(number) for number in range(8)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(work, range(8))
    print(all(a.tobytes() == b.tobytes() for a, b in zip(expected, found)))
"""

THREADS: Final = """
import threading
import numpy as np
from bendtorch import CrossEntropy, Key, Linear

layer, loss = Linear(120, 100, 120), CrossEntropy(120, 120)
p, labels = layer.init(Key(0)), np.arange(120)
inputs = [np.random.default_rng(i).standard_normal((120, 100)).astype(np.float32) for i in range(8)]

def compute(x):
    forward = layer.fwd(p, x)
    out = loss.grad(forward.y, labels)
    backward = layer.bwd(p, forward.s, out.dy, layer.zeros())
    return forward.y.tobytes() + backward.dx.tobytes() + layer.dump(backward.g).tobytes() + repr(out.loss).encode()

expected = [compute(x) for x in inputs]
wrong = []

def work(place):
    for number in range(200):
        if compute(inputs[place]) != expected[place]:
            wrong.append((place, number))

threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""

COLD_THREADS: Final = """
import threading
import numpy as np
from bendtorch import ReLU

layer, x, results = ReLU(100, 1000), np.ones((100, 1000), np.float32), []
threads = [threading.Thread(target=lambda: results.append(float(layer.fwd((), x).y.sum()))) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results == [100000.0] * 8)
"""
