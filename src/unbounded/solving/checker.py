# SPDX-License-Identifier: MIT
"""Check a certificate by the rules of the game alone.

Imports the package `game/` and the standard library only: no search, no compiled code. A
certificate is refused unless every claim follows, by the game's own rules, from claims on lines
before it; so they cannot support each other in a ring. Format: `docs/certificates.md`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, RecordGame, UnboundedError

FORMAT, VERSION, LONGEST_LINE = "unbounded certificate", 1, 1 << 20
Worth = tuple[int, float]  # outcome, and score: 0 where a certificate is about outcomes only
PLACE = "(?:0|[1-9][0-9]{0,4})"
LINE = re.compile(rf"([0-9a-f]+|\.|(?:\.{PLACE})+) (0|[1-9]\d{{0,8}})((?: [-+0-9.:,e@<>=]+)+)")
CLAIM = re.compile(rf"(>=|<=|=)([^@]+)(?:@({PLACE}))?")
WORTH = re.compile(r"(-1|0|1)(?::(-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:e[-+]?[0-9]{1,3})?))?")


class CertificateError(UnboundedError):
    """A certificate does not prove what it claims: where, and why."""


@dataclass(frozen=True)
class Header:
    """What a certificate is about."""

    game: str
    moves: tuple[str, ...]
    kind: str  # "bounds" (two players, zero sum) or "equilibrium" (any number of players)
    scores: bool  # whether claims are about outcome and score, or about the outcome alone
    states: str  # how states are given: by their "bytes", or by "paths" of actions
    value: tuple[Worth, ...]  # what is claimed of the position after the moves, per player
    fields: Any = None  # of a record


@dataclass(frozen=True)
class Claim:
    """What a line claims of its state."""

    relation: str  # ">=" or "<=", for the first player's worth; or "=", for every player's
    worth: tuple[Worth, ...]
    witness: int | None  # the place of an action


@dataclass(frozen=True)
class Verdict:
    """What an accepted certificate proves, and how big it was."""

    header: Header
    states: int
    most_held: int  # states in memory at once


def check(lines: Iterable[bytes], load_game: Callable[[str], Game[Any, Any]]) -> Verdict:
    """Check a certificate, given as lines; raise an error unless it proves what it claims."""
    number, about, checker = 0, "", None
    try:
        for line in sealed(lines):
            number, about = number + 1, ""
            if number == 1:
                header = read_header(line)
                checker = Checker(load_game(header.game), header)
            elif checker is not None:
                about = " (state " + line.split(b" ", 1)[0][:80].decode("ascii", "replace") + ")"
                checker.take(line)
        if checker is None:
            raise CertificateError("this is not a certificate")
        return checker.finish()
    except Exception as error:  # also by the rules, called with states that need not exist
        kind = "" if isinstance(error, CertificateError) else f"{type(error).__name__}: "
        raise CertificateError(f"refused, line {max(1, number)}{about}: {kind}{error}") from error


def sealed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines but the last, which has their number and their digest."""
    digest, count, end = hashlib.sha256(), 0, b""
    for line in lines:
        if end or not line.endswith(b"\n") or len(line) > LONGEST_LINE:
            raise CertificateError("this is no certificate, or it is cut off, or goes on")
        if line.startswith(b"end "):
            end = line
            continue
        digest.update(line)
        count += 1
        yield line[:-1]
    if end != b"end %d %s\n" % (count, digest.hexdigest().encode()):
        raise CertificateError("the file is damaged or incomplete: its last line does not fit")


def read_header(line: bytes) -> Header:
    """Read the first line, believing nothing."""
    try:
        data = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise CertificateError("this is not a certificate")
    if data.get("version") is True or data.pop("version", None) != VERSION:
        raise CertificateError(f"its version is not {VERSION}, the one known here")
    fields = data.pop("fields", None)
    kinds = {"game": str, "moves": list, "kind": str, "scores": bool, "states": str, "value": str}
    if set(data) != set(kinds) or not all(isinstance(data[key], kinds[key]) for key in kinds):
        raise CertificateError(f"it must have {', '.join(kinds)} and nothing else")
    named = all(isinstance(move, str) for move in data["moves"])
    known = data["kind"] in ("bounds", "equilibrium") and data["states"] in ("bytes", "paths")
    if not (named and known):
        raise CertificateError("an unknown kind, or moves that are not names of actions")
    data["value"] = read_worths(data["value"], data["scores"])
    return Header(**{**data, "moves": tuple(data["moves"]), "fields": fields})


def read_worths(text: str, scores: bool) -> tuple[Worth, ...]:
    """Read `1,-1`, or `1:6.5,-1:-6.5` in a certificate with scores."""
    matches = [WORTH.fullmatch(part) for part in text.split(",")]
    if not all(match and (match[2] is not None) == scores for match in matches):
        raise CertificateError(f"{text[:80]!r} is not a worth")
    worths = [(int(match[1]), as_float32(float(match[2] or 0))) for match in matches if match]
    if not all(math.isfinite(score) for _, score in worths):
        raise CertificateError(f"{text[:80]!r} is not a worth")
    return tuple(worths)


def as_float32(score: float) -> float:
    """Round a score to 32 bits, for scores are compared so; see `Game.score`."""
    return float(struct.unpack("<f", struct.pack("<f", score))[0]) + 0.0


class Checker:
    """Takes the lines one after the other; holds what later lines may still rest on."""

    def __init__(self, game: Game[Any, Any], header: Header) -> None:
        fields = None
        if isinstance(game, RecordGame):
            fields = [[f.name, f.type, f.count or 1] for f in game.state.fields]
        two = game.players == 2 and game.zero_sum
        fits = header.fields == fields and (fields is not None or header.states == "paths")
        if not fits or len(header.value) != game.players or (header.kind == "bounds" and not two):
            raise CertificateError(f"a certificate of this kind does not fit {game}")
        if game.has_score and not two and not header.scores:  # they decide between wins
            raise CertificateError(f"{game} has scores, and the certificate ignores them")
        self.game, self.header, self.root = game, header, game.initial()
        for move in header.moves:
            action = game.parse_action(self.root, move)
            if game.action_name(self.root, action) != move:
                raise CertificateError(f"{move!r} is spelled in another way")
            self.root = game.next(self.root, action)
        self.held: dict[Any, tuple[list[Claim], int]] = {}
        self.states = self.most_held = 0
        self.proven: list[Claim] | None = None  # of the root, whose line is the last

    def take(self, line: bytes) -> None:
        """Check one line."""
        match = LINE.fullmatch(line.decode("ascii", "replace"))
        if match is None:
            raise CertificateError("this is not a line of a certificate")
        state, uses = self.read_state(match[1]), int(match[2])
        if state in self.held or self.proven is not None:
            raise CertificateError("there was a line about the same state, or the last one")
        if (uses == 0) != (state == self.root):
            raise CertificateError("nothing rests on this state, or something on the last")
        claims = [self.read_claim(part) for part in match[3].split()]
        if len({(claim.relation, claim.worth) for claim in claims}) < len(claims):
            raise CertificateError("the same is claimed twice")
        self.check(state, claims)
        self.states += 1
        if uses == 0:
            self.proven = claims
            return
        self.held[state] = claims, uses
        self.most_held = max(self.most_held, len(self.held))

    def read_state(self, text: str) -> Any:
        """Find the state that is meant."""
        if text.startswith(".") != (self.header.states == "paths"):
            raise CertificateError("states are given in another way")
        if isinstance(self.game, RecordGame) and self.header.states == "bytes":
            if len(text) != 2 * self.game.state.size:
                raise CertificateError("this is not a state of the game")
            return bytes.fromhex(text)
        state = self.root
        for step in text[1:].split(".") if text != "." else ():
            state = self.child(state, list(self.game.actions(state)), int(step))
        return state

    def read_claim(self, text: str) -> Claim:
        """Read `>=0@3`, `<=1`, or `=1,-1,-1@0`."""
        match = CLAIM.fullmatch(text)
        if match is not None and (match[1] == "=") == (self.header.kind == "equilibrium"):
            worths = read_worths(match[2], self.header.scores)
            if len(worths) == (self.game.players if match[1] == "=" else 1):
                return Claim(match[1], worths, None if match[3] is None else int(match[3]))
        raise CertificateError(f"{text[:80]!r} is not a claim")

    def check(self, state: Any, claims: list[Claim]) -> None:
        """Check what is claimed of a state: by its end, or by what is claimed of its successors."""
        actions = list(self.game.actions(state))
        used: dict[Any, list[Claim]] = {}
        for claim in claims:
            if not actions:
                if claim.witness is not None or not follows(claim, self.end_of(state)):
                    raise CertificateError(f"the game is over here, and ends {self.end_of(state)}")
                continue
            mover = self.game.player(state)
            if claim.relation == "=":
                self.check_equilibrium(state, actions, mover, claim, used)
                continue
            # The player for whom it is a claim needs one action that is good enough; where the
            # other moves, every action must be.
            chooses = (claim.relation == ">=") == (mover == 0)
            if chooses != (claim.witness is not None):
                raise CertificateError(
                    "a witness is needed where the player moves who claims, only there"
                )
            indices = range(len(actions)) if claim.witness is None else [claim.witness]
            for child in (self.child(state, actions, index) for index in indices):
                known = self.look_up(child, used)
                if not any(k.relation == claim.relation and follows(claim, k.worth) for k in known):
                    raise CertificateError("a successor is not known to be good enough")
        for child in used:  # each line counts as one use, and after the last one it is forgotten
            if (left := self.held.pop(child))[1] > 1:
                self.held[child] = left[0], left[1] - 1

    def check_equilibrium(
        self, state: Any, actions: list[Any], mover: int, claim: Claim, used: dict[Any, list[Claim]]
    ) -> None:
        """One successor has the same worths, and no other can be better for the mover."""
        if claim.witness is None:
            raise CertificateError("an action is needed as a witness")
        witness = self.child(state, actions, claim.witness)
        if not any(known.worth == claim.worth for known in self.look_up(witness, used)):
            raise CertificateError("the witness has other worths")
        for index in range(len(actions)):
            child = self.child(state, actions, index)
            if child == witness or not self.matters(child, mover, claim.worth[mover]):
                continue
            if not any(k.worth[mover] <= claim.worth[mover] for k in self.look_up(child, used)):
                raise CertificateError("another action may be better for the mover")

    def matters(self, child: Any, mover: int, worth: Worth) -> bool:
        """Whether a successor might be better than this, for all that the game declares."""
        if not self.header.scores:
            return worth[0] < 1
        game = self.game
        best = math.inf if game.best_scores is None else game.best_scores[mover]
        if game.has_local_best_score and len(game.actions(child)) > 0:
            best = game.best_score_from(child)[mover]
        return not worth >= (1, as_float32(best))

    def child(self, state: Any, actions: list[Any], index: int) -> Any:
        """Play an action, given by its place among the legal ones."""
        if index >= len(actions):
            raise CertificateError(f"there is no action {index} among {len(actions)}")
        return self.game.next(state, actions[index])

    def end_of(self, state: Any) -> tuple[Worth, ...]:
        """Return the worths where the game is over."""
        outcome = [int(x) for x in self.game.outcome(state)]
        scores = self.game.score(state) if self.header.scores else [0.0] * len(outcome)
        return tuple((x, as_float32(float(y))) for x, y in zip(outcome, scores, strict=True))

    def look_up(self, child: Any, used: dict[Any, list[Claim]]) -> list[Claim]:
        """Return what lines before have claimed of a state."""
        if child not in self.held:
            raise CertificateError("a successor has not been proven before")
        used[child] = self.held[child][0]
        return used[child]

    def finish(self) -> Verdict:
        """The last line must prove the value that the header claims, and nothing be left over."""
        if self.proven is None or self.held:
            raise CertificateError(f"nothing rests on {len(self.held)} of the states")
        value = self.header.value
        wanted = {("=", value)}
        if self.header.kind == "bounds":
            if value[1] != (-value[0][0], -value[0][1] + 0.0):
                raise CertificateError("the values do not add up to zero")
            wanted = {(">=", value[:1]), ("<=", value[:1])}
            if not self.header.scores:  # no outcome is below a loss or above a win
                wanted -= {(">=", ((-1, 0.0),)), ("<=", ((1, 0.0),))}
        if not wanted <= {(claim.relation, claim.worth) for claim in self.proven}:
            raise CertificateError("the last line does not prove what the first line says")
        return Verdict(self.header, self.states, self.most_held)


def follows(claim: Claim, worth: tuple[Worth, ...]) -> bool:
    """Whether a claim holds for worths that are known, or are known to be bounds."""
    if claim.relation == "=":
        return claim.worth == worth
    return worth[0] >= claim.worth[0] if claim.relation == ">=" else worth[0] <= claim.worth[0]
