# SPDX-License-Identifier: MIT
"""Lies that a worker may tell, each made of its honest answer."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from random import Random
from typing import Any

from unbounded.cluster.job import Answer, Job
from unbounded.cluster.workers import Report


@dataclass
class Liar:
    """What a liar knows: its job, the honest answer, and what it has answered before."""

    name: str
    random: Random
    job: Job = field(init=False)
    honest: Answer = field(init=False)
    past: list[Answer] = field(default_factory=list)


Lie = Callable[[Liar], Any]
HUGE = 50_000
"""Bytes and successors that tests take for too many."""


def lying(work: Callable[[Job], Answer], lie: Lie, name: str = "worker 0", seed: int = 0) -> Any:
    """A worker that tells the same lie each time."""
    liar = Liar(name, Random(seed))

    def answer(job: Job) -> Any:
        liar.job, liar.honest = job, work(job)
        told = lie(liar)
        liar.past.append(liar.honest)
        return told

    return answer


# -- certificates ----------------------------------------------------------------------------------


def lines_of(answer: Answer) -> list[str]:
    """The lines of a certificate but the last, with what the first one says made simple to edit."""
    if answer.certificate is None:
        return []
    return gzip.decompress(answer.certificate).decode().splitlines()[:-1]


def sealed(lines: list[str]) -> bytes:
    """A certificate that is whole, whatever it says."""
    text = "".join(f"{line}\n" for line in lines).encode()
    end = f"end {len(lines)} {hashlib.sha256(text).hexdigest()}\n".encode()
    return gzip.compress(text + end)


def _changed(liar: Liar, change: Callable[[list[str]], list[str]]) -> Answer:
    lines = lines_of(liar.honest)
    if not lines:  # the honest answer leaves it open
        return replace(liar.honest, claims=(">=1",), certificate=None)
    return replace(liar.honest, certificate=sealed(change(lines)))


def _turned(claim: str) -> str:
    """Another claim of the same kind."""
    digits = {"1": "-1", "0": "1", "-1": "1"}
    relation = claim.rstrip("-0123456789.:,e+")
    worths = claim[len(relation) :].split(",")
    first, colon, score = worths[0].partition(":")
    turned = {">=": "<=", "<=": ">="}.get(relation, relation)
    return turned + ",".join([digits[first] + colon + score, *worths[1:]])


def flipped_claims(liar: Liar) -> Answer:
    """Other bounds than the honest ones, without a proof."""
    claims = tuple(map(_turned, liar.honest.claims)) or (">=1",)
    return replace(liar.honest, claims=claims, certificate=None)


def flipped_certificate(liar: Liar) -> Answer:
    """Other bounds in the first line and in the last one, and everything sealed again."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        header["claims"] = [_turned(header["claims"][0])]
        state, uses, *_ = lines[-1].split()
        return [json.dumps(header), *lines[1:-1], f"{state} {uses} {header['claims'][0]}@0"]

    return _changed(liar, change)


def stronger_header(liar: Liar) -> Answer:
    """The first line says more than the last one."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        header["claims"] = [_turned(header["claims"][0])]
        return [json.dumps(header), *lines[1:]]

    return _changed(liar, change)


def other_game(liar: Liar) -> Answer:
    """A certificate of another game."""

    def change(lines: list[str]) -> list[str]:
        return [json.dumps({**json.loads(lines[0]), "game": "tic-tac-toe"}), *lines[1:]]

    return _changed(liar, change)


def file_game(liar: Liar) -> Answer:
    """A certificate that names a file."""

    def change(lines: list[str]) -> list[str]:
        return [json.dumps({**json.loads(lines[0]), "game": "/etc/passwd.py:Game"}), *lines[1:]]

    return _changed(liar, change)


def without_scores(liar: Liar) -> Answer:
    """A certificate with scores where there are none, or without."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        scores, claims = not header["scores"], header["claims"]
        header["claims"] = [c + ":0" if scores else c.partition(":")[0] for c in claims]
        return [json.dumps({**header, "scores": scores}), *lines[1:]]

    return _changed(liar, change)


def truncated(liar: Liar) -> Answer:
    """A file that is cut off."""
    text = liar.honest.certificate or b"\x1f\x8b nothing"
    return replace(liar.honest, certificate=text[: liar.random.randrange(len(text))])


def cut_lines(liar: Liar) -> Answer:
    """A whole file without some of its lines."""
    return _changed(liar, lambda lines: lines[:1] if len(lines) < 3 else [lines[0], *lines[2:]])


def noise(liar: Liar) -> Answer:
    """Bytes without any meaning."""
    return replace(liar.honest, certificate=liar.random.randbytes(200))


def other_state(liar: Liar) -> Answer:
    """A certificate about the position before."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        return [json.dumps({**header, "moves": header["moves"][:-1]}), *lines[1:]]

    return _changed(liar, change)


def moves_of_another(liar: Liar) -> Answer:
    """A certificate whose moves cannot be played."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        return [json.dumps({**header, "moves": ["99", *header["moves"]]}), *lines[1:]]

    return _changed(liar, change)


def replayed(liar: Liar) -> Answer:
    """An old answer, as it was."""
    old = next((one for one in liar.past if one.certificate), None)
    return old or flipped_claims(liar)


def renumbered(liar: Liar) -> Answer:
    """An old answer to another job, with the number of this one."""
    old = next((one for one in liar.past if one.certificate), None)
    known = None if old is None else json.loads(lines_of(old)[0])["moves"]
    if old is None or tuple(known or ()) == liar.job.moves:
        return flipped_claims(liar)
    return replace(old, job=liar.job.number)


def leaning(liar: Liar) -> Answer:
    """A claim that leans on a certificate that is nowhere."""

    def change(lines: list[str]) -> list[str]:
        header = json.loads(lines[0])
        state, uses, *_ = lines[-1].split()
        claims = " ".join(f"{claim}%{'0' * 64}" for claim in header["claims"])
        return [lines[0], f"{state} {uses} {claims}"]

    return _changed(liar, change)


def huge(liar: Liar) -> Answer:
    """More bytes than anybody wants."""
    return replace(liar.honest, certificate=liar.random.randbytes(HUGE + 1))


def bomb(liar: Liar) -> Answer:
    """A small file with a long text."""
    return _changed(liar, lambda lines: [lines[0], *[lines[-1]] * (HUGE // 10)])


def long_line(liar: Liar) -> Answer:
    """A small file with a line that does not end."""
    return replace(liar.honest, certificate=gzip.compress(b"{" * 3_000_000))


def endless_search(liar: Liar) -> Answer:
    """The checker is to search for years."""

    def change(lines: list[str]) -> list[str]:
        state, uses, *_ = lines[-1].split()
        claims = " ".join(f"{c}?999999999" for c in json.loads(lines[0])["claims"])
        return [lines[0], f"{state} {uses} {claims}"]

    return _changed(liar, change)


CERTIFICATE_LIES: list[Lie] = [
    flipped_claims,
    flipped_certificate,
    stronger_header,
    other_game,
    file_game,
    without_scores,
    truncated,
    cut_lines,
    noise,
    other_state,
    moves_of_another,
    replayed,
    renumbered,
    leaning,
    huge,
    bomb,
    long_line,
    endless_search,
]


# -- everything else -------------------------------------------------------------------------------


def wrong_number(liar: Liar) -> Answer:
    """The answer to a job that another worker may have."""
    return replace(liar.honest, job=liar.job.number + liar.random.choice([-1, 1, 10**30]))


ignored: set[int] = set()
"""Jobs that are never answered."""


def never(liar: Liar) -> None:
    """No answer at all."""
    ignored.add(liar.job.number)


def fails(liar: Liar) -> list[Report]:
    """An error instead of an answer."""
    return [Report(liar.job.number, liar.name, None, "it\nfailed \x1b[31m" + "x" * 10_000)]


OTHER_LIES: list[Lie] = [wrong_number, never, fails]


def mad_estimates(liar: Liar) -> Answer:
    """Numbers that only guide: they do no harm."""
    mad = liar.random.choices([math.nan, math.inf, -math.inf, 1e308, -1e308, 10**400, 0], k=2)
    return replace(liar.honest, estimates=tuple(mad), actions=(tuple(mad),) * 5000)


def odd_words(liar: Liar) -> Answer:
    """Texts that a terminal, a log or a database could choke on."""
    odd = "\ud800\x00\x1b[2J\n\r" + "w" * 100_000
    return replace(liar.honest, where=odd, why_open=odd, line=(odd,) * 20_000)


def two_answers(liar: Liar) -> list[Report]:
    """The same answer twice, and answers to jobs that it does not have."""
    number, name = liar.job.number, liar.name
    mine = Report(number, name, liar.honest)
    others = [
        Report(number, "worker 1", replace(liar.honest, claims=(">=1",), certificate=None)),
        Report(number + 1, name, replace(liar.honest, job=number + 1)),
        Report(10**9, name, liar.honest),
    ]
    return [*others, mine, mine]


JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    10**400,
    1.5,
    math.nan,
    math.inf,
    "",
    "x",
    "\ud800",
    b"x",
    (),
    ((),),
    (None, None),
    ("=9", ">="),
    ((math.nan, 10**400),),
    [[[]]],
    {},
    object(),
    lambda: None,
]


def junk(liar: Liar) -> Answer:
    """Something else in one of the fields, or in several."""
    names = [one.name for one in fields(Answer)]
    chosen = liar.random.sample(names, liar.random.randint(1, 3))
    return replace(liar.honest, **{name: liar.random.choice(JUNK) for name in chosen})


HARMLESS: list[Lie] = [mad_estimates, odd_words, two_answers, junk]


def anything(liar: Liar) -> Any:
    """Another lie each time."""
    return liar.random.choice([*CERTIFICATE_LIES, wrong_number, fails, *HARMLESS])(liar)
