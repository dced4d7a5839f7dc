# SPDX-License-Identifier: MIT
"""Solve the boards of docs/atlas_boards.txt; write docs/atlas.json and docs/atlas.md.

A finished entry is in the JSON file at once, so a run may be killed at any time: the next one does
what is missing. `--check` solves nothing and says whether the page is out of date.

Values are compared with those known from elsewhere. Contradictions stand first on the page, and one
that has not been looked into (`EXAMINED` in atlas_published.py) makes the program fail.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from atlas_on_ray import run_on_ray
from atlas_page import page
from atlas_values import Contradiction, Entry, contradictions, value_text

from unbounded.game.wording import counted, outcome_text
from unbounded.storage import atomic_files

DOCS = Path(__file__).parent
FORMAT, VERSION = "unbounded atlas", 1
Ended = subprocess.CompletedProcess[str] | str
"""How a process has ended; a text if it could not run."""
OK, CONTRADICTED, FAILED, INTERRUPTED = 0, 1, 2, 130


def read_boards(path: Path) -> list[str]:
    """Read the list of boards: one game string on a line, `#` before a comment."""
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    boards = [line for line in lines if line and not line.startswith("#")]
    repeated = sorted({board for board in boards if boards.count(board) > 1})
    if repeated:
        raise SystemExit(f"{path}: twice in the list: {', '.join(repeated)}")
    return boards


def read_entries(path: Path) -> list[Entry]:
    """Read the entries that are there."""
    if not path.exists():
        return []
    data = json.loads(path.read_text("utf-8"))
    if (data["format"], data["version"]) != (FORMAT, VERSION):
        raise SystemExit(f"{path} is no atlas of version {VERSION}: move it away")
    entries: list[Entry] = data["entries"]
    return entries


def write_entries(path: Path, entries: Iterable[Entry], boards: Sequence[str]) -> None:
    """Replace the file: entries in the order of the list, each on a line of its own.

    Of two entries of a board the later one counts, but a solved one is never lost.
    """
    by_board = {entry["board"]: entry for entry in sorted(entries, key=lambda e: e["solved"])}
    lines = ",\n".join(json.dumps(by_board[board]) for board in boards if board in by_board)
    head = json.dumps({"format": FORMAT, "version": VERSION})[:-1]
    text = f'{head}, "entries": [\n{lines}\n]}}\n'
    atomic_files.replace(path, lambda write: write(text.encode()))


class Solvers:
    """The processes that solve boards, so that all of them can be ended."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def entries(self, boards: Sequence[str]) -> Iterator[Entry | str]:
        """Solve boards, each in a process of its own; yield entries, and lines on what failed."""
        limits = [str(self._given.seconds), self._given.memory]
        script = str(DOCS / "atlas_entry.py")
        commands = [[sys.executable, script, board, *limits] for board in boards]
        if self._given.ray is not None:
            found = run_on_ray(commands, self._given.memory, self._given.ray)
        else:
            found = self._run(commands)
        for number, ended in found:
            yield entry_of(boards[number], ended)

    def _run(self, commands: Sequence[Sequence[str]]) -> Iterator[tuple[int, Ended]]:
        pool = ThreadPoolExecutor(self._given.jobs)
        try:
            pending = {pool.submit(self._process, command): i for i, command in enumerate(commands)}
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            self._end()
            pool.shutdown(cancel_futures=True)

    def _process(self, command: Sequence[str]) -> Ended:
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603
            self._running.add(process)
            if self._ended:
                process.kill()
            out, errors = process.communicate()
            self._running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def _end(self) -> None:
        self._ended = True
        for process in list(self._running):
            process.kill()


def entry_of(board: str, ended: Ended) -> Entry | str:
    """Return the entry that a process has printed, or what went wrong."""
    if isinstance(ended, str):
        return f"{board}: {ended}"
    if ended.returncode != 0:
        last = ended.stderr.strip().splitlines()[-1:] or [f"exit code {ended.returncode}"]
        return f"{board}: {last[0]}"
    entry: Entry = {"board": board} | json.loads(ended.stdout)
    return entry


def wanted(boards: Sequence[str], entries: Iterable[Entry], seconds: float, only: str) -> list[str]:
    """Return the boards to solve: those with no entry, or unsolved within a shorter limit."""
    done = {e["board"] for e in entries if e["solved"] or e["limit"] >= seconds}
    return [board for board in boards if board not in done and only in board]


def solve_all(todo: Sequence[str], boards: Sequence[str], path: Path, given: Any) -> list[str]:
    """Solve boards and add each entry to the file as soon as it is there; return what failed."""
    failed = []
    for number, entry in enumerate(Solvers(given).entries(todo), 1):
        if isinstance(entry, str):
            failed.append(entry)
            print(f"FAILED {entry}", file=sys.stderr)
            continue
        # Read again: another run may have added entries meanwhile.
        write_entries(path, [*read_entries(path), entry], boards)
        print(f"{number}/{len(todo)} {told(entry)}", flush=True)
    return failed


def told(entry: Entry) -> str:
    """Describe a new entry in one line."""
    if not entry["solved"]:
        return f"{entry['board']}: not solved within {entry['limit']:g} s"
    outcome = entry["outcome"]
    value = outcome_text(outcome) if entry["equilibrium"] else value_text(outcome, entry["score"])
    proof = "certified" if entry["certificate"] else f"no certificate: {entry['no_certificate']}"
    return f"{entry['board']}: {value} ({entry['seconds']:g} s, {proof})"


def report(found: Sequence[Contradiction]) -> int:
    """Print the contradictions; fail if there is one that nobody has looked into."""
    for one in found:
        examined = "examined, see the page" if one.examined else "NEW"
        said = f"{one.proven}, but {one.source}: {one.said}"
        print(f"CONTRADICTION ({examined}) {one.board}: {said}", file=sys.stderr)
    return OK if all(one.examined for one in found) else CONTRADICTED


def write_page(json_file: Path, page_file: Path, boards: Sequence[str], *, check: bool) -> int:
    """Write the page of the entries, or only check it."""
    entries = read_entries(json_file)
    text = page(entries, boards)
    if check:
        if page_file.exists() and page_file.read_text("utf-8") == text:
            return OK
        print(f"out of date: {page_file.name}; run python docs/make_atlas.py")
        return FAILED
    atomic_files.replace(page_file, lambda write: write(text.encode()))
    return report(contradictions([entry for entry in entries if entry["solved"]]))


def parser() -> argparse.ArgumentParser:
    """Return the options of the program."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=3600.0, help="limit of one board")
    options.add_argument("--memory", default="6G", help="limit of one board (default: 6G)")
    options.add_argument("--only", default="", help="solve only boards that contain this text")
    options.add_argument("--jobs", type=int, default=1, help="boards to solve at the same time")
    options.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="solve on a Ray cluster, a board for each core; every machine needs this checkout",
    )
    options.add_argument("--check", action="store_true", help="only say if the page is old")
    options.add_argument("--boards", type=Path, default=DOCS / "atlas_boards.txt")
    options.add_argument("--folder", type=Path, default=DOCS, help="where the two files are")
    return options


def main(arguments: Sequence[str]) -> int:
    """Solve what is missing, then write the page."""
    given = parser().parse_args(arguments)
    boards = read_boards(given.boards)
    json_file, page_file = given.folder / "atlas.json", given.folder / "atlas.md"
    if given.check:
        return write_page(json_file, page_file, boards, check=True)
    todo = wanted(boards, read_entries(json_file), given.seconds, given.only)
    print(f"{counted(len(boards), 'board')}, {len(todo)} to solve", flush=True)
    try:
        failed = solve_all(todo, boards, json_file, given)
    except KeyboardInterrupt:
        print("interrupted; the next run continues", file=sys.stderr)
        return INTERRUPTED
    write_entries(json_file, read_entries(json_file), boards)
    code = write_page(json_file, page_file, boards, check=False)
    return code or (FAILED if failed else OK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
