# SPDX-License-Identifier: MIT
"""A page in the browser: play, watch a search think, look into its tree, ask why.

`access_control.py` says who may connect, `app.py` what they reach; every page has a `GameRoom`, and
all rooms are in one `RoomManager`, which has the limits. The page itself is in `page/`.
"""
