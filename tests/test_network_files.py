# SPDX-License-Identifier: MIT
"""Networks in files: written and read, refused by a clear line, and used wherever one can be."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
import safetensors.numpy
from random_networks import random_dense, random_ntuple

import unbounded as ub
from unbounded.evaluation import default_evaluation, networks, offer_network, packed_tables
from unbounded.evaluation.network_file import NetworkFile, check_fits, network_path, read, write
from unbounded.game import UsageError
from unbounded.interfaces.cli.common import NOT_PROVEN
from unbounded.interfaces.cli.main import main
from unbounded.interfaces.engine import Engine
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal.play import read_seats
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Line
from unbounded.players import read_kind
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search
from unbounded.storage import tensor_file

SMALL = "connect-four(width=4,height=4)"


@pytest.fixture
def network() -> NetworkFile:
    return random_ntuple(ub.load_game(SMALL))


@pytest.fixture
def file(tmp_path: Path, network: NetworkFile) -> Path:
    path = tmp_path / "some.safetensors"
    write(path, network)
    return path


def a_run(folder: Path, network: NetworkFile, name: str = "generations/00012.safetensors") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    write(folder / name, network)
    (folder / "latest.json").write_text(json.dumps({"generation": 12, "network": name}))
    return folder


# -- writing and reading --------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SMALL, "mnk(columns=3,rows=3,line=3,players=3)", "hex(size=4)"])
@pytest.mark.parametrize("make", [random_ntuple, random_dense])
def test_round_trip(text: str, make: Callable[..., NetworkFile], tmp_path: Path) -> None:
    game = ub.load_game(text)
    written = make(game, scale=2.5, score="depth", trained={"minutes": 1.5, "generation": 7})
    length = write(tmp_path / "a", written)
    found = read(tmp_path / "a")
    assert length == (tmp_path / "a").stat().st_size
    assert found.path == tmp_path / "a"
    for name, value in vars(written).items():
        if name not in ("tensors", "path", "digest"):
            assert getattr(found, name) == value, name
    assert found.tensors.keys() == written.tensors.keys()
    for name, array in written.tensors.items():
        assert found.tensors[name].dtype == array.dtype
        np.testing.assert_array_equal(found.tensors[name], array)
    assert found.digest == written.digest
    check_fits(found, game)


def test_small_types(tmp_path: Path, network: NetworkFile) -> None:
    """Cells of 16 bits and tables of half precision."""
    halves = {name: x.astype(np.float16) for name, x in network.tensors.items() if name != "cells"}
    halves["cells"] = network.tensors["cells"].astype(np.int16)
    small = replace(network, tensors=halves)
    assert write(tmp_path / "small", small) < write(tmp_path / "large", network)
    found = read(tmp_path / "small")
    assert {x.dtype.str for x in found.tensors.values()} == {"<f2", "<i2"}
    values = [Search(SMALL, evaluation=tmp_path / name) for name in ("small", "large")]
    for search in values:
        search.run(iterations=5)
    np.testing.assert_allclose(*(search.root.value for search in values), atol=0.01)


def test_others_can_read_it(file: Path, network: NetworkFile) -> None:
    """It is a file of safetensors."""
    found = safetensors.numpy.load_file(file)
    np.testing.assert_array_equal(found["tables"], network.tensors["tables"])


def test_the_digest_is_that_of_the_values(network: NetworkFile) -> None:
    tables = network.tensors["tables"].copy()
    tables[0, 0, 0, 0] += 1e-3
    others = [
        replace(network, tensors={**network.tensors, "tables": tables}),
        replace(network, scale=2.0),
    ]
    assert len({network.digest, *(other.digest for other in others)}) == 3
    same = replace(network, trained={"minutes": 99}, score="else", path=Path("elsewhere"))
    assert same.digest == network.digest


def test_folder_of_a_run(tmp_path: Path, network: NetworkFile) -> None:
    a_run(tmp_path, replace(network, scale=0.5))
    assert network_path(tmp_path) == tmp_path / "generations" / "00012.safetensors"
    assert read(tmp_path).scale == 0.5
    a_run(tmp_path, replace(network, scale=0.25), "generations/00013.safetensors")
    assert read(tmp_path).scale == 0.25


# -- what is refused ------------------------------------------------------------------------------


def metadata_changed(path: Path, **changes: str) -> Path:
    """Write the file again with other metadata and a fitting checksum."""
    with tensor_file.Reader(path) as reader:
        metadata, tensors = reader.metadata, reader.tensors
        contents = bytearray(sum(tensor.bytes for tensor in tensors))
        reader.fill(memoryview(contents))
    changed = {name: x for name, x in {**metadata, **changes}.items() if x != "none"}
    tensor_file.write(path, changed, tensors, lambda put: put(contents))
    return path


DESCRIPTIONS = [
    ({"format": "something"}, "is no network, or damaged: it does not say that it is one"),
    ({"format": "none"}, "is no network, or damaged: it does not say that it is one"),
    ({"version": "2"}, "is a network in format '2'; this version of the program reads format 1"),
    ({"version": "none"}, "is a network in format ''"),
    ({"kind": "magic"}, "is a network of an unknown kind: magic"),
    ({"players": "two"}, "its description cannot be read"),
    ({"players": "-2"}, "its description cannot be read"),
    ({"planes": "2,6"}, "its description cannot be read"),
    ({"planes": "2,6,0"}, "its description cannot be read"),
    ({"scale": "large"}, "its description cannot be read"),
    ({"scale": "nan"}, "its scale is nan, and must be positive"),
    ({"scale": "-1"}, "its scale is -1.0, and must be positive"),
    ({"settings": "[]"}, "its description cannot be read"),
    ({"settings": "["}, "its description cannot be read"),
    ({"trained": "none"}, "its description cannot be read"),
    ({"game": "hex"}, f"is a network for hex, not for {SMALL}"),
    ({"planes": "3,2,8"}, "expects planes of 3 x 2 x 8; connect-four"),
    ({"planes": "1,4,4"}, "is no ntuple network: tables has the shape"),
    ({"players": "3"}, "is no ntuple network: tables has the shape"),
    ({"outputs": "2"}, "is no ntuple network: its bias has the shape"),
    ({"kind": "dense"}, "is no dense network: its array layers.0.weight is missing"),
]


@pytest.mark.parametrize(("changes", "words"), DESCRIPTIONS, ids=[str(x[0]) for x in DESCRIPTIONS])
def test_wrong_descriptions(file: Path, changes: dict[str, str], words: str) -> None:
    metadata_changed(file, **changes)
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        Search(SMALL, evaluation=str(file))
    assert str(file) in str(caught.value) and "\n" not in str(caught.value)


def test_players_and_outputs(network: NetworkFile) -> None:
    game = ub.load_game(SMALL)
    with pytest.raises(UsageError, match=r"is a network for 3 players; connect-four.* has 2"):
        check_fits(replace(network, players=3), game)
    with pytest.raises(UsageError, match=r"has 2 outputs; a network for connect-four.* has 1"):
        check_fits(replace(network, outputs=2), game)


def test_a_game_without_planes(network: NetworkFile) -> None:
    with pytest.raises(UsageError, match="graph has no encode, which a network needs"):
        check_fits(replace(network, game="graph"), ub.load_game("graph"))


def test_wrong_arrays(tmp_path: Path) -> None:
    ntuple, dense = (make(ub.load_game(SMALL)) for make in (random_ntuple, random_dense))
    given, layers = ntuple.tensors, dense.tensors
    infinite = given["tables"].copy()
    infinite[0, 0, 0, 0] = np.inf
    nan = {**layers, "layers.1.bias": layers["layers.1.bias"] * np.float32(np.nan)}
    without = {name: x for name, x in layers.items() if name != "layers.2.bias"}
    for network, arrays, words in [
        (
            ntuple,
            {**given, "tables": infinite},
            "weights 'tables' contain numbers",
        ),
        (dense, nan, "the weights 'layers.1.bias' contain numbers that are not finite"),
        (ntuple, {"cells": given["cells"]}, "must have the arrays cells, tables and bias"),
        (ntuple, {**given, "cells": given["cells"] + 9}, "a cell that is not on the board"),
        (ntuple, {**given, "cells": given["cells"] - 9}, "a cell that is not on the board"),
        (ntuple, {**given, "cells": given["tables"]}, "its cells must be integers"),
        (ntuple, {**given, "cells": np.zeros((1, 40), np.int16)}, "more than 31 cells"),
        (ntuple, {**given, "bias": given["bias"].astype(np.int32)}, "bias must hold floating"),
        (dense, {}, "a weight and a bias per layer"),
        (dense, without, "a weight and a bias per layer"),
        (
            dense,
            {**layers, "layers.0.weight": np.zeros((3, 3), np.float32)},
            "has the shape (3, 3)",
        ),
        (dense, dict(list(layers.items())[:4]), "its last layer has 16 outputs, not 1"),
    ]:
        with pytest.raises(UsageError, match=re.escape(words)):
            write(tmp_path / "never", replace(network, tensors=arrays))
    with pytest.raises(UsageError, match="cannot hold numbers of type float64"):
        write(tmp_path / "never", replace(dense, tensors={n: x + 0.0 for n, x in wide(layers)}))
    assert not list(tmp_path.iterdir()), "nothing was written"


def wide(layers: Any) -> list[tuple[str, Any]]:
    return [(name, x.astype(np.float64)) for name, x in layers.items()]


def test_damaged_files(file: Path, tmp_path: Path) -> None:
    """Every truncated file, and every file with a wrong byte, is refused by a line."""
    whole = file.read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    for length in [0, 5, 100, len(whole) // 2, len(whole) - 1]:
        damaged.write_bytes(whole[:length])
        with pytest.raises(UsageError, match=r"damaged\.safetensors is no network, or damaged"):
            read(damaged)
    for at in range(0, len(whole), 37):
        wrong = bytearray(whole)
        wrong[at] ^= 4
        damaged.write_bytes(wrong)
        with pytest.raises(UsageError, match=r"damaged\.safetensors is no network, or damaged"):
            read(damaged)


def test_other_files(tmp_path: Path) -> None:
    search = Search("nim")
    search.save(tmp_path / "search")
    with pytest.raises(UsageError, match="is no network, or damaged: it does not say that"):
        Search(SMALL, evaluation=tmp_path / "search")
    safetensors.numpy.save_file({"a": np.zeros(3, np.float32)}, tmp_path / "foreign.safetensors")
    with pytest.raises(UsageError, match="is no network, or damaged"):
        Search(SMALL, evaluation=tmp_path / "foreign.safetensors")
    with pytest.raises(UsageError, match=r"missing\.safetensors does not exist"):
        Search(SMALL, evaluation="missing.safetensors")
    for odd in ("x" * 5000 + ".safetensors", "a\0b.safetensors"):
        with pytest.raises(UsageError, match=r"b?\.safetensors does not exist"):
            Search(SMALL, evaluation=odd)
    with pytest.raises(UsageError, match="unknown evaluation ''"):
        Search(SMALL, evaluation="")
    with pytest.raises(UsageError, match="no/such/run does not exist"):
        Search(SMALL, evaluation="no/such/run")
    with pytest.raises(UsageError, match=r"is not the folder of a run: it has no latest\.json"):
        Search(SMALL, evaluation=tmp_path)


@pytest.mark.parametrize(
    "latest",
    ["", "[]", "{}", '{"network": 3}', '{"network": "../other.safetensors"}', '{"network": "/a"}'],
)
def test_damaged_folder(tmp_path: Path, latest: str) -> None:
    (tmp_path / "latest.json").write_text(latest)
    with pytest.raises(UsageError, match=r"latest\.json is damaged: it does not name a network"):
        read(tmp_path)


def test_names_come_before_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that happens to be called like an evaluation changes nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("zero", "heuristic", "playouts", "network"):
        (tmp_path / name).mkdir()
    assert Search(SMALL, evaluation="zero").options.evaluation == "zero"
    with pytest.raises(UsageError, match="no network is shipped for"):
        Search(SMALL, evaluation="network")
    with pytest.raises(UsageError, match=r"unknown evaluation 'heuristik' \(did you mean"):
        Search(SMALL, evaluation="heuristik")


# -- where networks are used ----------------------------------------------------------------------


def test_search_by_string_path_and_folder(file: Path, tmp_path: Path, network: NetworkFile) -> None:
    run = a_run(tmp_path / "run", network)
    values = []
    for evaluation in (str(file), file, run, str(run)):
        search = Search(SMALL, evaluation=evaluation)
        search.run(iterations=20)
        values.append(search.root.value)
        assert search.result.evaluation == str(evaluation)
        told = search.options.to_dict()["evaluation"]
        assert told == {"network": str(evaluation), "digest": network.digest}
        json.dumps(search.result.to_dict())
    assert len(set(values)) == 1
    assert values[0] != Search(SMALL).run(iterations=20).value


def test_changed_files_are_read_again(file: Path, network: NetworkFile) -> None:
    before = Search(SMALL, evaluation=file).options.to_dict()["evaluation"]
    write(file, replace(network, scale=3.25))
    assert Search(SMALL, evaluation=file).options.to_dict()["evaluation"] != before


def test_solve_is_exact_with_any_network(tmp_path: Path) -> None:
    game = ub.load_game("connect-four(width=4,height=3,line=3)")
    for make in (random_ntuple, random_dense):
        write(tmp_path / "net.safetensors", make(game))
        result = ub.solve(game, evaluation=tmp_path / "net.safetensors", threads=2)
        assert result.outcome == (1, -1)
        assert result.options.threads == 2


def test_threads_are_chosen_for_native_networks(
    file: Path, tmp_path: Path, network: NetworkFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbounded.solving.solve.available_cores", lambda: 3)
    from unbounded.solving.solve import shortcuts

    game = ub.load_game(SMALL)
    assert shortcuts(game, {"evaluation": str(file)})["threads"] == 3
    torch = replace(network, kind="residual", tensors={"a": np.zeros(2, np.float32)})
    write(tmp_path / "torch.safetensors", torch)
    assert shortcuts(game, {"evaluation": tmp_path / "torch.safetensors"})["threads"] == 1


def test_command_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["analyze", SMALL, "--evaluation", str(file), "--iterations", "30", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0 and found["evaluation"] == str(file)
    assert main(["solve", SMALL, "--evaluation", str(file), "--quiet"]) == 0
    assert str(file) in re.sub(r"\s+", "", capsys.readouterr().out)
    assert main(["solve", "hex(size=3)", "--evaluation", str(file)]) == 2
    told = capsys.readouterr().err
    assert told.strip() == f"unbounded: {file} is a network for {SMALL}, not for hex(size=3)"
    assert main(["match", f"ubfm(iterations=5,evaluation={file})", "random", "--game", SMALL,
                 "--games", "2", "--quiet", "--jobs", "1"]) == 0  # fmt: skip


def test_players(file: Path, tmp_path: Path) -> None:
    game = ub.load_game(SMALL)
    for name in ("ubfm", "descent", "ubfm-safest", "alpha-beta"):
        limit = "nodes" if name == "alpha-beta" else "iterations"
        kind = read_kind(f"{name}({limit}=50,evaluation={file})")
        assert read_kind(str(kind)) == kind
        assert kind.player(game, 0).decide().name in "1234"
        with pytest.raises(UsageError, match="is a network for connect-four"):
            kind.player(ub.load_game("tic-tac-toe"), 0)
    with pytest.raises(UsageError, match=r"missing\.safetensors does not exist"):
        read_kind("ubfm(evaluation=missing.safetensors)").player(game, 0)
    with pytest.raises(UsageError, match="unknown evaluation 'heuristik'"):
        read_kind("alpha-beta(evaluation=heuristik)").player(game, 0)
    unfolded = read_kind(f"ubfm(iterations=50,transpositions=false,evaluation={file})")
    assert unfolded.player(game, 0).decide().name in "1234"


def test_seats_of_a_game_at_the_terminal(file: Path) -> None:
    game = ub.load_game("mnk(columns=3,rows=3,line=3,players=3)")
    seats = read_seats(game, "human,ubfm(iterations=3,evaluation=zero)", 2, str(file))
    assert seats[:2] == ["human", "ubfm(iterations=3,evaluation=zero)"]
    assert read_kind(seats[2]) == read_kind(f'ubfm-safest(seconds=2,evaluation="{file}")')


def test_engine(file: Path) -> None:
    answers: list[dict[str, Any]] = []
    engine = Engine(answers.append)
    asked = {"game": SMALL, "evaluation": str(file), "iterations": 20}
    engine.take(json.dumps({"id": 1, **asked}))
    engine.take(json.dumps({"id": 2, **asked, "game": "nim"}))
    engine.close()
    assert answers[0]["result"]["evaluation"] == str(file)
    assert f"is a network for {SMALL}, not for nim" in answers[1]["error"]


# -- checkpoints ----------------------------------------------------------------------------------


def test_checkpoints(file: Path, tmp_path: Path, network: NetworkFile) -> None:
    search = Search(SMALL, evaluation=file)
    search.run(iterations=30)
    search.save(tmp_path / "saved")
    search.run(iterations=30)
    resumed = Search.load(tmp_path / "saved")
    resumed.run(iterations=30)
    assert resumed.root.value == search.root.value and resumed.states == search.states

    moved = file.rename(tmp_path / "moved.safetensors")
    with pytest.raises(UsageError, match=r"was made with the network .*some\.safetensors, which "):
        Search.load(tmp_path / "saved")
    again = Search.load(tmp_path / "saved", evaluation=moved)
    assert again.result.evaluation == str(moved)
    with pytest.raises(UsageError, match=r"made with the network .*; heuristic is another one"):
        Search.load(tmp_path / "saved", evaluation="heuristic")

    write(moved, replace(network, scale=9.0))
    with pytest.raises(UsageError, match=r"moved\.safetensors is another one"):
        Search.load(tmp_path / "saved", evaluation=moved)
    Search(SMALL).save(tmp_path / "named")
    with pytest.raises(UsageError, match="was made with the evaluation 'heuristic'"):
        Search.load(tmp_path / "named", evaluation=moved)


def test_resuming_by_command(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "saved")
    begin = ["solve", SMALL, "--evaluation", str(file), "--iterations", "3", "--save", saved]
    assert main([*begin, "--quiet"]) == NOT_PROVEN
    assert main(["solve", "--resume", saved, "--quiet", "--iterations", "1"]) == NOT_PROVEN
    copy = shutil.copy(file, tmp_path / "copy.safetensors")
    same = ["solve", "--resume", saved, "--evaluation", str(copy), "--iterations", "1"]
    assert main([*same, "--quiet"]) == NOT_PROVEN
    capsys.readouterr()
    assert main(["solve", "--resume", saved, "--evaluation", "zero", "--quiet"]) == 2
    assert "zero is another one" in capsys.readouterr().err


# -- the network of a game ------------------------------------------------------------------------


@pytest.fixture
def shipped(
    tmp_path: Path, network: NetworkFile, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder of shipped networks, with one for the small board."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    write(folder / "connect-four-width-4-height-4.safetensors", network)
    monkeypatch.setattr(networks, "SHIPPED_FOLDER", folder)
    yield folder
    networks._offered.clear()


def test_shipped_networks_are_the_default_of_players(shipped: Path, network: NetworkFile) -> None:
    game, other = ub.load_game(SMALL), ub.load_game("connect-four(width=5,height=4)")
    assert default_evaluation(game, playing=True) == "network"
    assert default_evaluation(game) == "heuristic", "to solve"
    assert default_evaluation(other, playing=True) == "heuristic"
    for text in ("ubfm(iterations=5)", "ubfm(iterations=5,transpositions=false)"):
        player = read_kind(text).player(game, 0)
        told = player.search.options.to_dict()["evaluation"]  # type: ignore[attr-defined]
        assert told == {"network": "network", "digest": network.digest}
        player.decide()
    assert Search(game).options.evaluation == "heuristic"
    assert Search(game, evaluation="network").result.evaluation == "network"
    plain = read_kind("ubfm(iterations=5,evaluation=heuristic)").player(game, 0)
    assert plain.search.options.evaluation == "heuristic"  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="no network is shipped for connect-four"):
        Search(other, evaluation="network")


@pytest.mark.parametrize("problem", ["damaged", "another game", "another kind"])
def test_a_shipped_network_that_does_not_fit_is_no_default(
    shipped: Path, network: NetworkFile, problem: str
) -> None:
    path = shipped / "connect-four-width-4-height-4.safetensors"
    if problem == "damaged":
        path.write_bytes(path.read_bytes()[:-9])
    elif problem == "another game":
        write(path, replace(network, game="hex"))
    else:
        write(path, replace(network, kind="residual", tensors={"a": np.zeros(1, np.float32)}))
    assert default_evaluation(ub.load_game(SMALL), playing=True) == "heuristic"


def test_every_shipped_network_fits_its_game() -> None:
    for path in networks.SHIPPED_FOLDER.glob("*.safetensors"):
        found = read(path)
        game = ub.load_game(found.game)
        check_fits(found, game)
        assert networks.shipped_path(game) == path
        assert default_evaluation(game, playing=True) == "network"
        assert path.stat().st_size < 2_000_000


def test_a_server_offers_a_network(shipped: Path, tmp_path: Path, file: Path) -> None:
    game = ub.load_game("tic-tac-toe")
    with pytest.raises(UsageError, match="is a network for connect-four"):
        offer_network(game, file)
    write(tmp_path / "own.safetensors", random_dense(game))
    offer_network(game, tmp_path / "own.safetensors")
    assert default_evaluation(game, playing=True) == "network"
    setup = GameSetup(Limits(), game)
    assert "evaluation=network" in setup.seats(["human", "ubfm(evaluation=network)"], 1)[1]
    with pytest.raises(UsageError, match="evaluation must be network, zero or heuristic here"):
        setup.seats(["human", f"ubfm(evaluation={file})"], 1)


@pytest.mark.parametrize(("given", "used"), [(None, "network"), ("zero", "zero")])
def test_analysis_on_the_page(
    shipped: Path,
    tmp_path: Path,
    given: str | None,
    used: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = ub.load_game("tic-tac-toe")
    write(tmp_path / "own.safetensors", random_dense(game))
    offer_network(game, tmp_path / "own.safetensors")
    started: list[Search] = []
    monkeypatch.setattr(
        "unbounded.interfaces.web.analysis.SearchThread",
        lambda search, **_: started.append(search) or MagicMock(),
    )
    analysis = Analysis(MagicMock(), Limits(), MagicMock())
    analysis.follow(Line(Session(game, ["human"] * 2)).cursor())
    analysis.start(SearchOptions(evaluation=given))
    assert [search.result.evaluation for search in started] == [used]
    with pytest.raises(UsageError, match="evaluation must be network, zero or heuristic here"):
        analysis.start(SearchOptions(evaluation=str(tmp_path / "own.safetensors")))


def test_serve_needs_the_game(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--evaluation", str(file), "--no-browser"]) == 2
    assert "--evaluation needs the game of the network" in capsys.readouterr().err
    assert main(["serve", "nim", "--evaluation", str(file), "--no-browser"]) == 2
    assert f"is a network for {SMALL}, not for nim" in capsys.readouterr().err


# -- tables with few rows -------------------------------------------------------------------------


def sparse(features: int = 0) -> NetworkFile:
    """A network of which only some rows are not 0."""
    network = random_ntuple(ub.load_game(SMALL), features=features)
    tables = network.tensors["tables"]
    flat = tables.reshape(-1, tables.shape[3])
    flat[np.arange(len(flat)) % 5 > 0] = 0
    return network


@pytest.mark.parametrize("features", [0, 7])
def test_rows_of_zeros_are_not_stored(tmp_path: Path, features: int) -> None:
    network, path = sparse(features), tmp_path / "sparse.safetensors"
    length = write(path, network)
    assert length < 0.5 * network.tensors["tables"].nbytes + 4000
    again = read(path)
    assert again.digest == network.digest
    for name, array in network.tensors.items():
        np.testing.assert_array_equal(array, again.tensors[name])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tables.rows": np.array([3, 2], np.int32)}, "must rise"),
        ({"tables.rows": np.array([-1, 2], np.int32)}, "must rise"),
        ({"tables.rows": np.array([1, 1 << 30], np.int32)}, "must rise"),
        ({"tables.rows": np.array([1], np.int32)}, "one per row"),
        ({"tables.rows": np.array([1, 2], np.float32)}, "one per row"),
        ({"tables.rows": None}, "either tables or both"),
        ({"tables.values": None}, "either tables or both"),
        ({"cells": np.zeros((5, 30), np.int32)}, "would have"),
        ({"cells": np.zeros((5, 40), np.int32)}, "at most 31"),
        ({"tables": np.zeros((2, 5, 27, 1), np.float32)}, "either tables or both"),
    ],
    ids=str,
)
def test_rows_that_do_not_fit(change: dict[str, Any], words: str) -> None:
    arrays: dict[str, Any] = {
        "cells": np.zeros((5, 3), np.int32),
        "tables.rows": np.array([1, 2], np.int32),
        "tables.values": np.ones((2, 1), np.float32),
        **change,
    }
    given = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(ValueError, match=words):
        packed_tables.unpack(given, 2, 3)


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_rows_that_wrap_around(dtype: Any) -> None:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    arrays = {
        "cells": np.zeros((5, 10), np.int32),
        "tables.rows": np.array([0, most, least, -1, 3], dtype),
        "tables.values": np.ones((5, 1), np.float32),
    }
    with pytest.raises(ValueError, match="must rise"):
        packed_tables.unpack(arrays, 2, 3)


@pytest.mark.parametrize("network", [sparse(), random_ntuple(ub.load_game(SMALL), features=7)])
def test_small_files_have_nearly_the_same_tables(network: NetworkFile, tmp_path: Path) -> None:
    whole, small = tmp_path / "whole.safetensors", tmp_path / "small.safetensors"
    assert write(small, network, small=True) < write(whole, network)
    tables, again = network.tensors["tables"], read(small).tensors["tables"]
    assert again.dtype == np.float32
    steps = np.abs(tables).max(2, keepdims=True) / 127
    assert (np.abs(tables - again) <= steps * 0.501).all()
    assert ((tables != 0) | (again == 0)).all()
    np.testing.assert_allclose(np.abs(again).max(2), np.abs(tables).max(2), rtol=1e-6)
    for name, array in network.tensors.items():
        if name != "tables":
            assert np.array_equal(array, read(small).tensors[name])


@pytest.mark.parametrize(
    "change",
    [
        {"tables.steps": None},
        {"tables": np.zeros((2, 5, 27, 1), np.float32)},
        {"tables.steps": np.ones((2, 5, 2), np.float32)},
        {"tables.steps": np.ones((2, 1), np.float32)},
        {"tables": np.zeros((2, 5, 27), np.int8)},
    ],
    ids=str,
)
def test_steps_that_do_not_fit(change: dict[str, Any]) -> None:
    arrays: dict[str, Any] = {
        "cells": np.zeros((5, 3), np.int32),
        "tables": np.ones((2, 5, 27, 1), np.int8),
        "tables.steps": np.ones((2, 5, 1), np.float32),
    }
    assert packed_tables.unpack(arrays, 2, 3)["tables"].dtype == np.float32
    given = {k: x for k, x in {**arrays, **change}.items() if x is not None}
    with pytest.raises(ValueError, match=r"tables\.steps"):
        packed_tables.unpack(given, 2, 3)


def test_tables_of_a_network_of_the_user(tmp_path: Path) -> None:
    """They are its own affair, whatever their names are."""
    tensors = {
        "tables": np.zeros((2, 2, 2, 2), np.float32),
        "tables.rows": np.zeros(3, np.float32),
    }
    mine = NetworkFile("tic-tac-toe", 2, (2, 3, 3), 1, "module", tensors)
    write(tmp_path / "mine.safetensors", mine)
    assert set(read(tmp_path / "mine.safetensors").tensors) == set(tensors)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden.weight": np.zeros((8, 6), np.float32)}, "hidden.weight has the shape"),
        ({"output.weight": None}, "must have the arrays cells, tables and bias"),
        ({"bias": np.zeros((2, 70), np.float32)}, "its bias has the shape"),
        ({"bias": np.zeros(2, np.float32)}, "its bias has the shape"),
        ({"bias": np.zeros((2, 1), np.float32)}, "its bias has the shape"),
    ],
    ids=str,
)
def test_features_that_do_not_fit(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    network = random_ntuple(ub.load_game(SMALL), features=7)
    tensors = {**network.tensors, **change}
    given = {name: array for name, array in tensors.items() if array is not None}
    with pytest.raises(UsageError, match=f"is no ntuple network: .*{words}"):
        write(tmp_path / "some.safetensors", replace(network, tensors=given))


def test_a_file_with_rows_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"tables.rows": np.array([5, 4], np.int32)}
    real = packed_tables.pack
    monkeypatch.setattr(packed_tables, "pack", lambda arrays: {**real(arrays), **wrong})
    path = tmp_path / "wrong.safetensors"
    write(path, sparse())
    with pytest.raises(UsageError, match=r"wrong.safetensors is no ntuple network: .*one per row"):
        read(path)
