/** After an update that lists more, or otherwise, what is listed of every actor is made anew: once, and when it is asked for first. */
import type { ActorAddress } from '../machines/definition.ts'
import type { ActorState } from './actor-state.ts'
import { messageOf } from './errors.ts'
import type { Known } from './journal/restore.ts'
import { listingOf } from './listings.ts'
import type { Logger } from './logger.ts'
import { unlistedActors } from './store/actors/list-actors.ts'
import { writeListing } from './store/journal/commit-steps.ts'
import type { Queryable } from './store/sql.ts'

interface RelistingOptions {
  readonly sql: Queryable
  readonly known: ReadonlyMap<string, Known>
  readonly logger: Logger
  readonly states: (addresses: readonly ActorAddress[]) => Promise<readonly ActorState[]>
}

const readAtOnce = 200

export class Relisting {
  readonly #options: RelistingOptions
  #pass: Promise<void> | undefined
  #isStopped = false

  constructor(options: RelistingOptions) {
    this.#options = options
  }

  begin(): void {
    this.#pass ??= this.#listAll().catch((error: unknown) => {
      this.#pass = undefined
      this.#options.logger.warn({ error: messageOf(error) }, 'the lists of actors are not made anew yet')
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#pass
  }

  async #listAll(): Promise<void> {
    const { sql, known, states } = this.#options
    const versions = new Map<string, number>(
      [...known].flatMap(([kind, { definition }]) => (definition.listed ? [[kind, definition.listed.version]] : [])),
    )
    for (let after = ''; !this.#isStopped;) {
      const addresses = await unlistedActors(sql, { versions, after, limit: readAtOnce })
      for (const state of await states(addresses)) {
        const listing = state && listingOf(known.get(state.row.kind)?.definition.listed, state)
        if (listing !== undefined && !this.#isStopped) await writeListing(sql, listing)
      }
      if (addresses.length < readAtOnce) return
      after = addresses.at(-1) ?? ''
    }
  }
}
