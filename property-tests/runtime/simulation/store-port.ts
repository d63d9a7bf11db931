/**
 * The store as one process reaches it: each statement travels there, is run as a whole, and its answer travels back. In
 * between the process may die or be paused, the statement or its answer may be lost, late, or overtaken by another's.
 */
import { SqlError } from '../../../runtime/store/sql-error.ts'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import type { Lifeline } from './lifeline.ts'
import type { StoreFault } from './plan.ts'
import type { Holders, Ownership } from './ownership.ts'
import { callingVerb } from './points.ts'

export interface Network {
  readonly latencyMs: number
  /** The planned fault of the slot's next statement. */
  nextFault(slot: number, verb: string): StoreFault | undefined
  isAway(slot: number): boolean
  readonly ownership: Ownership
}

export const commitVerb = 'commit-steps'

/** A commit that holds this is refused, as data that the store cannot hold. */
const unholdable = 'unholdable'

export function storePort(line: Lifeline, network: Network): Sql {
  const { store } = line.world
  const { durability } = store
  return {
    durability,
    query: ((text: string, params?: readonly unknown[]) => {
      const verb = callingVerb()
      return callOverNetwork({ line, network, verb, what: `${verb} ${JSON.stringify(params ?? [])}` }, () =>
        isRefused(verb, params) ? Promise.reject(refusal()) : store.query(text, params),
      )
    }) as Queryable['query'],
    exec: (text) => callOverNetwork({ line, network, verb: callingVerb(), what: text }, () => store.exec(text)),
    tx: (run) => callOverNetwork({ line, network, verb: callingVerb(), what: 'tx' }, () => store.tx(run)),
    close: () => Promise.resolve(),
  }
}

function isRefused(verb: string, params: readonly unknown[] | undefined): boolean {
  return verb === commitVerb && JSON.stringify(params ?? []).includes(unholdable)
}

function refusal(): SqlError {
  return new SqlError('this text cannot be held', { code: '22021' })
}

function unreachable(): SqlError {
  return new SqlError('connection lost', { code: 'unreachable' })
}

interface FaultyCall {
  readonly line: Lifeline
  readonly network: Network
  readonly verb: string
  readonly what: string
}

interface Outcome<T> {
  readonly value?: T
  readonly error?: unknown
  readonly holders?: Holders
}

function callOverNetwork<T>({ line, network, verb, what }: FaultyCall, run: () => Promise<T>): Promise<T> {
  const { world } = line
  return new Promise<T>((resolve, reject) => {
    if (line.passes(`${verb}: not sent`)) return
    const fault = network.nextFault(line.slot, verb)
    if (fault) world.tell(`${verb} of ${line.name}: ${fault.what} (${fault.ms} ms)`, true)
    world.mark(`${line.name} sends ${what}`)

    const answer = ({ value, error, holders }: Outcome<T>): void => {
      if (holders && verb === commitVerb) line.committedUnder = holders
      if (error === undefined) resolve(value as T)
      else reject(error)
    }
    const heardAfter = (delayMs: number, outcome: Outcome<T>): void =>
      world.after(delayMs, () =>
        line.hear(() => answer(network.isAway(line.slot) ? { error: unreachable() } : outcome)),
      )
    const oneWayMs = (): number => world.latency.fraction() * network.latencyMs

    async function arrive(): Promise<void> {
      const { holders } = network.ownership
      const outcome = await run().then(
        (value): Outcome<T> => ({ value, holders }),
        (error: unknown): Outcome<T> => ({ error }),
      )
      await network.ownership.look(verb, line)
      world.mark(`${verb} of ${line.name} is run: ${JSON.stringify(outcome.value ?? String(outcome.error))}`)
      if (line.passes(`${verb}: done and not heard`)) return
      const back = fault?.what === 'slow' ? fault.ms : oneWayMs()
      heardAfter(back, fault?.what === 'answer lost' ? { error: unreachable() } : outcome)
    }

    if (fault?.what === 'unsent' || network.isAway(line.slot)) return heardAfter(oneWayMs(), { error: unreachable() })
    if (fault?.what === 'stalled') {
      line.pause()
      world.after(fault.ms, () => line.resume())
    }
    const isLate = fault?.what === 'late' || fault?.what === 'stalled'
    world.after(isLate ? fault.ms : oneWayMs(), () => world.onStore(arrive))
  })
}
