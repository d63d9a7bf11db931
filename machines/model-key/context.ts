import type { Withholding } from '../turn/schema.ts'

/** Why no turn of the key would be answered, as queues and people are told. Times are epoch milliseconds. */
export interface Hold {
  readonly cause: Withholding
  /** The provider's words. */
  readonly message: string
  readonly since: number
  /** When one turn is tried; past while one is. */
  readonly until: number
}

/** Everything known of a key of the model's provider; plain JSON. Of the key itself there is nothing here. */
export interface ModelKeyContext {
  /** A print of the key, so that another key is another actor. */
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  /** Projects whose pods use the key, in order. */
  readonly projects: readonly string[]
  /** When the first queue joined: turns of older pods may have used another key. */
  readonly knownSince: number | null
  readonly hold: Hold | null
  /** Tries in a row that the provider refused. */
  readonly refusals: number
  /** Projects that were not asked yet in this round; the first one is being asked. */
  readonly toAsk: readonly string[]
  /** The one Task whose turn may run; empty: none. */
  readonly probe: string
}

export function newModelKey(id: string): ModelKeyContext {
  return { id, at: 0, projects: [], knownSince: null, hold: null, refusals: 0, toAsk: [], probe: '' }
}
