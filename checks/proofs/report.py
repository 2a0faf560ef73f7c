# One line for each proof and each planted fault, and the verdict of the run.
import time

import z3
from algebra import at, difference
from evaluate import text_of
from values import Int, Paths

TIMEOUT = 100_000  # milliseconds
SILENCE = "z3 has no answer in time"


class Refuted(Exception):
    """Ends a proof with a planted fault, as soon as one claim does not hold."""


class Report:
    def __init__(self):
        self.proved, self.refuted, self.failed = 0, 0, []
        self.began = self.clock = time.perf_counter()

    def line(self, text):
        """Prints a line, with the time since the one before."""
        now = time.perf_counter()
        print(f"proofs: {text}, {now - self.clock:.2f} s", flush=True)
        self.clock = now

    def fail(self, text):
        self.failed.append(text)
        self.line(f"FAILED: {text}")

    def settle(self, name, fault, counterexample, detail=""):
        """One claim, with the inputs for which it does not hold, if there are any."""
        if not fault:
            self.proved += counterexample is None
            return self.line(f"proved: {name}{detail}") if counterexample is None else self.fail(f"{name}: {counterexample}")
        if counterexample is not None:
            self.refuted += 1
            planted = fault[1].strip() if isinstance(fault, tuple) else fault
            self.line(f"planted `{planted}`, refuted: {counterexample}")
            raise Refuted

    def end(self):
        seconds = time.perf_counter() - self.began
        print(f"proofs: {self.proved} claims proved for all inputs, {self.refuted} planted faults refuted, {seconds:.1f} s")
        return 1 if self.failed else 0


def counterexample(model, shown):
    """The values of the inputs, in hexadecimal."""
    return ", ".join(f"{name} = {model.eval(value, model_completion=True).as_long():#x}" for name, value in shown.items())


def check(claim, assume, shown):
    """True, or the inputs for which the claim does not hold."""
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT)
    solver.add(*assume, z3.Not(claim))
    answer = solver.check()
    if answer == z3.unsat:
        return True
    return counterexample(solver.model(), shown) if answer == z3.sat else SILENCE


def forall(report, name, run, claim, assume=(), shown=None, fault=None):
    """Proves `claim(value)` for the value of `run(paths)` on every path, and that no path panics."""
    paths = Paths(assume)
    Int.paths = paths
    bad = None
    results = paths.explore(lambda: run(paths))
    for conditions, value, obligations in results:
        Int.paths = paths
        goals = [(obligation, f"{why} fails for ") for obligation, why in obligations]
        goals.append((z3.Implies(z3.And(*conditions), claim(value)), ""))
        for goal, why in goals:
            answer = check(goal, assume, shown or {})
            if answer is not True:
                bad = why + answer
                break
        if bad:
            break
    if bad and bad.endswith(SILENCE):
        return report.fail(f"{name}: {bad}")  # which refutes no planted fault either
    report.settle(name, fault, bad, f" ({len(results)} paths)" if len(results) > 1 else "")


class Source:
    """A source file, with or without one planted change."""

    def __init__(self, fault=None):
        self.fault, self.planted = fault, False

    def __call__(self, path):
        text, planted = text_of(path, self.fault)
        self.planted |= planted
        return text


def algebraic(report, name, ours, theirs, fault=None):
    """Proves that two lists of bits are the same polynomials over GF(2) in the bits of the inputs."""
    found = difference(ours, theirs)
    where = None
    if found is not None:
        point = ", ".join(f"bit {i} of {input}" for input, i in sorted(found)) or "no bit"
        where = f"with {point} set alone, {at(ours, found):#x} instead of {at(theirs, found):#x}"
    report.settle(name, fault, where)
