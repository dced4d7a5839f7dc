# SPDX-License-Identifier: MIT
"""Commands of the program, beside those of `cli`: each returns a job to be run."""
