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
import time
from collections.abc import Callable, Iterator
from typing import Any

from unbounded.game import UnboundedError, UsageError, require

ADDRESS = r"local|auto|off|ray://\S+|\S*[^\s:]:\d+"
"""What may be given as the address of Ray; off means that Ray is not used."""
CONNECT_SECONDS = 10.0
LOCAL_HEAD_SECONDS = 10
"""How long Ray waits for its head, where that was started here: it does not come back."""
HEAD_SECONDS = 45.0
"""How long to wait for the head of a cluster, which may come back; Ray waits for 60 s and then ends
the process."""
LONGEST_LINE = 600
CONTINUE = "what was proven is safe, and the same command continues"


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
    where = (address or "local").removeprefix("ray://")
    if ":" not in where:
        return
    why = _refusal(where)  # Ray itself would try for many minutes
    require(
        why is None,
        f"cannot use Ray at `ray={address}`: {why}. Start it there by: ray start --head",
    )


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

        more = {
            "num_cpus": max(cpus or 1, available_cores()),
            "include_dashboard": False,
            "_system_config": {"gcs_rpc_server_reconnect_timeout_s": LOCAL_HEAD_SECONDS},
        }
    with _own_signals():
        try:
            ray.init(address, log_to_driver=False, configure_logging=False, **more)
        except Exception as error:  # Ray raises plain ones too, such as that it takes too long
            raise UsageError(f"cannot use Ray at `ray={address}`: {error_line(error)}") from error
    return True


def disconnect() -> None:
    """Leave the cluster; end Ray if it was started here."""
    import ray

    with _own_signals():
        ray.shutdown()


class Watch:
    """Notices that Ray is gone: its head, or its process on this machine.

    Ray itself would let a driver wait forever, or end the process without a word to the user.
    """

    def __init__(self, *, local: bool = False, tell: Callable[[str], None] | None = None) -> None:
        """local: the head was started by this process, and nobody would start it again."""
        self._patience = 0.0 if local else HEAD_SECONDS
        self._tell = tell or (lambda _: None)
        self._silent_since: float | None = None

    def look(self) -> bool:
        """Whether the head answers; raises an error if Ray is gone for good."""
        import ray

        if ray.util.client.ray.is_connected():  # the client does the same itself
            return True
        address = ray.get_runtime_context().gcs_address
        if (why := _refusal(address)) is not None:
            self._wait(address, why)
            return False
        self._silent_since = None
        here = ray.get_runtime_context().get_node_id()
        alive = {node["NodeID"]: node["Alive"] for node in ray.nodes()}
        if not alive.get(here, True):
            raise UnboundedError(f"Ray's process on this machine, the raylet, is gone; {CONTINUE}")
        return True

    def _wait(self, address: str, why: str) -> None:
        now = time.monotonic()
        if self._silent_since is None:
            self._silent_since = now
            if self._patience:
                self._tell(f"Ray's head at {address} does not answer ({why}); waiting for it")
        if now - self._silent_since >= self._patience:
            raise UnboundedError(f"Ray's head at {address} is gone ({why}); {CONTINUE}")


def _refusal(address: str) -> str | None:
    """Why nothing can be asked at an address; None if something listens there."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        return error_line(error)
    return None


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
