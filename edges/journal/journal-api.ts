/**
 * What an operator may ask of actors and their journals, of a running orchestrator or of a store that nobody runs on.
 * Lists come in pages: `after` is the `next` of the page before.
 */
import type { ActorBundle } from '../../runtime/journal/bundle/schema.ts'
import type { ActorAnswer, DeadLetterAnswer, EffectAnswer, HistoryAnswer, ReplayAnswer } from './answers.ts'

export interface JournalPage<T> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly next?: string
}

export interface PageQuery {
  readonly after?: string
  readonly limit: number
}

export interface ActorsQuery extends PageQuery {
  /** Addresses that begin with it: `task:`, `task:default/implement-`. */
  readonly prefix: string
  readonly status?: 'active' | 'done' | 'quarantined'
}

interface EffectsQuery extends PageQuery {
  readonly actor?: string
  readonly state?: 'pending' | 'dead'
}

export interface JournalApi {
  actors(query: ActorsQuery): Promise<JournalPage<ActorAnswer>>
  /** Newest first. */
  history(query: PageQuery & { readonly address: string }): Promise<JournalPage<HistoryAnswer>>
  replay(address: string): Promise<ReplayAnswer>
  /** Redacted. */
  bundle(address: string): Promise<ActorBundle>
  effects(query: EffectsQuery): Promise<JournalPage<EffectAnswer>>
  effect(key: string): Promise<EffectAnswer>
  deadLetters(query: PageQuery & { readonly actor?: string }): Promise<JournalPage<DeadLetterAnswer>>
  deadLetter(id: string): Promise<DeadLetterAnswer>
  close(): Promise<void>
}

/** Every item of every page. */
export async function* allOf<T>(read: (after: string | undefined) => Promise<JournalPage<T>>): AsyncGenerator<T> {
  let after: string | undefined
  do {
    const page = await read(after)
    yield* page.items
    after = page.next
  } while (after !== undefined)
}
