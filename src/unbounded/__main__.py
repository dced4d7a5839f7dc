# SPDX-License-Identifier: MIT
"""`python -m unbounded` is the command line, and so is the program `unbounded`."""

import atexit
import os
import signal
import sys


def run() -> int:
    """Run the command line; Ctrl-C ends it quietly, also while it is still being imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
        # The interpreter drops handlers before it has ended: Ctrl-C would then change the exit code
        # of a program that is done. Registered first, this runs last.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    from unbounded.interfaces.cli.main import main

    try:
        return main()
    except KeyboardInterrupt:  # one more, while the last one was being answered
        os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    sys.exit(run())
