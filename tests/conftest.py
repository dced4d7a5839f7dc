# SPDX-License-Identifier: MIT
"""What all tests stand on."""

import gc
import signal

# A shell that starts the tests in the background makes them ignore Ctrl-C, and the programs that
# they start would inherit it. Several tests send it to them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A process of the tests holds thousands of tests and compiles hundreds of games, which makes many
# objects that stay: to look for garbage among them as often as usual takes a fifth of the time.
gc.set_threshold(50_000, 50, 50)
