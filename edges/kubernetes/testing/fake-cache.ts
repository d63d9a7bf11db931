/** A cache over the server in the test's memory; one that lags gets a change when the test delivers it. */
import { nameOf, type KubeObject, type ObjectCache } from '../api/api.ts'
import type { MemoryServer } from './memory-server.ts'

type Listener = Parameters<ObjectCache['subscribe']>[0]

interface FakeCacheOptions {
  readonly lags?: boolean
  /** When the watch brings a change, if ever. */
  readonly deliver?: (change: () => void) => void
}

export class FakeCache implements ObjectCache {
  readonly #objects = new Map<string, KubeObject>()
  readonly #pending: (() => void)[] = []
  readonly #listeners = new Set<Listener>()
  readonly #stop: () => void

  constructor(
    server: MemoryServer,
    kind: string,
    { lags = false, deliver = (change) => change() }: FakeCacheOptions = {},
  ) {
    for (const object of server.all(kind)) this.#objects.set(nameOf(object), object)
    this.#stop = server.subscribe((object, change) => {
      if (object.kind !== kind) return
      const hear = (): void => this.#hear(object, change)
      if (lags) this.#pending.push(hear)
      else deliver(hear)
    })
  }

  /** All changes that wait, or the oldest few. */
  deliver(most = Infinity): void {
    for (const hear of this.#pending.splice(0, most)) hear()
  }

  #hear(object: KubeObject, change: 'changed' | 'gone'): void {
    if (change === 'changed') return this.put(object)
    if (this.#objects.delete(nameOf(object))) this.#listeners.forEach((listener) => listener(nameOf(object), 'gone'))
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#stop()
    this.#listeners.clear()
  }

  get(name: string): KubeObject | undefined {
    return this.#objects.get(name)
  }

  list(namespace?: string): readonly KubeObject[] {
    return [...this.#objects.values()]
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }

  put(object: KubeObject): void {
    const name = nameOf(object)
    if (Number(this.get(name)?.metadata.resourceVersion ?? 0) >= Number(object.metadata.resourceVersion)) return
    this.#objects.set(name, object)
    this.#listeners.forEach((listener) => listener(name, 'changed'))
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
