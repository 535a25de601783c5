"""A small language model, taught to write from nothing but twelve plays of Shakespeare's, letter by letter.

    python examples/shakespeare.py --minutes 2    # as many steps as this machine takes in that time
    python examples/shakespeare.py --steps 2000   # the same run on every machine of its kind, to the last bit
    python examples/shakespeare.py --resume       # goes on where Ctrl-C, or a power cut, ended a run
    python examples/shakespeare.py --resume --prompt "OTHELLO."   # of a run that is complete: only writes

The text is in examples/data. Its last play is held out: the model is judged by its loss on it, in nats a letter. A run
keeps its settings, log, checkpoints and loss curve in --out.
"""

from __future__ import annotations

import argparse
import bz2
import json
import time
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from bendtorch import (
    VECTORS,
    AdamW,
    Callback,
    Checkpoints,
    ClipNorm,
    CosineLR,
    CrossEntropy,
    Dim,
    Grouped,
    Ids,
    JsonLines,
    Key,
    Layer,
    Loss,
    Mat,
    Run,
    Train,
    evaluate,
    fit,
    ids,
    latest,
    load_train,
    windows,
)
from bendtorch.models import Llama, init_normal
from bendtorch.shapes.dims import B

TEXT: Final = Path(__file__).with_name("data") / "shakespeare.txt.bz2"
ALPHABET: Final = "\n !\"&'(),-.123456789:;?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz"
LETTERS: Final = 77
WINDOW: Final = 128  # letters that the model sees at once
HELD_OUT: Final = 114_185  # letters: "Twelfth Night"
GLANCE: Final = 25_600  # of these, what is looked at during the run
TRIAL: Final = 40  # steps, not kept, that tell how many fit into some minutes


@dataclass(frozen=True)
class Settings:
    """What a run is made of. Equal settings give equal bits."""

    steps: int
    batch: int = 4  # windows in a step
    width: int = 128
    heads: int = 4
    half: int = 16  # half of a head's numbers
    inner: int = 352  # the width inside of the feed-forward layers
    depth: int = 5
    dropout: float = 0.05
    rate: float = 3e-3  # the learning rate at its peak
    seed: int = 0

    @property
    def every(self) -> int:
        """Steps between two looks at the held-out play, after which the run is saved: there are eight."""
        return -(-self.steps // 8)

    def model(self, b: Dim[B]) -> Layer[Any, Ids["B*WINDOW"], Mat["B*WINDOW", LETTERS], Any]:
        """The model: from b sequences of letters, scores of the letters that may follow each."""
        d, heads, half, inner = self.width, self.heads, self.half, self.inner
        return Llama(b, WINDOW, LETTERS, d, heads, 1, half, inner, self.depth, dropout=self.dropout)


def next_letter(b: Dim[B]) -> Loss[Mat["B*WINDOW", LETTERS], Ids["B*WINDOW"]]:
    """The loss: minus the logarithm of the probability that the model gives the letter that does follow."""
    return CrossEntropy(b * WINDOW, LETTERS)


class Task:
    """The model, its text, and how it learns."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        text = encoded(bz2.decompress(TEXT.read_bytes()).decode("ascii"))
        self.initial, order, self.pen = Key(settings.seed).split(3)
        self.data = windows(text[:-HELD_OUT], WINDOW, settings.batch, order)
        self.held_out = windows(text[-HELD_OUT:], WINDOW, 8)
        self.glance = windows(text[-HELD_OUT:][:GLANCE], WINDOW, 8)
        self.model = settings.model(settings.batch)
        rate = CosineLR(settings.rate, settings.steps, warmup=min(100, settings.steps // 10))
        matrices, vectors = AdamW(rate, beta2=0.99, weight_decay=0.1), AdamW(rate, beta2=0.99, weight_decay=0.0)
        self.optimizer, self.clip = Grouped(matrices, {VECTORS: vectors}), ClipNorm(1.0)

    def start(self, checkpoint: Path | None = None) -> Train[Any]:
        """A new run, or that of a checkpoint."""
        if checkpoint is not None:
            return load_train(checkpoint, self.model, self.optimizer, clip=self.clip, data=self.data)
        return Train.new(self.model, self.optimizer, init_normal(self.model, self.initial), clip=self.clip)

    def learn(self, train: Train[Any], callbacks: list[Callback[Any]]) -> None:
        """Take the steps that are left."""
        s = self.settings
        fit(train, s.model, next_letter, self.data, steps=s.steps, start=train.t, callbacks=callbacks)

    def loss(self, p: Any, *, whole: bool) -> float:
        """The loss on held-out text, in nats a letter."""
        return evaluate(self.settings.model, next_letter, self.held_out if whole else self.glance, p)

    def text(self, p: Any, prompt: str, count: int) -> str:
        """The prompt, and so many letters more, each drawn by the probability that the model gives it."""
        model = self.settings.model(1).eval()
        for draw in self.pen.uniform(count, 0.0, 1.0):
            seen = prompt[-WINDOW:]
            scores = model.fwd(p, ids(WINDOW, encoded(seen.ljust(WINDOW)))).y[len(seen) - 1].astype(np.float64)
            chances = np.cumsum(np.exp((scores - scores.max()) / 0.8))  # the likelier ones a little more often
            prompt += ALPHABET[np.searchsorted(chances, draw * chances[-1], side="right")]
        return prompt


def encoded(text: str) -> Ids[int]:
    """The places of letters in the alphabet."""
    places = np.full(128, -1, np.int64)
    places[[ord(letter) for letter in ALPHABET]] = np.arange(LETTERS)
    return places[np.frombuffer(text.encode("ascii"), np.uint8)]


class Clock(Callback[Any]):
    """Knows how long a step takes."""

    def __init__(self) -> None:
        self.times = [time.perf_counter()]

    def after_step(self, run: Run[Any]) -> None:
        """Look at the clock."""
        self.times.append(time.perf_counter())

    def seconds(self) -> float:
        """The median: steps in which kernels are compiled, or others use the machine, do not count."""
        return float(np.median(np.diff(self.times)))


class Watch(Clock):
    """Looks at the held-out play every so many steps: its loss goes into the log and onto the screen, with a sample."""

    def __init__(self, task: Task, log: JsonLines[Any], prompt: str) -> None:
        super().__init__()
        self.task, self.log, self.prompt = task, log, prompt

    def after_step(self, run: Run[Any]) -> None:
        """Look, where it is time."""
        super().after_step(run)
        s, step = self.task.settings, run.train.t
        if step % s.every and step != s.steps:
            return
        loss, speed = self.task.loss(run.train.p, whole=False), s.batch * WINDOW / self.seconds()
        self.log.write(step=step, held_out=loss)
        print(f"step {step} of {s.steps}: loss {run.loss:.3f}, held out {loss:.3f}, {speed:,.0f} letters a second")
        print("    " + self.task.text(run.train.p, self.prompt, 120).strip().replace("\n", "\n    "), flush=True)


def new_settings(minutes: float = 2.0, steps: int | None = None, **others: Any) -> Settings:
    """Those of a new run: of so many steps, or of as many as this machine takes in that time."""
    if steps is None:
        clock, task = Clock(), Task(Settings(TRIAL, **others))
        task.learn(task.start(), [clock])
        left = 60 * minutes - (clock.times[-1] - clock.times[0])  # less where the kernels had to be compiled
        steps = max(int(0.85 * left / clock.seconds()), TRIAL)  # the rest is for looking at the held-out play
        print(f"{minutes:g} minutes: --steps {steps}")
    return Settings(steps, **others)


def draw_curve(log: Path, picture: Path) -> None:
    """Draw the loss of every step, and on the held-out play."""
    from matplotlib.figure import Figure

    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    losses = {line["step"]: line["loss"] for line in lines if "loss" in line}  # a step that was repeated counts once
    held_out = {line["step"]: line["held_out"] for line in lines if "held_out" in line}
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(list(losses), list(losses.values()), color="#b8c4d6", linewidth=0.8, label="each step")
    axes.plot(list(held_out), list(held_out.values()), color="#1f4e9e", marker="o", label="held-out play")
    axes.set(xlabel="step", ylabel="nats a letter", title="A language model on plays by Shakespeare")
    axes.legend(frameon=False)
    figure.savefig(picture, dpi=120)


def main(settings: Settings, out: Path, prompt: str) -> None:
    """Train, or go on; then say how good it is and write something."""
    task, log = Task(settings), JsonLines[Any](out / "log.jsonl")
    train, saved = task.start(latest(out)), Checkpoints[Any](out, task.model, every=settings.every, data=task.data)
    print(f"{task.model.count():,} parameters; step {train.t} of {settings.steps}", flush=True)
    try:
        task.learn(train, [log, Watch(task, log, prompt), saved])
    except KeyboardInterrupt:
        raise SystemExit(f"stopped after step {train.t} of {settings.steps}; go on with --resume --out {out}") from None
    print(f"held-out loss {task.loss(train.p, whole=True):.3f} nats a letter\n\n{task.text(train.p, prompt, 500)}")
    draw_curve(out / "log.jsonl", out / "curve.png")
    end = (out / f"step-{settings.steps:06d}.safetensors").read_bytes()
    print(f"\nthe loss curve is {out / 'curve.png'}\nSHA-256 of the end {sha256(end).hexdigest()}")


def arguments() -> tuple[Settings, Path, str]:
    """What the command line asks for; the settings of a run are kept beside it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, argument_default=argparse.SUPPRESS
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="train about so long (2)")
    length.add_argument("--steps", type=int, help="train so many steps")
    parser.add_argument("--resume", action="store_true", default=False, help="go on with the run in --out")
    parser.add_argument("--out", type=Path, default=Path("out/shakespeare"), help="(out/shakespeare)")
    parser.add_argument("--prompt", default="MACBETH.\n", help="what the samples begin with")
    for setting in fields(Settings)[1:]:
        parser.add_argument(f"--{setting.name}", type=type(setting.default), help=f"({setting.default})")
    given = vars(parser.parse_args())
    resume, out, prompt = (given.pop(name) for name in ("resume", "out", "prompt"))
    kept = out / "settings.json"
    if not prompt or set(prompt) - set(ALPHABET):
        parser.error(f"a prompt is written with {ALPHABET!r}")
    if resume != kept.exists():
        parser.error(f"{out} has no run" if resume else f"{out} has a run; go on with --resume, or name another --out")
    if resume and given:
        parser.error("--resume goes on with the run's own settings; give no others")
    if resume:
        return Settings(**json.loads(kept.read_text(encoding="utf-8"))), out, prompt
    settings = new_settings(**given)
    out.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(asdict(settings)), encoding="utf-8")
    return settings, out, prompt


if __name__ == "__main__":
    main(*arguments())
