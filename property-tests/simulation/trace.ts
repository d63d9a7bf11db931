/**
 * The journals of a run as the one history that the laws of the machines read: all steps in the order of their commits,
 * each folded over the snapshot before it, and between them what the forge and the pods were made to do.
 */
import type { ActorAddress, MachineDefinition } from '../../machines/definition.ts'
import type { OutboxEffectType } from '../../machines/effect.ts'
import { machines } from '../../machines/registry.ts'
import { step } from '../../runtime/step/step.ts'
import { idOf, kindOf, type Moment, type Performed, type Snapshot, type Stepped } from '../machines/world/trace.ts'
import type { Entry } from './forge.ts'
import type { PlacedRow } from './evidence.ts'
import type { Outcome } from './live.ts'
import type { Taken } from './pods.ts'
import { beside } from './project.ts'
import { nameOf, type Thread } from './thread.ts'
import { people } from '../../standins/people.ts'

type State = Parameters<typeof step>[1]

const definitions = new Map<string, MachineDefinition>(machines.map((definition) => [definition.kind, definition]))

class Book {
  readonly moments: Moment[] = []
  readonly #actors = new Map<ActorAddress, State>()
  readonly #timers = new Map<ActorAddress, Map<string, string>>()
  readonly #writes = new Map<ActorAddress, Map<string, string>>()
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
    const isByBot = isOwnVoice(row) || this.#byBot.has(key)
    effects.forEach(({ type }, index) => {
      if (type === 'deliver' && isByBot) this.#byBot.add(`${address}/${seq}/${index}`)
    })
    const moment: Stepped = {
      kind: 'stepped',
      actor: address,
      seq,
      event,
      heardAs: key,
      causedBy: isByBot ? 'bot' : 'people',
      before: before as Snapshot | undefined,
      after: taken.snapshot as unknown as Snapshot,
      effects,
      outstanding: this.#outstanding(row),
      timers: [...timers.keys()],
    }
    this.moments.push(moment)
  }

  /** Writes that open or merge, asked for by the actor, not taken back by it and not answered under their key. */
  #outstanding({ address, seq, key, event, effects }: PlacedRow): readonly string[] {
    const asked = this.#writes.get(address) ?? new Map<string, string>()
    this.#writes.set(address, asked)
    for (const name of asked.keys()) if (key.startsWith(`${name}/`) || event['key'] === name) asked.delete(name)
    effects.forEach(({ type, params }, index) => {
      const types = type === 'withdrawEffects' ? (params['types'] as readonly string[]) : []
      for (const [name, one] of asked) if (types.includes(one)) asked.delete(name)
      if (ownedWrites.has(type) || type === 'submitTurn') asked.set(`${address}/${seq}/${index}`, type)
    })
    return [...asked.values()]
  }

  perform(effect: Performed['effect'], result: string): void {
    const actors = new Map([...this.#actors] as unknown as readonly (readonly [ActorAddress, Snapshot])[])
    this.moments.push({ kind: 'performed', effect, result, actors })
  }
}

/** They belong to a state [FORGE-WRITES-1]. */
const ownedWrites: ReadonlySet<string> = new Set(['openMergeRequest', 'mergeMergeRequest'])

/** What the platform said itself: a comment or command of the bot's, or its words taken for an approval. */
function isOwnVoice({ address, event }: PlacedRow): boolean {
  if (!['issue', 'merge-request'].includes(kindOf(address))) return false
  const facts = event['facts'] as { readonly approvals?: readonly { readonly author: string }[] } | undefined
  const voices = [
    ...(/commented|command|event$/.test(event.type) ? [event['author'], event['by']] : []),
    ...(facts?.approvals ?? []).map(({ author }) => author),
  ]
  return voices.includes(people.bot)
}

export function traceOf({ rows, audit, looks, workspaces, turns }: Outcome): readonly Moment[] {
  const book = new Book()
  const acts = [
    ...audit.flatMap((entry, index) => actOf(entry, rows, baseSeen({ audit, looks }, index))),
    ...turns.flatMap((turn) => turnOf(turn, rows)),
    ...workspaces.map(({ place, task }): Act => {
      const actor: ActorAddress = `task:${task}`
      return { place, effect: { key: '', actor, type: 'deleteWorkspace', params: { task } }, result: 'done' }
    }),
  ].toSorted((a, b) => a.place - b.place)
  // The laws of the machines are about one Project, and the one beside it has no work.
  for (const row of rows.filter(({ address }) => !address.endsWith(`/${beside}`))) {
    for (; acts[0] && acts[0].place < row.place; acts.shift()) book.perform(acts[0].effect, acts[0].result)
    book.take(row)
  }
  for (const { effect, result } of acts) book.perform(effect, result)
  return book.moments
}

/** The name of the thread. */
export function nameIn(entry: Entry): string {
  return nameOf({ repository: repositoryOf(entry), kind: kindIn(entry), number: entry.number ?? 0 })
}

/** The action says it, where it is not one of both kinds. */
export function kindIn({ kind, action }: Entry): Thread['kind'] {
  return kind ?? (action.startsWith('issue.') ? 'issue' : 'pull')
}

/** Without its owner. */
export function repositoryOf({ repository }: Entry): string {
  return repository.slice(repository.indexOf('/') + 1)
}

type Params = Readonly<Record<string, unknown>>

interface Act {
  readonly place: number
  readonly effect: Performed['effect']
  readonly result: string
}

/** What a wrapper accepted: the newest turn of its pod that was submitted. */
function turnOf({ place, task, podOrdinal }: Taken, rows: readonly PlacedRow[]): readonly Act[] {
  const isIt = (params: Params): boolean => params['task'] === task && params['podOrdinal'] === podOrdinal
  const effect = decision(rows, place, 'submitTurn', isIt)
  return effect ? [{ place, effect, result: 'accepted' }] : []
}

/**
 * The base branch of a merge request when the platform last looked before it merged: no forge lets a merge name its base, so
 * what came between is nobody's fault (decisions/0063).
 */
export function baseSeen({ audit, looks }: Pick<Outcome, 'audit' | 'looks'>, index: number): string | undefined {
  const name = audit[index] && nameIn(audit[index])
  const look = looks.findLast(({ thread, entries }) => thread === name && entries <= index)
  const isSet = ({ action, detail }: Entry): boolean =>
    action === 'pull.open' || (action === 'pull.edit' && detail?.['to'] !== undefined)
  const before = audit.slice(0, look?.entries ?? index)
  const last = before.findLast((entry) => isSet(entry) && nameIn(entry) === name)
  return last && String(last.detail?.['to'] ?? last.detail?.['base'])
}

/** The decision behind a write of the platform: the newest effect that asks for exactly this. */
function actOf(entry: Entry, rows: readonly PlacedRow[], base: string | undefined): readonly Act[] {
  const { place, actor, action, number, detail } = entry
  const isHere = ({ repository }: Params): boolean => repository === repositoryOf(entry)
  if (actor !== people.bot) return []
  if (action === 'pull.merge') {
    const effect = decision(rows, place, 'mergeMergeRequest', (params) => isHere(params) && params['number'] === number)
    // What was merged is the forge's word, what was asked for is not.
    return effect
      ? [
          {
            place,
            effect: { ...effect, params: { ...effect.params, sha: entry.sha ?? '', base: base ?? '' } },
            result: 'merged',
          },
        ]
      : []
  }
  if (action !== 'pull.open') return []
  const effect = decision(
    rows,
    place,
    'openMergeRequest',
    (params) => isHere(params) && params['branch'] === detail?.['head'],
  )
  return effect ? [{ place, effect, result: 'opened' }] : []
}

export function decision(
  rows: readonly PlacedRow[],
  place: number,
  type: OutboxEffectType,
  isIt: (params: Params) => boolean,
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
