// SPDX-License-Identifier: MIT
// What travels between the server and the page, as types. Proven results are only ever in `outcome`,
// `score` and `distance`; estimates only in `value`.

/** A place on the drawing: middle, width and height. @typedef {number[]} Place */

/** Where the number of a move is drawn: middle, width and height. @typedef {number[] | null | undefined} Spot */

/** @typedef {{ name: string, places: Place[], badge?: Spot }} PlacedAction */

/**
 * @typedef {object} Known What is known of a position or of a move; results are those of each player.
 * @property {boolean} [resolved]
 * @property {number[] | null} [outcome]
 * @property {(number | null)[] | null} [value]
 * @property {number[] | null} [score]
 * @property {number | null} [distance]
 */

/**
 * @typedef {Known & { name: string, visits: number, expanded: boolean, number?: number }} KnownAction
 */

/** @typedef {Known & { moves: string[] }} Line */

/**
 * @typedef {object} Decision
 * @property {string} name
 * @property {number[] | null} outcome
 * @property {number[] | null} value
 * @property {number} seconds
 */

/** Seconds left by player when it was sent, and whose clock runs. @typedef {{ control: string, left: number[], running: number | null }} ClockView */

/**
 * @typedef {object} GameView
 * @property {string} room
 * @property {string} game
 * @property {string} title
 * @property {string[]} players
 * @property {string[]} seats
 * @property {string[]} seat_words
 * @property {string[]} moves
 * @property {number[]} movers
 * @property {number | null} mover
 * @property {boolean} human_to_move
 * @property {number} humans
 * @property {boolean} thinking
 * @property {boolean} can_redo
 * @property {boolean} over
 * @property {number[] | null} outcome
 * @property {number[] | null} score
 * @property {number | null} resigned
 * @property {Decision | null} decision
 * @property {boolean} editable
 * @property {number} changes
 * @property {ClockView | null} [clock]
 * @property {boolean} [out_of_time]
 */

/**
 * @typedef {object} PositionView
 * @property {string[]} line
 * @property {number} ply
 * @property {number} main
 * @property {boolean} live
 * @property {number | null} mover
 * @property {boolean} over
 * @property {number[] | null} outcome
 * @property {number[] | null} [score]
 * @property {string} svg
 * @property {string} text
 * @property {PlacedAction[]} actions
 * @property {number} action_count
 */

/**
 * @typedef {object} AnalysisView
 * @property {"none" | "running" | "paused"} state
 * @property {string | null} [failure]
 * @property {string | null} [pause_reason]
 * @property {string[]} [moves]
 * @property {string} [algorithm]
 * @property {Record<string, any>} [options]
 * @property {string} [note]
 * @property {number | null} [mover]
 * @property {boolean} [resolved]
 * @property {number[] | null} [outcome]
 * @property {(number | null)[] | null} [value]
 * @property {number[] | null} [score]
 * @property {number | null} [distance]
 * @property {string[]} [pv]
 * @property {number} [pv_length]
 * @property {Line[]} [lines]
 * @property {KnownAction[]} [actions]
 * @property {number} [action_count]
 * @property {number} [states]
 * @property {number} [states_per_second]
 * @property {number} [memory]
 * @property {number} [seconds]
 * @property {number} [compactions]
 */

/**
 * @typedef {object} CurvePoint
 * @property {number} ply
 * @property {number | null} mover
 * @property {number[] | null} outcome
 * @property {(number | null)[] | null} value
 * @property {"proven" | "estimated" | "unknown"} kind
 */

/** @typedef {{ line: string[], points: CurvePoint[] }} CurveView */

/**
 * @typedef {object} Mistake
 * @property {number} ply
 * @property {string} move
 * @property {number} mover
 * @property {"proven" | "estimated"} kind
 * @property {string[]} better
 * @property {string} words
 */

/** @typedef {{ state: string, done: number, of: number, mistakes: Mistake[] }} ReviewView */

/** @typedef {Known & { number: number, depth: number, path: string[], mover: number | null, visits: number, expanded: boolean, more: number }} GraphNode */

/** @typedef {{ from: number, to: number, name: string, visits: number }} GraphEdge */

/** @typedef {{ nodes: GraphNode[], edges: GraphEdge[] }} GraphView */

/** @typedef {(name: string, fields?: Record<string, any>) => Promise<any>} Request */

export {};
