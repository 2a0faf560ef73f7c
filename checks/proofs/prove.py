# Runs all proofs and all planted faults; the program of check.mjs. A proof whose function cannot be read any more fails.
import sys

import digits
import field
import hashes
import limits
import nonces
import packets
from parse import Unreadable
from report import Refuted, Report, Source

MODULES = [packets, nonces, limits, digits, hashes, field]

report = Report()
for module in MODULES:
    for proof, faults in module.PROOFS:
        for fault in [None, *faults]:
            source = Source(fault if isinstance(fault, tuple) else None)
            where = f"{module.__name__}.{proof.__name__}" + (f", planted {fault}" if fault else "")
            try:
                proof(report, source, fault)
            except Refuted:
                continue
            except (Unreadable, AssertionError, AttributeError, KeyError, TypeError, ValueError) as error:
                report.fail(f"{where}: the source is not as the proof expects ({type(error).__name__}: {error})")
                continue
            if isinstance(fault, tuple) and not source.planted:
                report.fail(f"{where}: the source has no such text")
            elif fault:
                report.fail(f"{where}: not noticed")
sys.exit(report.end())
