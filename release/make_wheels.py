# SPDX-License-Identifier: MIT
"""Build the source distribution and the wheels, and test them as a user would install them.

    python release/make_wheels.py [--python PYTHON]... [--all] [--out FOLDER]

The source distribution is built twice and must be the same bytes both times. The wheel is built
from it, in a folder of its own, for each Python that is named; by default for this one. Then it is
installed into an empty environment, with no compiler on PATH, and runs the demo and the quick tests
(for all but the first Python: a few of them) from outside the source tree. Linux only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from no_compiler import path_without_compilers

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"

BUILDING = {"PIP_CONSTRAINT": str(CONSTRAINTS)}
"""So that the backend is always the same version."""

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
"""Those for which Numba has wheels."""
LEAST_STABLE = (3, 12)
"""From here on, one wheel serves all later versions: see `wheel.py-api` in pyproject.toml."""

DEMO = ("solve", "connect-four(width=5,height=4)")
OF_SOURCES = ("tests/test_layers.py", "tests/test_benchmarks.py::test_metrics_of_this_checkout")
"""Quick tests of the sources, which are not there."""
FEW = (
    "tests/test_signature.py::test_the_signature_is_the_stored_one",
    "tests/test_lockstep.py::test_compiled_games",
    "tests/test_certificates.py::test_claims_cannot_support_each_other",
    "tests/test_compiling.py::test_a_failing_rule_is_reported_and_hurts_nothing",
)
"""What is tested with every Python but the first."""
TEST_PACKAGES = ("pytest", "pytest-xdist", "hypothesis", "networkx", "safetensors", "pyarrow")


@dataclass(frozen=True)
class Python:
    """An interpreter."""

    path: str
    version: tuple[int, int]

    @property
    def shown(self) -> str:
        return ".".join(map(str, self.version))


def main() -> int:
    """Build and test everything that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", action="append", default=[], help="an interpreter")
    parser.add_argument("--all", action="store_true", help="every supported Python that is found")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    named = [*given.python, *(found() if given.all else ())] or [sys.executable]
    pythons = list({python.version: python for python in map(asked, named)}.values())
    given.out.mkdir(parents=True, exist_ok=True)
    for old in distributions(given.out):  # and nothing else: the folder may be anybody's
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="unbounded-") as folder:
        scratch = Path(folder)
        sources = unpacked(reproducible_sdist(given.out, scratch), scratch)
        wheels: dict[str, Path] = {}
        for number, python in enumerate(pythons):
            kind = "abi3" if python.version >= LEAST_STABLE else python.shown
            if kind not in wheels:
                wheels[kind] = wheel(python, sources, given.out, scratch)
            test(python, wheels[kind], sources, scratch, few=number > 0)
    for path in distributions(given.out):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


def distributions(folder: Path) -> list[Path]:
    """What this script has built in a folder."""
    return sorted([*folder.glob("unbounded-*.whl"), *folder.glob("unbounded-*.tar.gz")])


# -- interpreters ---------------------------------------------------------------------------------


def found() -> Iterator[str]:
    """The interpreters of supported versions that are on PATH or were installed by pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        by_pyenv = sorted(map(str, pyenv.glob(f"{version}.*/bin/python{version}")))
        candidates = [*by_pyenv, shutil.which(f"python{version}") or ""]
        usable = next((path for path in candidates if path and version_of(path)), None)
        if usable is None:
            print(f"Python {version} was not found, so nothing is built or tested for it")
        else:
            yield usable


def version_of(path: str) -> tuple[int, int] | None:
    told = subprocess.run(
        [path, "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    major, _, minor = told.stdout.strip().partition(" ")
    return (int(major), int(minor)) if told.returncode == 0 else None


def asked(path: str) -> Python:
    version = version_of(path)
    if version is None:
        raise SystemExit(f"{path} is no Python that runs")
    return Python(path, version)


# -- building -------------------------------------------------------------------------------------


def run(*words: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it printed; if it fails, print that and end."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=None if env is None else dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\nfailed: {' '.join(map(str, words))}")
    return done.stdout


def last_change() -> str:
    """When the sources were last changed: the time that all files in archives get."""
    told = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return os.environ.get("SOURCE_DATE_EPOCH") or told.stdout.strip() or "1767225600"


def reproducible_sdist(out: Path, scratch: Path) -> Path:
    """Build the source distribution twice; the bytes must be the same."""
    env = {**os.environ, **BUILDING, "SOURCE_DATE_EPOCH": last_change()}
    made = []
    for folder in (out, scratch / "again"):
        run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT, env=env)
        (archive,) = folder.glob("unbounded-*.tar.gz")
        made.append(archive)
    if made[0].read_bytes() != made[1].read_bytes():
        raise SystemExit("the source distribution differs from one build to the next")
    print(f"{made[0].name}: the same bytes twice")
    return made[0]


def unpacked(sdist: Path, scratch: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(scratch / "sources", filter="data")
    (sources,) = (scratch / "sources").iterdir()
    return sources


def wheel(python: Python, sources: Path, out: Path, scratch: Path) -> Path:
    """Build a wheel from the unpacked sources, and make it one for many Linux systems."""
    print(f"building the wheel with Python {python.shown} ...", flush=True)
    environment = empty_environment(python, scratch / f"build-{python.shown}")
    run(*pip(environment), "build")
    made = scratch / f"wheel-{python.shown}"
    env = {**os.environ, **BUILDING, "SOURCE_DATE_EPOCH": last_change()}
    run(environment, "-m", "build", "--wheel", "--outdir", made, sources, env=env)
    (plain,) = made.glob("*.whl")
    before = set(out.iterdir())
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", out, plain, env=tools)
    (repaired,) = set(out.iterdir()) - before
    print(repaired.name)
    return repaired


def empty_environment(python: Python, folder: Path) -> Path:
    """Make a virtual environment; return its interpreter."""
    run(python.path, "-m", "venv", folder)
    return folder / "bin" / "python"


def pip(environment: Path) -> Sequence[str | Path]:
    quiet = ("--disable-pip-version-check", "--quiet")
    return (environment, "-m", "pip", *quiet, "install", "--constraint", CONSTRAINTS)


# -- testing --------------------------------------------------------------------------------------


def test(python: Python, made: Path, sources: Path, scratch: Path, *, few: bool) -> None:
    """Install a wheel where there is no compiler, and run the demo and tests there."""
    print(f"testing {made.name} with Python {python.shown}, without a compiler ...", flush=True)
    outside = scratch / f"test-{python.shown}"
    outside.mkdir()
    environment = empty_environment(python, outside / "venv")
    env = {
        "PATH": f"{environment.parent}:{path_without_compilers(outside / 'bin')}",
        "HOME": str(outside),
        "PIP_ONLY_BINARY": ":all:",
        **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
    }
    run(*pip(environment), made, cwd=outside, env=env)
    demo = run(environment.parent / "unbounded", *DEMO, cwd=outside, env=env)
    if "proven" not in demo:
        raise SystemExit(f"the demo did not prove the value:\n{demo}")
    run(*pip(environment), *TEST_PACKAGES, cwd=outside, env=env)
    for part in ("tests", "benchmarks", "examples", "docs", "pyproject.toml", "README.md"):
        copy = shutil.copytree if (sources / part).is_dir() else shutil.copy
        copy(sources / part, outside / part)
    where = run(
        environment, "-c", "import unbounded; print(unbounded.__file__)", cwd=outside, env=env
    )
    if not Path(where.strip()).is_relative_to(outside / "venv"):
        raise SystemExit(f"tested {where.strip()}, not the wheel")
    chosen = FEW if few else quick_tests()
    workers = ("-n", "auto", "--dist", "worksteal")
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *workers)
    told = run(environment, *pytest, *chosen, cwd=outside, env=env)
    print(f"Python {python.shown}: the demo, and {told.strip().splitlines()[-1]}", flush=True)


def quick_tests() -> list[str]:
    """The quick tests that do not need the sources, as arguments of pytest."""
    named = (ROOT / "tests" / "quick.txt").read_text("utf-8").splitlines()
    return [*(x for x in named if x not in OF_SOURCES), *(f"--deselect={x}" for x in OF_SOURCES)]


if __name__ == "__main__":
    sys.exit(main())
