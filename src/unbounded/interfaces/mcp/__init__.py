# SPDX-License-Identifier: MIT
"""Tools for assistants over the Model Context Protocol, on standard input and output.

| module | what is there |
|---|---|
| `limits` | what one call and the whole server may use |
| `arguments` | the arguments of every tool |
| `answers` | the results of every tool |
| `tools` | what the tools do; runs in the worker |
| `worker` | the process that runs the tools, which is ended where a call does not end |
| `certificates` | certificates in messages: written as text, and checked |
| `input_lines` | standard input for the event loop |
| `open_games` | the games that clients have begun |
| `server` | the protocol; the only module that needs the extra `mcp` |

The server answers requests and keeps the moves of the open games; everything else happens in one
worker process. A call that hangs, is canceled or needs too much memory costs that process and
nothing more.
"""
