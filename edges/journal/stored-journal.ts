/** The journal over a store. Nothing of it needs a running runtime, so a stopped one can be asked as well. */
import { redact, redactText } from '../../runtime/redact.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { ActorAddress, MachineDefinition } from '../../machines/definition.ts'
import { effectKey, parseAddress, parseEffectKey } from '../../runtime/address.ts'
import { maskWith } from '../../runtime/journal/bundle/mask.ts'
import { JournalTooLongError, readActor } from '../../runtime/journal/bundle/read-actor.ts'
import { redactBundle } from '../../runtime/journal/bundle/redact.ts'
import { replayActor } from '../../runtime/journal/replay.ts'
import { knownBy } from '../../runtime/journal/restore.ts'
import { findDeadLetter, listDeadLetters } from '../../runtime/store/inbox/dead-letters.ts'
import type { StoredDeadLetter } from '../../runtime/store/inbox/dead-letters.ts'
import { findActors } from '../../runtime/store/actors/find-actors.ts'
import { findEffect, findEffects } from '../../runtime/store/effects/find-effects.ts'
import { readJournal } from '../../runtime/store/journal/read-journal.ts'
import type { ActorRow, EffectRow, EventRow } from '../../runtime/store/rows.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { ActorAnswer, DeadLetterAnswer, EffectAnswer, HistoryAnswer } from './answers.ts'
import type { JournalPage, JournalApi } from './journal-api.ts'

interface StoredJournalOptions {
  readonly sql: Sql
  readonly definitions: readonly MachineDefinition[]
  /** Fresh bytes for each export: the key of its mask. */
  readonly randomBytes: () => Uint8Array
}

export function storedJournal({ sql, definitions, randomBytes }: StoredJournalOptions): JournalApi {
  const machines = knownBy(definitions)
  return {
    async actors({ prefix, status, after, limit }) {
      const rows = await findActors(sql, { prefix, status, after: after ?? '', limit: limit + 1 })
      return pageOf(rows.map(actorAnswer), limit, ({ address }) => address)
    },
    async history({ address, after, limit }) {
      const actor = await requireActor(address)
      const before = after === undefined ? actor.seq + 1 : numberOf(after)
      const from = Math.max(1, before - limit)
      const rows = await readJournal(sql, { actor: actor.address, from, limit: before - from })
      const items = rows.toReversed().map(historyAnswer)
      return from > 1 && items.length > 0 ? { items, next: String(from) } : { items }
    },
    async replay(address) {
      const { address: known, kind } = await requireActor(address)
      const machine = machines.get(kind)
      if (machine === undefined) return { address, steps: 0, equal: false, firstDifference: noMachine }
      const { steps, equal, firstDifference } = await replayActor(sql, machine, known)
      return { address, steps, equal, ...(firstDifference === undefined ? {} : { firstDifference }) }
    },
    async bundle(address) {
      const raw = await readActor(sql, requireAddress(address)).catch(tooLong)
      if (raw === undefined) throw missing(address)
      return redactBundle(raw, machines.get(raw.kind), maskWith(randomBytes()))
    },
    async effects({ actor, state, after, limit }) {
      const dead = state === undefined ? undefined : state === 'dead'
      const rows = await findEffects(sql, { actor, dead, after: parseEffectKey(after ?? ''), limit: limit + 1 })
      return pageOf(rows.map(effectAnswer), limit, ({ key }) => key)
    },
    async effect(key) {
      const id = parseEffectKey(key)
      const row = id && (await findEffect(sql, id))
      if (!row)
        throw new Problem(
          'not-found',
          `no unsettled effect has the key ${key}: it was performed, withdrawn or never asked for`,
        )
      return effectAnswer(row)
    },
    async deadLetters({ actor, after, limit }) {
      const rows = await listDeadLetters(sql, actor, limit + 1, after === undefined ? undefined : numberOf(after))
      return pageOf(rows.map(deadLetterAnswer), limit, ({ id }) => id.slice(letterPrefix.length))
    },
    async deadLetter(id) {
      const row = /^letter:\d{1,15}$/.test(id)
        ? await findDeadLetter(sql, numberOf(id.slice(letterPrefix.length)))
        : undefined
      if (!row) throw new Problem('not-found', `there is no dead letter ${id}: list them to see their ids`)
      return deadLetterAnswer(row)
    },
    close: () => sql.close(),
  }

  async function requireActor(address: string): Promise<ActorRow> {
    requireAddress(address)
    const [row] = await findActors(sql, { prefix: address, status: undefined, after: '', limit: 1 })
    if (row?.address !== address) throw missing(address)
    return row
  }
}

const letterPrefix = 'letter:'
const noMachine = 'this program has no machine for this kind of actor'

function requireAddress(address: string): ActorAddress {
  if (parseAddress(address) === undefined)
    throw new Problem(
      'invalid-input',
      `${address} is no address: an address is <kind>:<id>, such as task:default/implement-lib-1-x7k2p`,
    )
  return address as ActorAddress
}

function missing(address: string): Problem {
  return new Problem('not-found', `there is no actor ${address}: statewright actors lists them`)
}

function tooLong(error: unknown): never {
  if (error instanceof JournalTooLongError) throw new Problem('conflict', error.message)
  throw error
}

function numberOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw new Problem('invalid-input', 'the cursor is not one of this list')
  return Number(cursor)
}

/** One row more than the limit was read: it says that there is a next page. */
function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string): JournalPage<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return rows.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items }
}

function actorAnswer({
  address,
  status,
  path,
  seq,
  version,
  machineHash: hash,
  fault,
  updatedAt,
}: ActorRow): ActorAnswer {
  return { address, status, path, seq, version, machineHash: hash, fault: shown(fault), updatedAt }
}

function historyAnswer(row: EventRow): HistoryAnswer {
  const { seq, at, key, path, handled } = row
  const effects = redact(JSON.parse(row.effects)) as HistoryAnswer['effects']
  return { seq, at, key, event: redact(JSON.parse(row.body)), effects, path, handled, fault: shown(row.fault) }
}

function effectAnswer(row: EffectRow): EffectAnswer {
  const { actor, seq, idx, type, dead, attempts, at, notBefore } = row
  const key = effectKey({ actor, seq, index: idx })
  const params = redact(JSON.parse(row.params))
  return {
    key,
    actor,
    type,
    state: dead ? 'dead' : 'pending',
    attempts,
    decidedAt: at,
    notBefore,
    lastError: shown(row.lastError),
    params,
  }
}

function deadLetterAnswer({ id, actor, key, reason, at, body }: StoredDeadLetter): DeadLetterAnswer {
  return { id: `${letterPrefix}${id}`, actor, key, reason: redactText(reason), at, event: redact(JSON.parse(body)) }
}

function shown(text: string | null): string | null {
  return text === null ? null : redactText(text)
}
