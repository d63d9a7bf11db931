/** An API server that a test plays: each list and each watch waits for what the test answers. */
import type { KubeClient, KubeObject, Question, WatchEvent } from '../api/api.ts'

export interface ScriptedWatch {
  readonly path: string
  readonly query: NonNullable<Question['query']>
  readonly isAborted: () => boolean
  send(...events: readonly WatchEvent[]): void
  end(): void
  fail(error: unknown): void
}

export interface ScriptedAsk {
  readonly method: string
  readonly path: string
  readonly question: Question
  answer(body: unknown): void
  fail(error: unknown): void
}

export interface ScriptedClient extends KubeClient {
  readonly watches: ScriptedWatch[]
  readonly asks: ScriptedAsk[]
}

export function scriptedClient(): ScriptedClient {
  const watches: ScriptedWatch[] = []
  const asks: ScriptedAsk[] = []
  return {
    watches,
    asks,
    ask: <Answer>(method: string, path: string, question: Question = {}) =>
      new Promise<Answer>((resolve, reject) => {
        question.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        asks.push({ method, path, question, answer: (body) => resolve(body as Answer), fail: reject })
      }),
    watch: (path, { query = {}, signal }) => {
      const waiting: (() => WatchEvent | undefined)[] = []
      let wake = (): void => undefined
      const push = (next: () => WatchEvent | undefined): void => {
        waiting.push(next)
        wake()
      }
      signal?.addEventListener('abort', () => push(() => undefined))
      watches.push({
        path,
        query,
        isAborted: () => signal?.aborted ?? false,
        send: (...events) => events.forEach((event) => push(() => event)),
        end: () => push(() => undefined),
        fail: (error) =>
          push(() => {
            throw error
          }),
      })
      return (async function* () {
        for (;;) {
          while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
          const event = waiting.shift()!()
          if (event === undefined) return
          yield event
        }
      })()
    },
    close: async () => undefined,
  }
}

/** After what was done it lets everything that waits for no clock go on. */
export async function settle<Done = void>(done?: Done): Promise<Awaited<Done>> {
  const made = await (done as Done)
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return made
}

export function anObject(name: string, version: number, more: object = {}): KubeObject {
  const [namespace = '', short = ''] = name.split('/')
  return {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Task',
    metadata: {
      namespace,
      name: short,
      uid: `uid-${name}`,
      resourceVersion: `${version}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...more,
    },
  }
}

export const added = (name: string, version: number): WatchEvent => ({ type: 'ADDED', object: anObject(name, version) })
export const modified = (name: string, version: number): WatchEvent => ({
  type: 'MODIFIED',
  object: anObject(name, version),
})
export const deleted = (name: string, version: number): WatchEvent => ({
  type: 'DELETED',
  object: anObject(name, version),
})

export function bookmark(version: number, endsList = false): WatchEvent {
  const annotations = endsList ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  return { type: 'BOOKMARK', object: anObject('/', version, annotations) }
}
