# SPDX-License-Identifier: MIT
"""A page in the browser: play, watch a search, browse its tree, ask why.

The modules, lowest first; each imports only modules above it (`tests/test_web_layers.py` reads this
table), so no part of a room depends on the room, and no room on the manager of all rooms.

| module | what is there |
|---|---|
| `limits` | what one page, one room and the whole server may use |
| `scheduler` | which searches run on the cores: moves before analyses |
| `store` | saved games and searches in a folder of limited size |
| `line` | the line that a room looks at, and the cursor in it |
| `knowledge` | what a room knows of positions: proven and estimated apart |
| `findings` | what is known at the cursor, by a search and from before |
| `tree_views` | pieces of the tree as JSON values |
| `graph_view` | the top of the graph for a picture |
| `mistakes` | which moves of a game gave something away |
| `views` | a game and the position that is looked at as JSON values |
| `position_views` | ghosts of a line, a picture to keep, the rules of a game |
| `connections` | HTTP and WebSocket connections with timeouts and limits |
| `send_queue` | messages to a page: order, backpressure, memory limit |
| `browser` | opening the page without disclosing the link |
| `access_control` | which requests are let through: host, origin, token, cookie |
| `game_setup` | the games and players that the server offers |
| `room_clocks` | the clocks of a game, and the moment at which one has run out |
| `room_game` | part of a room: what was played, and by whom |
| `machine_turns` | part of a room: the machine whose turn it is |
| `search_thread` | a search in a thread of its own |
| `analysis` | part of a room: a search at the cursor |
| `opened_files` | the files that the server was started with |
| `certificates` | part of a room: the check of a certificate |
| `editor` | part of a room: a position that is set up by hand |
| `room_files` | part of a room: its files |
| `hints` | the best known move, or one that a short search finds |
| `review` | part of a room: every position of the game searched, and judged |
| `room_storage` | part of a room: its copy in the store |
| `game_room` | `GameRoom`: one game and the pages that show it, composed of the parts above |
| `room_manager` | `RoomManager`: all rooms by name |
| `requests` | the requests of a page, validated and passed to its room |
| `claims` | a claims file, read again when it changes |
| `app` | the web application: files of the page, one WebSocket per open page |
| `server` | the listening socket, access control and the application |

The page itself is in `page/`.
"""
