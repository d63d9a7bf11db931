/**
 * An API server in the test's memory, as far as pods, Secrets and claims go: names that are taken, uids as fences, graces that
 * only get shorter, unbound pods that go at once. What it answers was seen on a real one.
 */
import { KubeError } from '../answers.ts'
import {
  nameOf,
  pathOf,
  type KubeClient,
  type KubeObject,
  type Method,
  type ObjectCache,
  type Question,
} from '../api.ts'

export interface Call {
  readonly method: Method
  readonly path: string
  readonly body: unknown
}

type Listener = Parameters<ObjectCache['subscribe']>[0]

interface Deletion {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string }
}

interface Posted {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace: string; readonly name: string }
}

export class PodServer {
  readonly calls: Call[] = []
  /** Before a call takes effect; what it throws is the answer. */
  before: (call: Call) => void = () => undefined
  /** After it took effect: who throws here never got the answer. */
  after: (call: Call) => void = () => undefined
  readonly #now: () => number
  readonly #objects = new Map<string, KubeObject>()
  readonly #listeners = new Set<Listener>()
  #version = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get client(): KubeClient {
    return {
      ask: async <Answer>(method: Method, path: string, { body, query }: Question = {}) => {
        const call = { method, path, body }
        this.calls.push(call)
        this.before(call)
        const answer = this.#answer(call, query ?? {})
        this.after(call)
        return answer as Answer
      },
      watch: () => {
        throw new Error('nobody watches here')
      },
      close: async () => undefined,
    }
  }

  /** Of pods; hears each change at once. */
  get cache(): ObjectCache {
    const pods = (): readonly KubeObject[] => [...this.#objects.values()].filter(({ kind }) => kind === 'Pod')
    return {
      start: async () => undefined,
      stop: async () => undefined,
      get: (name) => pods().find((pod) => nameOf(pod) === name),
      list: (namespace) => pods().filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
      put: () => undefined,
      subscribe: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
      silence: () => 0,
    }
  }

  /** As somebody else writes it: absent fields stay. */
  put(path: string, object: object): KubeObject {
    const known = this.#objects.get(path)
    const { metadata: given, ...rest } = object as Partial<KubeObject>
    const version = `${++this.#version}`
    const metadata = {
      uid: `uid-${version}`,
      creationTimestamp: new Date(this.#now()).toISOString(),
      ...known?.metadata,
      ...given,
      resourceVersion: version,
    }
    const kept = { ...known, ...rest, metadata } as KubeObject
    this.#objects.set(path, kept)
    this.#notify(kept, 'changed')
    return kept
  }

  get(path: string): KubeObject | undefined {
    return this.#objects.get(path)
  }

  get tasks(): readonly KubeObject[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === 'Task')
  }

  /** Kinds and names of all there is. */
  get names(): readonly string[] {
    return [...this.#objects.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }

  /** As a kubelet does once the containers ended, or an administrator by force. */
  drop(path: string): void {
    const object = this.#objects.get(path)
    this.#objects.delete(path)
    if (object !== undefined) this.#notify(object, 'gone')
  }

  #notify(object: KubeObject, change: 'changed' | 'gone'): void {
    if (object.kind === 'Pod') for (const listener of this.#listeners) listener(nameOf(object), change)
  }

  #answer({ method, path, body }: Call, query: NonNullable<Question['query']>): unknown {
    if (method === 'POST') return this.#create(path, body as Posted)
    const object = this.#objects.get(path)
    if (method === 'GET' && path.endsWith('/events')) return this.#events(String(query['fieldSelector']))
    if (object === undefined) throw new KubeError({ code: 404, reason: 'NotFound', message: `${path} is not found` })
    return method === 'GET' ? object : this.#delete(path, object, body as Deletion)
  }

  #create(path: string, body: Posted): KubeObject {
    const at = `${path}/${body.metadata.name}`
    if (this.#objects.has(at))
      throw new KubeError({ code: 409, reason: 'AlreadyExists', message: `${body.metadata.name} already exists` })
    return this.put(at, body)
  }

  #delete(path: string, object: KubeObject, { gracePeriodSeconds, preconditions }: Deletion): KubeObject {
    if (preconditions?.uid !== object.metadata.uid)
      throw new KubeError({ code: 409, reason: 'Conflict', message: 'the UID in the precondition differs' })
    const isBound = (object.spec?.['nodeName'] ?? '') !== ''
    const phase = String(object.status?.['phase'])
    if (object.kind !== 'Pod' || !isBound || phase === 'Succeeded' || phase === 'Failed') {
      this.drop(path)
      return object
    }
    const grace = gracePeriodSeconds ?? Number(object.spec?.['terminationGracePeriodSeconds'] ?? 30)
    const wanted = this.#now() + grace * 1000
    const known = Date.parse(object.metadata.deletionTimestamp ?? '')
    const end = Number.isNaN(known) ? wanted : Math.min(known, wanted)
    return this.put(path, { metadata: { ...object.metadata, deletionTimestamp: new Date(end).toISOString() } })
  }

  #events(selector: string): object {
    const [, uid = ''] = selector.split('=')
    const all = [...this.#objects.values()] as (KubeObject & { readonly involvedObject?: { readonly uid: string } })[]
    return { items: all.filter(({ kind, involvedObject }) => kind === 'Event' && involvedObject?.uid === uid) }
  }
}

export const at = (plural: string, name: string, apiVersion = 'v1'): string =>
  pathOf({ apiVersion, plural }, { namespace: 'default', name })

export const taskPath = at('tasks', 'implement-a-1', 'platform.dev/v1alpha1')
export const projectPath = at('projects', 'demo', 'platform.dev/v1alpha1')
