# SPDX-License-Identifier: MIT
"""What is installed: extras, versions, what the distributions contain. `make wheel` tests more."""

from __future__ import annotations

import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "release"))

from make_wheels import LEAST_STABLE, VERSIONS, distributions  # noqa: E402
from no_compiler import COMPILERS, path_without_compilers  # noqa: E402

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
PAGE = (ROOT / "docs" / "installing.md").read_text("utf-8")
DEVELOPING = {"test", "check"}
"""Extras whose packages the page does not list."""


def package(requirement: str) -> str:
    """The name of a package, spelled as indexes compare it."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def documented() -> dict[str, set[str]]:
    """The extras in the table of the page, with the packages of each."""
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| .* \| (.*) \|$", PAGE, re.MULTILINE)
    return {
        extra: {package(name) for name in packages.split(", ")}
        for extras, packages in rows
        for extra in re.findall(r"\w+", extras)
    }


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_is_documented(extra: str) -> None:
    assert extra in documented()
    if extra not in DEVELOPING:
        assert documented()[extra] == {package(name) for name in EXTRAS[extra]}


def test_no_other_extra_is_documented() -> None:
    assert documented().keys() == EXTRAS.keys()


def test_every_package_that_is_installed_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {package(line) for line in lines if not line.startswith("#")}
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    wanted += [each for extra in EXTRAS.values() for each in extra]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in re.findall(r"constraints\.txt ((?:[^\n]|\\\n)*[^\n\\])$", makefile, re.MULTILINE):
        wanted += [word for word in line.replace("\\\n", " ").split() if word != "."]
    names = {package(each) for each in wanted} - {"unbounded"}
    assert {"torch", "auditwheel", "nanobind", "numba"} <= names, "the patterns find something"
    assert names <= pinned


def test_the_versions_of_python_are_the_same_everywhere() -> None:
    about = PROJECT["project"]
    classified = [c for c in about["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert [c.rpartition(" ")[2] for c in classified] == list(VERSIONS)
    assert about["requires-python"] == f">={VERSIONS[0]}"
    tags = ["cp" + version.replace(".", "") for version in VERSIONS]
    assert PROJECT["tool"]["cibuildwheel"]["build"] == [f"{tag}-*" for tag in tags]
    stable = "cp{}{}".format(*LEAST_STABLE)
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == stable
    assert f"`{stable}-abi3`" in PAGE
    assert f"from Python {'.'.join(map(str, LEAST_STABLE))} on" in (
        (ROOT / "CMakeLists.txt").read_text("utf-8").replace("From", "from")
    )


def test_a_path_without_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = tmp_path / "machine"
    machine.mkdir()
    compilers = {"gcc", "x86_64-linux-gnu-g++-12", "c99-gcc", "clang++-14", "cmake", "ld.bfd", "as"}
    others = {"python3", "git", "bash", "ccache", "asdf", "makeinfo", "succ"}
    for name in compilers | others:
        (machine / name).touch(0o755)
    monkeypatch.setenv("PATH", f"{machine}:{tmp_path / 'absent'}")
    found = {path.name for path in path_without_compilers(tmp_path / "bin").iterdir()}
    assert found == others
    assert not COMPILERS.fullmatch("unbounded")


# -- what was built last, if anything was ---------------------------------------------------------

JUNK = re.compile(r"__pycache__|\.(nb[ic]|pyc)$|\.venv|\.git|^(build|dist|\.ci)/|results\.json")


def built(pattern: str) -> list[Path]:
    found = sorted((ROOT / "dist").glob(pattern))
    if not found:
        pytest.skip("nothing in dist/: `make wheel` builds it")
    return found


def test_only_what_was_built_is_replaced(tmp_path: Path) -> None:
    """`--out` may name a folder that has other files."""
    ours = ("unbounded-0.1.0-cp311-cp311-linux_x86_64.whl", "unbounded-0.1.0.tar.gz")
    for name in (*ours, "thesis.tar.gz", "other-1.0-py3-none-any.whl", "unbounded-notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in distributions(tmp_path)] == list(ours)


def test_the_source_distribution() -> None:
    (path,) = built("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert not [name for name in names if JUNK.search(name) or name.endswith(".so")]
    for wanted in ("LICENSE", "README.md", "Makefile", "core/bindings/module.cpp"):
        assert wanted in names
    assert "src/unbounded/py.typed" in names and "tests/quick.txt" in names


def test_the_wheels() -> None:
    for path in built("*.whl"):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            metadata = archive.read(about).decode("utf-8")
        assert not [name for name in names if JUNK.search(name)]
        assert all(name.startswith(("unbounded/", "unbounded-")) for name in names)
        modules = [name for name in names if name.endswith(".so")]
        assert [name.split(".")[0] for name in modules] == ["unbounded/native/_core"]
        assert "manylinux" in path.name and "unbounded/native/_core.pyi" in names
        for extra in EXTRAS:
            assert f"Provides-Extra: {extra}\n" in metadata
