/** An exported bundle, read as the runtime reads its store: what `statewright inspect` shows. Nothing in it moves. */
import type { ActorAddress, ActorKind, MachineDefinition } from '../../../machines/definition.ts'
import { isQuarantined, journalRow, viewOf, type ActorState } from '../../../runtime/actor-state.ts'
import { addressOf, parseAddress } from '../../../runtime/address.ts'
import { pendingEffectOf, pendingTimerOf } from '../../../runtime/listed-rows.ts'
import { isFoundBy, namedLine } from '../../../machines/why/search.ts'
import { inPath, listingOf } from '../../../runtime/listings.ts'
import type { ActorBundle, BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { knownBy, restoreActor } from '../../../runtime/journal/restore.ts'
import { isOfKind } from '../../../runtime/of-kind.ts'
import type { ActorView, FindQuery, Found, Runtime, Tally } from '../../../runtime/runtime.ts'
import { rowOf } from '../routes/actors.ts'
import type { StoredActor } from '../../../runtime/store/actors/load-actors.ts'
import type { EffectRow, EventRow } from '../../../runtime/store/rows.ts'
import { boardReader } from './read-board.ts'
import { readStory } from './read-story.ts'
import type { InspectorDeps, Observed } from '../deps.ts'

export type BundleReader = Observed & Pick<Runtime, 'list' | 'listEnded'>

const mostCounted = 1000
const statuses = ['active', 'done', 'quarantined'] as const
type State = Exclude<ActorState, undefined>

/** `file` has no faults of `orderFaults`. An actor that this code cannot load is quarantined, as it would be in a store (R10). */
export function bundleReader(file: BundleFile, definitions: readonly MachineDefinition[]): BundleReader {
  const known = knownBy(definitions)
  const stored = file.actors.flatMap((bundle) => storedOf(bundle, file)).toSorted(byAddress)
  const byName = new Map(stored.map((one) => [one.row.address, one]))
  const states = new Map<ActorAddress, State>()
  const stateOf = (one: Stored): readonly State[] => {
    const of = known.get(one.row.kind)
    const state = states.get(one.row.address) ?? (of && restoreActor(of, one))
    if (state === undefined) return []
    states.set(one.row.address, state)
    return [state]
  }
  const ofKind = (kind: ActorKind): readonly State[] => stored.filter(({ row }) => row.kind === kind).flatMap(stateOf)
  const viewsOf = <Kind extends ActorKind>(kind: Kind): readonly ActorView<Kind>[] =>
    ofKind(kind).map((state) => viewOf<Kind>(state))
  const ofActor = (address: ActorAddress | undefined): readonly Stored[] =>
    address === undefined ? stored : [byName.get(address)].filter((one) => one !== undefined)
  return {
    async read<Kind extends ActorKind>(address: `${Kind}:${string}`) {
      const [state] = ofActor(address).flatMap(stateOf)
      return state && viewOf<Kind>(state)
    },
    async list(kind, { after = '', limit = 1000, idPrefix = '', status } = {}) {
      return viewsOf(kind)
        .filter((view) => view.id > after && view.id.startsWith(idPrefix) && isOf(view, status))
        .slice(0, limit)
    },
    async listEnded(kind, { since, limit }) {
      return viewsOf(kind)
        .filter(({ status, updatedAt }) => status === 'done' && updatedAt >= since)
        .toSorted(byTime)
        .slice(0, limit)
    },
    async find(kind, query) {
      const listed = known.get(kind)?.definition.listed
      return pageOf(
        ofKind(kind)
          .filter((state) => isFound(state, listed, query))
          .map(viewOf),
        query,
      )
    },
    async tally(texts) {
      const all = stored.flatMap(stateOf)
      return {
        states: counted(all.map(viewOf).map(({ kind, path }) => ({ kind, path }))),
        words: counted(all.flatMap((state) => wordsOf(known.get(state.row.kind)?.definition.listed, state, texts))),
      }
    },
    async history(address, { from = 1, limit = 1000 } = {}) {
      const rows = ofActor(address).flatMap(({ events }) => events)
      return rows
        .filter(({ seq }) => seq >= from)
        .slice(0, limit)
        .map(journalRow)
    },
    async pendingEffects({ actor, state } = {}) {
      const effects = ofActor(actor).flatMap((one) => one.effects.map((row) => pendingEffectOf(row, () => undefined)))
      return effects.filter((effect) => state === undefined || effect.state === state)
    },
    async pendingTimers({ actor } = {}) {
      const timers = ofActor(actor).flatMap((one) => one.timers.map(pendingTimerOf))
      return timers.toSorted((one, other) => one.dueAt - other.dueAt)
    },
    subscribe: () => () => undefined,
  }
}

interface Fault {
  readonly path: string
  readonly message: string
}

/** What of a file that has the format cannot be read as a store is, by its place in the file. */
export function orderFaults({ actors }: BundleFile, definitions: readonly MachineDefinition[]): readonly Fault[] {
  const seen = new Set<string>()
  return actors.flatMap(({ address, kind, seq, status, events }, index) => {
    const fault = (path: string, message: string): Fault => ({ path: `/actors/${index}${path}`, message })
    const isRepeated = seen.has(address)
    seen.add(address)
    const gap = events.findIndex((event, at) => event.seq !== seq - events.length + 1 + at)
    return [
      ...(parseAddress(address)?.kind === kind ? [] : [fault('/address', `${address} is no address of its kind`)]),
      ...(isRepeated ? [fault('/address', `${address} is that of an actor before it`)] : []),
      ...(definitions.some((known) => known.kind === kind)
        ? []
        : [fault('/kind', `${kind} is no kind of actor of this program`)]),
      ...(statuses.some((known) => known === status) ? [] : [fault('/status', `${status} is no status of an actor`)]),
      ...(gap < 0 ? [] : [fault(`/events/${gap}/seq`, `must go on without a gap up to ${seq}, the last event`)]),
    ]
  })
}

/** Stories that are tried before the page opens: one that fails later fails alone. */
const mostStories = 200
/** Each searches for a shortest way, and a story comes without a `why` that fails. */
const mostWhys = 20

/** What the page would fail to show: a context is anything, and only a machine of ours writes one that fits. */
export async function shownFaults(
  { actors, exportedAt }: BundleFile,
  runtime: BundleReader,
  whyOf?: InspectorDeps['whyOf'],
): Promise<readonly Fault[]> {
  const clock = { now: () => exportedAt, elapsed: () => 0 }
  const tried = async (path: string, show: () => Promise<unknown>): Promise<readonly Fault[]> => {
    try {
      await show()
      return []
    } catch (error) {
      return [{ path, message: `cannot be shown: ${error instanceof Error ? error.message : 'it throws'}` }]
    }
  }
  const show = async (address: string, withStory: boolean, withWhy: boolean): Promise<void> => {
    const parts = parseAddress(address)
    const view = parts && (await runtime.read(`${parts.kind}:${parts.id}`))
    if (view !== undefined) rowOf(view)
    if (withStory) await readStory({ runtime, clock }, address)
    if (withWhy && view !== undefined && isOfKind(view, 'task') && view.status !== 'quarantined')
      await whyOf?.(view, [])
  }
  const faults: Fault[] = []
  let tasks = 0
  for (const [index, { address, kind }] of actors.entries()) {
    const before = kind === 'task' ? tasks++ : Infinity
    faults.push(...(await tried(`/actors/${index}`, () => show(address, before < mostStories, before < mostWhys))))
  }
  const board = boardReader({ runtime, clock, maintainers: async () => new Map() })
  return faults.length > 0 ? faults : tried('/actors', board)
}

interface Stored extends StoredActor {
  readonly events: readonly EventRow[]
  readonly effects: readonly EffectRow[]
}

function storedOf(bundle: ActorBundle, { exportedAt }: BundleFile): readonly Stored[] {
  const { seq, version, machineHash, path, fault, snapshot } = bundle
  const { kind, id } = parseAddress(bundle.address) ?? {}
  if (kind === undefined || id === undefined) return []
  const address = addressOf(kind, id)
  const events = bundle.events.map(({ event, effects, ...row }) => ({
    ...{ ...row, actor: address, answer: null, stateHash: null },
    ...{ body: JSON.stringify(event), effects: JSON.stringify(effects) },
  }))
  const updatedAt = events.at(-1)?.at ?? exportedAt
  const status = statuses.find((one) => one === bundle.status) ?? 'quarantined'
  return [
    {
      row: {
        ...{ address, kind, seq, version, machineHash, status, path, fault, shard: 0, pending: null },
        ...{ createdAt: events[0]?.at ?? updatedAt, updatedAt },
      },
      snapshot: snapshot ? { ...snapshot, actor: address, body: JSON.stringify(snapshot.snapshot) } : undefined,
      tail: events.filter((row) => row.seq > (snapshot?.seq ?? 0)),
      timers: bundle.timers.map(({ event, ...timer }) => ({
        ...{ ...timer, actor: address, shard: 0, body: JSON.stringify(event) },
      })),
      events,
      effects: bundle.effects.map(({ index: idx, params, ...effect }) => ({
        ...{ ...effect, idx, actor: address, params: JSON.stringify(params) },
        ...{ shard: 0, at: exportedAt, isMarked: false },
      })),
    },
  ]
}

function pageOf(all: readonly ActorView[], query: FindQuery): Found {
  const isNewest = query.order === 'newest'
  // A sort leaves those of one time in the order of their names.
  const inOrder = isNewest ? all.toSorted(byTime) : all
  const views = inOrder.filter((view) => isBehind(view, query)).slice(0, query.limit)
  return {
    total: query.after === undefined ? Math.min(all.length, mostCounted) : 0,
    found: views.map(({ address, updatedAt }) => ({ address, updatedAt: isNewest ? updatedAt : 0 })),
    views,
  }
}

/** As `allOf` of the store has it. */
function isFound(
  state: State,
  listed: MachineDefinition['listed'],
  { status, text = '', path = '', texts = {}, restsSince = Infinity }: FindQuery,
): boolean {
  const { row } = state
  const named = Object.entries(texts).filter(([, word]) => word !== '')
  const listing = listingOf(listed, state)
  const searched = listed === undefined ? { words: row.address.toLowerCase() } : (listing ?? { words: '' })
  return (
    isOf({ status: isQuarantined(state) ? 'quarantined' : row.status }, status) &&
    isFoundBy(text, searched) &&
    named.every(([name, word]) => listing?.named.includes(namedLine(name, word)) ?? false) &&
    (path === '' || inPath(row.path, path)) &&
    row.updatedAt <= restsSince
  )
}

/** As `tallyActors` of the store counts them. */
function wordsOf(
  listed: MachineDefinition['listed'],
  state: State,
  texts: readonly string[],
): readonly Omit<Tally['words'][number], 'count'>[] {
  const lines = listingOf(listed, state)?.named.split('\n').filter(Boolean) ?? []
  const { kind } = viewOf(state)
  return lines.flatMap((line) => {
    const [name = '', ...words] = line.split('=')
    return texts.includes(name) ? [{ kind, name, word: words.join('=') }] : []
  })
}

function counted<T extends object>(all: readonly T[]): readonly (T & { readonly count: number })[] {
  return [...Map.groupBy(all, (one) => JSON.stringify(one)).values()].flatMap((same) =>
    same.slice(0, 1).map((one) => ({ ...one, count: same.length })),
  )
}

function isOf(view: Pick<ActorView, 'status'>, status: ActorView['status'] | undefined): boolean {
  return status === undefined || view.status === status
}

function isBehind(view: ActorView, { after, order }: FindQuery): boolean {
  if (after === undefined) return true
  const isLater = view.address > after.address
  return order !== 'newest' ? isLater : byTime(after, view) < 0 || (byTime(after, view) === 0 && isLater)
}

function byTime(one: Pick<ActorView, 'updatedAt'>, other: Pick<ActorView, 'updatedAt'>): number {
  return other.updatedAt - one.updatedAt
}

function byAddress({ row: one }: Stored, { row: other }: Stored): number {
  return one.address < other.address ? -1 : 1
}
