# SPDX-License-Identifier: MIT
"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "0+unknown"

try:
    VERSION = version("unbounded")
except PackageNotFoundError:
    VERSION = UNKNOWN
