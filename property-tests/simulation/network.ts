/** All that goes in and out of one life of the orchestrator: statements, requests, answers; each may be its last. */
import { SqlError } from '../../runtime/store/sql-error.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import type { Lifeline } from '../runtime/simulation/lifeline.ts'
import type { Answered, Forge } from './forge.ts'
import { forgeUrl } from './forge.ts'
import { callingVerb, forgeCall, verbOnStack, wrapperCall } from './points.ts'
import type { Faults } from './faults.ts'
import type { Memory } from './memory.ts'
import type { Pods } from './pods.ts'
import type { Stacks } from './stacks/cluster.ts'

export interface Outside {
  readonly forge: Forge
  readonly pods: Pods
  readonly memory: Memory
  readonly stacks: Stacks
  readonly faults: Faults
  /** A merge was asked for and is not there yet. */
  readonly beforeMerge: (repository: string, number: number) => Promise<void>
}

/** There and back, at most. */
const latencyMs = 40

interface FaultyCall {
  readonly line: Lifeline
  readonly point: string
}

/**
 * The work is done outside, as a whole and alone; its answer is heard later, if the process lives then. `lose` says that
 * it is done or not and that nothing is heard but an error.
 */
export function callOverNetwork<T>(
  { line, point }: FaultyCall,
  work: () => Promise<T>,
  lose?: 'unsent' | 'unanswered',
): Promise<T> {
  const { world } = line
  const oneWayMs = (): number => world.latency.fraction() * latencyMs
  return new Promise<T>((resolve, reject) => {
    const fail = (error: unknown): void => world.after(oneWayMs(), () => line.hear(() => reject(error)))
    if (lose === 'unsent') return fail(unreachable())
    world.after(oneWayMs(), () =>
      world.onStore(async () => {
        // Asked for, and what was told meanwhile is told; the connection dies with the process.
        if (line.passes(`${point}: not done`)) return
        const outcome = await work().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        )
        if (line.passes(`${point}: done and not heard`)) return
        if (lose === 'unanswered') fail(unreachable())
        else if ('error' in outcome) fail(outcome.error)
        else world.after(oneWayMs(), () => line.hear(() => resolve(outcome.value)))
      }),
    )
  })
}

function unreachable(): SqlError {
  return new SqlError('connection lost', { code: 'unreachable' })
}

export function storeOf(line: Lifeline, { forge, faults }: Outside): Sql {
  const { world } = line
  const { store } = world
  const errand = <T>(verb: string, asked: string, work: () => Promise<T>): Promise<T> =>
    callOverNetwork(
      { line, point: `sql ${verb}` },
      async () => {
        const result = await work()
        if (verb.startsWith('store/commit-steps ')) forge.place = await placeIn(store)
        world.mark(`${line.name} ${verb} ${asked} ${JSON.stringify(result)}`)
        return result
      },
      faults.nextStatement(),
    )
  return {
    durability: store.durability,
    query: ((text: string, params?: readonly unknown[]) =>
      errand(callingVerb(text), JSON.stringify(params ?? []), () => store.query(text, params))) as Queryable['query'],
    exec: (text) => errand(callingVerb(text), text, () => store.exec(text)),
    tx: (run) => errand(verbOnStack(), 'tx', () => store.tx((tx) => run(mortal(line, tx)))),
    close: () => Promise.resolve(),
  }
}

/** Within a transaction a death is a rollback. */
function mortal(line: Lifeline, tx: Queryable): Queryable {
  const guarded = async <T>(text: string, work: () => Promise<T>): Promise<T> => {
    const point = `sql ${callingVerb(text)}`
    if (line.passes(`${point}: not done`)) throw unreachable()
    const result = await work()
    if (line.passes(`${point}: done and not heard`)) throw unreachable()
    return result
  }
  return {
    query: ((text: string, params?: readonly unknown[]) =>
      guarded(text, () => tx.query(text, params))) as Queryable['query'],
    exec: (text) => guarded(text, () => tx.exec(text)),
  }
}

async function placeIn(store: Sql): Promise<number> {
  const { rows } = await store.query<{ place: number | null }>('select max(place) as place from event')
  return rows[0]?.place ?? 0
}

export function fetchOf(line: Lifeline, outside: Outside): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const method = init.method ?? 'GET'
    const headers = Object.fromEntries(new Headers(init.headers))
    const body = typeof init.body === 'string' ? init.body : undefined
    const path = url.pathname + url.search
    const answer =
      url.origin === forgeUrl
        ? await askForge(line, outside, { method, path, headers, body })
        : await askWrapper(line, outside, { url, method, headers, body })
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
  }
}

interface AskedOfWrapper {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

function askWrapper(line: Lifeline, { pods, faults }: Outside, asked: AskedOfWrapper): Promise<Answered> {
  const { url, method, headers, body } = asked
  const call = wrapperCall(method, url.pathname)
  const what = faults.nextWrapper(call)
  return callOverNetwork(
    { line, point: `wrapper ${call}` },
    async () => {
      if (what === '502 before') return problem(502)
      const answer = pods.answer(url, method, headers, body)
      return what === '502 after' ? problem(502) : answer
    },
    what === 'no answer' ? 'unanswered' : undefined,
  )
}

/** Of the request that merges, on either forge. */
const mergePath = /\/([^/]+)\/(?:pulls|merge_requests)\/(\d+)\/merge$/

async function askForge(
  line: Lifeline,
  { forge, faults, beforeMerge }: Outside,
  asked: Parameters<Forge['ask']>[0],
): Promise<Answered> {
  const { world } = line
  const what = faults.nextRequest(asked.method === 'GET' ? 'read' : 'write', asked.path)
  const lost = what === 'no answer' ? 'unanswered' : undefined
  const leftAt = forge.place
  return callOverNetwork(
    { line, point: `forge ${forgeCall(asked.method, asked.path)}` },
    async () => {
      if (what === '502 before the write') return problem(502)
      if (what === 'rate limit') return problem(429, { 'retry-after': '2' })
      const [, repository, merged] = mergePath.exec(decodeURIComponent(asked.path)) ?? []
      if (repository !== undefined) await beforeMerge(repository, Number(merged))
      const answer = await forge.ask(asked, leftAt)
      const text = `${asked.method} ${asked.path}`
      if (asked.method === 'GET') world.mark(`${line.name} ${text}: ${answer.status} ${answer.body}`)
      else world.tell(`${line.name} asks the forge ${text}: ${answer.status}${what ? `, and hears ${what}` : ''}`)
      return what === '502 after the write' ? problem(502) : answer
    },
    lost,
  )
}

function problem(status: number, headers: Readonly<Record<string, string>> = {}): Answered {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: '{"message":"Server Error"}' }
}
