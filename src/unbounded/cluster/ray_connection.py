# SPDX-License-Identifier: MIT
"""The connection to Ray: a local one that is started here, or an existing cluster.

This module imports Ray only where it is used: without it, everything else works.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

from unbounded.game import UsageError, require

ADDRESS = r"local|auto|off|ray://\S+|\S*[^\s:]:\d+"
"""What may be given as the address of Ray; off means that Ray is not used."""
CONNECT_SECONDS = 10.0
LONGEST_LINE = 600


def chosen_address(given: str | None) -> str | None:
    """Validate an address; return None if Ray is not to be used."""
    require(
        given is None or re.fullmatch(ADDRESS, given) is not None,
        f"`ray` must be local, auto, off or an address HOST:PORT, not {given!r}",
    )
    return None if given == "off" else given


def check_ray(address: str | None, extras: str = "ray") -> None:
    """Refuse to continue if Ray is not installed, or if nothing listens at the address.

    extras: the extras of this package that the work needs on every machine.
    """
    require(
        importlib.util.find_spec("ray") is not None,
        f"work on several machines needs Ray: pip install 'unbounded[{extras}]'",
    )
    host, colon, port = (address or "local").removeprefix("ray://").rpartition(":")
    if not colon:
        return
    try:  # Ray itself would try for many minutes
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        raise UsageError(
            f"cannot use Ray at `ray={address}`: {error_line(error)}. Start it there by: ray start "
            "--head"
        ) from error


@contextlib.contextmanager
def connected(
    address: str | None = None, cpus: int | None = None, *, extras: str = "ray"
) -> Iterator[None]:
    """Use Ray within a block: see `connect`."""
    ours = connect(address, cpus, extras=extras)
    try:
        yield
    finally:
        if ours:
            disconnect()


def connect(address: str | None = None, cpus: int | None = None, *, extras: str = "ray") -> bool:
    """Start Ray or connect to a cluster; return whether to call `disconnect` at the end.

    Ray that this process already uses is used as it is.

    address: "local" or None starts Ray on this machine; "auto", "HOST:PORT" or "ray://HOST:PORT"
    is a cluster. cpus: how many CPUs a local Ray has at least, whatever the machine has.
    """
    address = address or "local"
    check_ray(address, extras)
    # What Ray prints on deaths of actors would end up amid our output.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    import ray

    if ray.is_initialized():
        return False
    logging.getLogger("ray").setLevel(logging.ERROR)
    more: dict[str, Any] = {}
    if address == "local":
        from unbounded.solving.solve import available_cores

        more = {"num_cpus": max(cpus or 1, available_cores()), "include_dashboard": False}
    with _own_signals():
        try:
            ray.init(address, log_to_driver=False, configure_logging=False, **more)
        except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            raise UsageError(f"cannot use Ray at `ray={address}`: {error_line(error)}") from error
    return True


def disconnect() -> None:
    """Leave the cluster; end Ray if it was started here."""
    import ray

    with _own_signals():
        ray.shutdown()


def error_line(error: BaseException) -> str:
    """An error on one line, not too long."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) <= LONGEST_LINE else f"{said[:LONGEST_LINE]} ..."


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep the program's handler of SIGTERM, which Ray would replace."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
