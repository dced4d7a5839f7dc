# SPDX-License-Identifier: MIT
"""Work on several machines, by Ray: the connection, and what every worker is told and checks."""
