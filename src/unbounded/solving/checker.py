# SPDX-License-Identifier: MIT
"""Check a certificate by the rules of the game alone.

Imports the package `game/` and the standard library only: no search, no compiled code. A
certificate is refused unless every claim follows, by the game's own rules, from claims on lines
before it; so they cannot support each other in a ring. Format: `docs/certificates.md`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, RecordGame
from unbounded.solving.checker_format import (
    LINE,
    WIN,
    CertificateError,
    Claim,
    Header,
    Worth,
    as_float32,
    follows,
    read_claim,
    read_header,
    sealed,
)
from unbounded.solving.checker_search import Search, end_of


@dataclass(frozen=True)
class Lean:
    """A claim that another certificate proves."""

    digest: str
    state: Any
    claim: Claim


@dataclass(frozen=True)
class Verdict:
    """What an accepted certificate proves, given those that it leans on, and how big it was."""

    header: Header
    states: int
    most_held: int  # states in memory at once
    root: Any  # the state that the header is about
    digest: str
    searched: int  # successors that searches have made
    leans_on: tuple[Lean, ...]


def check(
    lines: Iterable[bytes],
    load_game: Callable[[str], Game[Any, Any]],
    *,
    most_searched: int | None = None,
) -> Verdict:
    """Check a certificate, given as lines; raise an error unless it proves what it claims.

    What it leans on is for the caller to check: every other certificate, and `require_support`.
    most_searched: refuse one that wants searches of more successors than that, in all.
    """
    number, about, checker, digest = 0, "", None, hashlib.sha256()
    try:
        for line in sealed(lines, digest):
            number, about = number + 1, ""
            if number == 1:
                header = read_header(line)
                checker = Checker(load_game(header.game), header, most_searched)
            elif checker is not None:
                about = " (state " + line.split(b" ", 1)[0][:80].decode("ascii", "replace") + ")"
                checker.take(line)
        if checker is None:
            raise CertificateError("this is not a certificate")
        return checker.finish(digest.hexdigest())
    except Exception as error:  # also by the rules, called with states that need not exist
        kind = "" if isinstance(error, CertificateError) else f"{type(error).__name__}: "
        raise CertificateError(f"refused, line {max(1, number)}{about}: {kind}{error}") from error


def root_of(game: Game[Any, Any], header: Header) -> Any:
    """Play the moves before the position that a certificate is about."""
    state = game.initial()
    for move in header.moves:
        action = game.parse_action(state, move)
        if game.action_name(state, action) != move:
            raise CertificateError(f"{move!r} is spelled in another way")
        state = game.next(state, action)
    return state


def require_support(lean: Lean, header: Header, other: Header, root: Any) -> None:
    """Refuse unless what a certificate leans on follows from another one, with its root."""
    about = (header.game, header.kind, header.scores)
    if (other.game, other.kind, other.scores) != about or root != lean.state:
        raise CertificateError("it is about something else than the state that leans on it")
    known = (claim for claim in other.claims if claim.relation == lean.claim.relation)
    if not any(follows(lean.claim, claim.worth) for claim in known):
        raise CertificateError("it does not claim what leans on it")


class Checker:
    """Takes the lines one after the other; holds what later lines may still rest on."""

    def __init__(
        self, game: Game[Any, Any], header: Header, most_searched: int | None = None
    ) -> None:
        fields = None
        if isinstance(game, RecordGame):
            fields = [[f.name, f.type, f.count or 1] for f in game.state.fields]
        two = game.players == 2 and game.zero_sum
        fits = header.fields == fields and (fields is not None or header.states == "paths")
        fits = fits and (header.value is None or len(header.value) == game.players)
        if not fits or (header.kind == "bounds" and not two):
            raise CertificateError(f"a certificate of this kind does not fit {game}")
        if game.has_score and not two and not header.scores:  # they decide between wins
            raise CertificateError(f"{game} has scores, and the certificate ignores them")
        self.game, self.header, self.root = game, header, root_of(game, header)
        self.most_searched, self.to_search, self.searched = most_searched, 0, 0
        self.leans: list[Lean] = []
        self.held: dict[Any, tuple[list[Claim], int]] = {}
        self.states = self.most_held = 0
        self.proven: list[Claim] | None = None  # of the root, whose line is the last

    def take(self, line: bytes) -> None:
        """Check one line."""
        match = LINE[self.header.version].fullmatch(line.decode("ascii", "replace"))
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
        """Read a claim about a state of this game."""
        header = self.header
        claim = read_claim(text, header.kind, header.scores, of_mover=header.version >= 3)
        if claim.relation == "=" and len(claim.worth) != self.game.players:
            raise CertificateError(f"{text[:80]!r} is not a claim")
        return claim

    def check(self, state: Any, claims: list[Claim]) -> None:
        """Check what is claimed of a state, each claim by the reason that it has."""
        actions = list(self.game.actions(state))
        used: dict[Any, list[Claim]] = {}
        for claim in claims:
            if claim.digest is not None:
                self.leans.append(Lean(claim.digest, state, claim))
            elif not actions:
                self.check_end(state, claim)
            elif claim.search is not None:
                self.search(state, claim, claim.search)
            elif self.header.kind == "bounds":
                self.check_bound(state, actions, claim, used)
            elif claim.relation == "=":
                self.check_equilibrium(state, actions, claim, used)
            else:
                self.check_mover(state, actions, claim, used)
        for child in used:  # each line counts as one use, and after the last one it is forgotten
            if (left := self.held.pop(child))[1] > 1:
                self.held[child] = left[0], left[1] - 1

    def check_end(self, state: Any, claim: Claim) -> None:
        """Where the game is over, the rules say what the players get."""
        end = end_of(self.game, state, self.header.scores)
        if self.header.kind == "equilibrium" and claim.relation != "=":
            raise CertificateError("the game is over here, and nobody moves")
        if claim.witness is not None or claim.search is not None or not follows(claim, end):
            raise CertificateError(f"the game is over here, and ends {end}")

    def search(self, state: Any, claim: Claim, most: int) -> None:
        """What is left to the checker must hold, and be found within the limits."""
        self.to_search += most
        if self.most_searched is not None and self.to_search > self.most_searched:
            raise CertificateError(
                f"it needs searches of more than {self.most_searched} successors"
            )
        of_mover = self.header.kind == "equilibrium"
        search = Search(self.game, self.header.scores, claim, of_mover=of_mover)
        holds = search.proves_claim(state)
        self.searched += search.made
        if not holds:
            raise CertificateError("a search below this state finds that the claim is false")

    def check_bound(
        self, state: Any, actions: list[Any], claim: Claim, used: dict[Any, list[Claim]]
    ) -> None:
        """The player whose bound it is needs one action that is good enough; of the other, all."""
        chooses = (claim.relation == ">=") == (self.game.player(state) == 0)
        if chooses != (claim.witness is not None):
            raise CertificateError(
                "a witness is needed where the player moves who claims, only there"
            )
        indices = range(len(actions)) if claim.witness is None else [claim.witness]
        for child in (self.child(state, actions, index) for index in indices):
            known = self.look_up(child, used)
            if not any(k.relation == claim.relation and follows(claim, k.worth) for k in known):
                raise CertificateError("a successor is not known to be good enough")

    def check_equilibrium(
        self, state: Any, actions: list[Any], claim: Claim, used: dict[Any, list[Claim]]
    ) -> None:
        """One successor has the same worths, and no other can be better for the mover."""
        if claim.witness is None:
            raise CertificateError("an action is needed as a witness")
        mover, witness = self.game.player(state), self.child(state, actions, claim.witness)
        known = self.look_up(witness, used)
        if not any(k.relation == "=" and k.worth == claim.worth for k in known):
            raise CertificateError("the witness has other worths")
        for index in range(len(actions)):
            child = self.child(state, actions, index)
            if child == witness or not self.matters(child, mover, claim.worth[mover]):
                continue
            known = self.look_up(child, used)
            if not any(self.most(child, k, mover) <= claim.worth[mover] for k in known):
                raise CertificateError("another action may be better for the mover")

    def check_mover(
        self, state: Any, actions: list[Any], claim: Claim, used: dict[Any, list[Claim]]
    ) -> None:
        """One action must be good enough for the player who moves."""
        if claim.witness is None:
            raise CertificateError("an action is needed as a witness")
        mover = self.game.player(state)
        known = self.look_up(self.child(state, actions, claim.witness), used)
        if not any(k.relation == "=" and k.worth[mover] >= claim.worth[0] for k in known):
            raise CertificateError("the witness is not known to be good enough for the mover")

    def most(self, child: Any, known: Claim, player: int) -> Worth:
        """Return the most that a player has in an equilibrium of which this much is known.

        Where there is a single winner, what the player has who moves there leaves less to others.
        """
        if known.relation == "=":
            return known.worth[player]
        outcome, game = known.worth[0][0], self.game
        if not game.single_winner or outcome < 0 or game.player(child) == player:
            return WIN[0], math.inf
        if not self.header.scores:
            return -outcome, 0.0
        return -outcome, self.best_score(child, player) if game.has_score else float(-outcome)

    def matters(self, child: Any, mover: int, worth: Worth) -> bool:
        """Whether a successor might be better than this, for all that the game declares."""
        if not self.header.scores:
            return worth[0] < 1
        return not worth >= (1, self.best_score(child, mover))

    def best_score(self, child: Any, player: int) -> float:
        """Return the best score of a player below a successor that the game declares."""
        game = self.game
        best = math.inf if game.best_scores is None else game.best_scores[player]
        if game.has_local_best_score and len(game.actions(child)) > 0:
            best = game.best_score_from(child)[player]
        return as_float32(best)

    def child(self, state: Any, actions: list[Any], index: int) -> Any:
        """Play an action, given by its place among the legal ones."""
        if index >= len(actions):
            raise CertificateError(f"there is no action {index} among {len(actions)}")
        return self.game.next(state, actions[index])

    def look_up(self, child: Any, used: dict[Any, list[Claim]]) -> list[Claim]:
        """Return what lines before have claimed of a state."""
        if child not in self.held:
            raise CertificateError("a successor has not been proven before")
        used[child] = self.held[child][0]
        return used[child]

    def finish(self, digest: str) -> Verdict:
        """The last line must prove what the header claims, and nothing be left over."""
        if self.proven is None or self.held:
            raise CertificateError(f"nothing rests on {len(self.held)} of the states")
        value = self.header.value
        bounds = self.header.kind == "bounds"
        if bounds and value and value[1] != (-value[0][0], -value[0][1] + 0.0):
            raise CertificateError("the values do not add up to zero")
        proven = {(claim.relation, claim.worth) for claim in self.proven}
        if not all((claim.relation, claim.worth) in proven for claim in self.header.claims):
            raise CertificateError("the last line does not prove what the first line says")
        sizes = self.states, self.most_held
        leans = tuple(self.leans)
        return Verdict(self.header, *sizes, self.root, digest, self.searched, leans)
