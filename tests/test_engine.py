# SPDX-License-Identifier: MIT
"""The engine answers everything, and nothing that is sent brings it down."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_cli import check_result

from unbounded.game import UsageError
from unbounded.interfaces import engine as engine_module
from unbounded.interfaces.engine import LONGEST_LINE, Engine, read_request

ROOT = Path(__file__).parent.parent
ENGINE = [sys.executable, "-m", "unbounded", "engine"]
LONG = 600
"""Seconds: more than a test lasts unless something that should end it does not."""


def ask(*requests: Any) -> list[dict[str, Any]]:
    """Send requests to an engine in this process; return all answers."""
    answers: list[dict[str, Any]] = []
    engine = Engine(answers.append)
    engine.serve(x if isinstance(x, str) else json.dumps(x) for x in requests)
    return answers


def test_an_analysis() -> None:
    (answer,) = ask({"id": "a", "game": "tic-tac-toe", "moves": "a1 b2", "iterations": 50})
    assert (answer["id"], answer["final"]) == ("a", True)
    check_result(json.loads(json.dumps(answer["result"])))
    assert answer["result"]["iterations"] == 50
    assert answer["result"]["moves"] == ("a1", "b2")


def test_solving() -> None:
    (answer,) = ask({"id": 1, "game": "tic-tac-toe", "solve": True})
    assert answer["result"]["outcome"] == (0, 0)
    assert answer["result"]["probes"]


def test_results_on_the_way() -> None:
    answers = ask({"id": 1, "game": "connect-four", "seconds": 0.5, "report_every": 0.1})
    assert [a["final"] for a in answers[:-1]] == [False] * (len(answers) - 1)
    assert answers[-1]["final"]
    assert len(answers) > 2
    counts = [a["result"]["iterations"] for a in answers]
    assert counts == sorted(counts)


def test_what_needs_no_search() -> None:
    answers = ask({"id": 1, "do": "games"}, {"id": 2, "do": "version"}, {"do": "quit"}, "{}")
    assert "hex" in answers[0]["games"]
    assert answers[1]["unbounded"]
    assert len(answers) == 3  # nothing is read after that


def test_a_search_can_be_ended() -> None:
    answers: list[dict[str, Any]] = []
    engine = Engine(answers.append)
    for number in (1, 2, 3):
        engine.take(json.dumps({"id": number, "game": "connect-four", "seconds": LONG}))
    engine.take(json.dumps({"id": 8, "do": "terminate", "target": 2}))
    time.sleep(0.3)
    engine.take(json.dumps({"id": 9, "do": "terminate", "target": 1}))
    engine.take(json.dumps({"id": 10, "do": "terminate", "target": 3}))
    engine.close()
    finals = [a for a in answers if a.get("final")]
    assert [a["id"] for a in finals] == [1, 2, 3]
    assert all(not a["result"]["resolved"] for a in finals)
    assert all(a["result"]["seconds"] < LONG for a in finals)


def test_what_was_ended_in_vain_is_forgotten() -> None:
    """To end what is not there does not end what comes later under the same id."""
    answers = ask(
        {"id": 8, "do": "terminate", "target": 1},
        {"id": 1, "game": "connect-four", "iterations": 30},
    )
    assert answers[0] == {"id": 8, "error": "no request 1 is running or waiting"}
    assert answers[-1]["result"]["stopped"] == "iterations"


def test_ending_whatever_runs_needs_no_target() -> None:
    assert ask({"id": 8, "do": "terminate"}) == [{"id": 8, "terminating": None}]
    (answer,) = ask({"do": "terminate", "target": "x" * 1000})
    assert len(answer["error"]) < 200


def test_quitting_ends_what_waits() -> None:
    waiting = [{"id": n, "game": "connect-four", "seconds": LONG} for n in range(5)]
    answers = ask(*waiting, {"id": 9, "do": "quit"})
    finals = [a for a in answers if a.get("final")]
    assert {a["id"] for a in finals} == set(range(5))
    assert all(a["result"]["seconds"] < LONG for a in finals)


def test_too_many_requests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "MOST_WAITING", 3)
    waiting = [{"id": n, "game": "connect-four", "seconds": 0.3} for n in range(8)]
    answers = ask(*waiting)
    assert {a["id"] for a in answers} == set(range(8))
    assert any("too many" in a.get("error", "") for a in answers)
    assert any("result" in a for a in answers)


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("", "not JSON"),
        ("[1]", "JSON object"),
        ('{"gme": "x"}', "did you mean 'game'"),
        ('{"do": "analyse"}', "did you mean 'analyze'"),
        ('{"seconds": "1"}', "seconds must be"),
        ('{"seconds": true}', "seconds must be"),
        ('{"paper": 1}', "paper must be"),
        ('{"id": [1]}', "id must be"),
        ("[" * 100_000, "not JSON"),
        ('{"game": "' + "x" * LONGEST_LINE + '"}', "characters"),
    ],
)
def test_what_is_not_understood(request_text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_request(request_text)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({}, "needs a game"),
        ({"game": "chess"}, "unknown game"),
        ({"game": "tic-tac-toe", "moves": "z9"}, "illegal move"),
        ({"game": "tic-tac-toe", "moves": [1]}, "names of actions"),
        ({"game": "tic-tac-toe", "seconds": -1}, "seconds must be"),
        ({"game": "tic-tac-toe", "report_every": -1}, "report_every must be"),
        ({"game": "tic-tac-toe", "algorithm": "a*"}, "unknown algorithm"),
        ({"game": "tic-tac-toe", "threads": 0}, "threads must be"),
        ({"game": "examples/nim_sticks.py"}, "not allowed here"),
    ],
)
def test_what_cannot_be_done(told: dict[str, Any], words: str) -> None:
    (answer,) = ask({"id": 1, **told})
    assert answer["id"] == 1
    assert words in answer["error"]


def nonsense(random: Random) -> str:
    """A request, or something like one."""
    values = [1, -1, 0, 1e308, True, None, "x", "", [], {}, "tic-tac-toe", "nim", [["a"]], "1G"]
    keys = [
        "id",
        "do",
        "game",
        "moves",
        "seconds",
        "iterations",
        "report_every",
        "threads",
        "solve",
    ]
    keys += ["algorithm", "values", "evaluation", "memory", "target", "paper", "states", "x", ""]
    told = {random.choice(keys): random.choice(values) for _ in range(random.randint(0, 5))}
    if random.random() < 0.5:
        told |= {"game": "nim", "iterations": random.randint(0, 20)}
    if told.get("do") == "quit":
        del told["do"]
    text = json.dumps(told)
    if random.random() < 0.3:
        at = random.randrange(len(text))
        text = text[:at] + random.choice('{}[]",:\\\x00é') + text[at + random.randint(0, 2) :]
    return text


def test_ten_thousand_requests() -> None:
    """Random and malformed: each is answered, and the engine is alive at the end."""
    random = Random(7)
    texts = [nonsense(random) for _ in range(10_000)]
    sent = [text for text in texts if text.strip()]
    with subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        answers: list[dict[str, Any]] = []

        def read() -> None:
            assert engine.stdout is not None
            answers.extend(json.loads(line) for line in engine.stdout)

        reader = threading.Thread(target=read)
        reader.start()
        for number, text in enumerate(sent):
            engine.stdin.write(text.encode() + b"\n")
            if number % 200 == 199:  # else they would have to wait, and too many may not
                engine.stdin.flush()
                while sum(a.get("final", True) for a in answers) < number - 500:
                    time.sleep(0.01)
        engine.stdin.write(b'{"id": "alive", "do": "version"}\n')
        engine.stdin.close()
        reader.join(timeout=200)
        assert engine.wait(timeout=10) == 0
    finals = [a for a in answers if a.get("final", True)]
    assert len(finals) == len(sent) + 1
    assert any(a["id"] == "alive" for a in finals)
    assert sum("error" in a for a in finals) > 1000
    assert sum("result" in a for a in finals) > 500


def test_lines_that_are_too_long_and_bytes_that_are_no_text() -> None:
    given = (
        b'{"id": 1, "game": "'
        + b"x" * (LONGEST_LINE + 100)
        + b'"}\n\xff\xfe\x00\n{"do":"version"}\n'
    )
    done = subprocess.run(ENGINE, input=given, capture_output=True, check=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 3
    assert "error" in answers[0]
    assert "error" in answers[1]
    assert "unbounded" in answers[2]
    assert done.stderr == b""


def test_the_example_drives_it() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "engine_client.py"), "tic-tac-toe", "a1"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "s: " in done.stdout
