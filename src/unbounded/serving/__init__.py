# SPDX-License-Identifier: MIT
"""A page in the browser: play, watch a search think, look into its tree, ask why.

`door.py` says who may come in, `app.py` what is behind it; every page has a `Room`, and all rooms
are in one `House`, which has the limits. The page itself is in `page/`.
"""
