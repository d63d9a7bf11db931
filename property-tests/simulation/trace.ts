/**
 * The journals of a run as the one history that the laws of the machines read: all steps in the order of their commits,
 * each folded over the snapshot before it, and between them what the forge and the pods were made to do.
 */
import type { ActorAddress, MachineDefinition } from '../../machines/definition.ts'
import { machines } from '../../machines/registry.ts'
import { step } from '../../runtime/step.ts'
import { idOf, kindOf, type Moment, type Performed, type Snapshot, type Stepped } from '../machines/world/trace.ts'
import type { Entry } from './forge.ts'
import type { Outcome, PlacedRow } from './live.ts'
import { people } from '../../cli/local/people.ts'

type State = Parameters<typeof step>[1]

const definitions = new Map<string, MachineDefinition>(machines.map((definition) => [definition.kind, definition]))

class Book {
  readonly moments: Moment[] = []
  readonly #actors = new Map<ActorAddress, State>()
  readonly #timers = new Map<ActorAddress, Map<string, string>>()
  readonly #mail = new Set<string>()
  readonly #byBot = new Set<string>()

  take(row: PlacedRow): void {
    const { address, event, effects, key, seq } = row
    const definition = definitions.get(kindOf(address))
    if (!definition || row.fault !== undefined) return
    const before = this.#actors.get(address)
    const taken = step(definition, before, event, { id: idOf(address) })
    if (taken.fault !== undefined) throw new Error(`${address} ${seq} cannot be folded: ${taken.message}`)
    this.#actors.set(address, taken.snapshot)
    const timers = this.#timers.get(address) ?? new Map<string, string>()
    this.#timers.set(address, timers)
    for (const [id, type] of timers) if (type === event.type) timers.delete(id)
    for (const id of taken.timersCancelled) timers.delete(id)
    for (const timer of taken.timersSet) timers.set(timer.id, timer.event.type)
    this.#mail.delete(key)
    const isByBot = isOwnVoice(row) || this.#byBot.has(key)
    effects.forEach(({ type }, index) => {
      if (type !== 'deliver') return
      this.#mail.add(`${address}/${seq}/${index}`)
      if (isByBot) this.#byBot.add(`${address}/${seq}/${index}`)
    })
    const moment: Stepped = {
      kind: 'stepped',
      actor: address,
      event,
      causedBy: isByBot ? 'bot' : 'people',
      before: before as Snapshot | undefined,
      after: taken.snapshot as unknown as Snapshot,
      effects,
      outstanding: [],
      timers: [...timers.keys()],
      isQuiet: this.#mail.size === 0,
    }
    this.moments.push(moment)
  }

  perform(effect: Performed['effect'], result: string): void {
    const actors = new Map([...this.#actors] as unknown as readonly (readonly [ActorAddress, Snapshot])[])
    this.moments.push({ kind: 'performed', effect, result, actors })
  }
}

/** The mirror tells an Issue of our own comment. */
function isOwnVoice({ address, event }: PlacedRow): boolean {
  const author = event['author']
  return kindOf(address) === 'issue' && /comment/.test(event.type) && author === people.bot
}

export function traceOf({ rows, audit, workspaces }: Outcome): readonly Moment[] {
  const book = new Book()
  const acts = [
    ...audit.flatMap((entry) => actOf(entry, rows)),
    ...workspaces.map(({ place, task }) => {
      const actor: ActorAddress = `task:${task}`
      return { place, effect: { key: '', actor, type: 'deleteWorkspace', params: { task } }, result: 'done' }
    }),
  ].toSorted((a, b) => a.place - b.place)
  for (const row of rows) {
    for (; acts[0] && acts[0].place < row.place; acts.shift()) book.perform(acts[0].effect, acts[0].result)
    book.take(row)
  }
  for (const { effect, result } of acts) book.perform(effect, result)
  return book.moments
}

interface Act {
  readonly place: number
  readonly effect: Performed['effect']
  readonly result: string
}

/** The decision behind a write of the platform: the newest effect that asks for exactly this. */
function actOf(entry: Entry, rows: readonly PlacedRow[]): readonly Act[] {
  const { place, actor, action, number, detail } = entry
  if (actor !== people.bot) return []
  if (action === 'pull.merge') {
    const effect = decision(rows, place, 'mergeMergeRequest', (params) => params['number'] === number)
    // What was merged is the forge's word, what was asked for is not.
    return effect
      ? [{ place, effect: { ...effect, params: { ...effect.params, sha: entry.sha ?? '' } }, result: 'merged' }]
      : []
  }
  if (action !== 'pull.open') return []
  const effect = decision(rows, place, 'openMergeRequest', (params) => params['branch'] === detail?.['head'])
  return effect ? [{ place, effect, result: 'opened' }] : []
}

export function decision(
  rows: readonly PlacedRow[],
  place: number,
  type: string,
  isIt: (params: Readonly<Record<string, unknown>>) => boolean,
): Performed['effect'] | undefined {
  const row = rows.findLast(
    (one) => one.place <= place && one.effects.some((effect) => effect.type === type && isIt(effect.params)),
  )
  const index = row?.effects.findLastIndex((effect) => effect.type === type && isIt(effect.params)) ?? -1
  const effect = row?.effects[index]
  return row && effect
    ? { key: `${row.address}/${row.seq}/${index}`, actor: row.address, type, params: effect.params }
    : undefined
}
