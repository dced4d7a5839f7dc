# SPDX-License-Identifier: MIT
"""What all tests stand on."""

import signal

# A shell that starts the tests in the background makes them ignore Ctrl-C, and the programs that
# they start would inherit it. Several tests send it to them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
