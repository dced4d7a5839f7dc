# SPDX-License-Identifier: MIT
"""A program that plays tic-tac-toe, well or badly: `fake_program.py PROTOCOL CONDUCT [SEAT]`.

Its errors go to stderr before it misbehaves, so that tests can look for them.
"""

import os
import signal
import sys
import time

CELLS = [column + row for row in "123" for column in "abc"]


def say(text):
    print(text, flush=True)


def answer(conduct, played, prefix=""):
    """Write a move, or do what the conduct is."""
    free = [cell for cell in CELLS if cell not in played]
    if conduct != "right":
        print(f"now it {conduct}", file=sys.stderr, flush=True)
    if conduct == "dies":
        sys.exit(3)
    if conduct == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)
    while conduct == "floods":
        os.write(1, b"x" * 200 + b"\n")
    while conduct == "never ends a line":
        os.write(1, b"x" * 5000)
    if conduct == "is slow":
        time.sleep(0.3)
    move = {"plays an illegal move": (played or ["a9"])[0], "says nothing": ""}.get(
        conduct, free[0]
    )
    if conduct == "talks nonsense":
        say("\x1b[2J [/red] I would rather play chess")
        time.sleep(1000)
    say(f"{prefix}{move}")
    return move


def uci(conduct):
    played = []
    for line in sys.stdin:
        words = line.split()
        if words[0] == "uci":
            say("id name fake\nuciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "position":
            played = words[3:]
        elif words[0] == "go":
            say("info depth 1 score cp 0")
            answer(conduct, played, "bestmove ")


def gtp(conduct):
    played = []
    for line in sys.stdin:
        words = line.split()
        if words[0] == "clear_board":
            played = []
        elif words[0] == "play":
            if words[2] in played:
                say("? illegal move\n")
                continue
            played.append(words[2])
        elif words[0] == "genmove":
            played.append(answer(conduct, played, "= "))
            say("")
            continue
        elif words[0] == "time_left":
            say("? unknown command\n")
            continue
        say("=\n")


def pipe(conduct, seat):
    played = []
    while True:
        if len(played) % 2 == seat:
            played.append(answer(conduct, played))
        else:
            line = sys.stdin.readline()
            if not line:
                return
            played.append(line.strip())


if __name__ == "__main__":
    if sys.argv[1] == "pipe":
        pipe(sys.argv[2], int(sys.argv[3]))
    else:
        {"uci": uci, "gtp": gtp}[sys.argv[1]](sys.argv[2])
