/** A cache over the server in the test's memory; one that lags gets a change when the test delivers it. */
import { nameOf, type KubeObject, type ObjectCache } from '../api.ts'
import type { FakeApi } from './fake-api.ts'

type Listener = (name: string, change: 'changed' | 'gone') => void

export class FakeCache implements ObjectCache {
  readonly #objects = new Map<string, KubeObject>()
  readonly #pending: { readonly object: KubeObject; readonly change: 'changed' | 'gone' }[] = []
  readonly #listeners = new Set<Listener>()
  readonly #stop: () => void

  constructor(api: FakeApi, kind: string, { lags = false }: { readonly lags?: boolean } = {}) {
    for (const object of api.all(kind)) this.#objects.set(nameOf(object), object)
    this.#stop = api.subscribe((object, change) => {
      if (object.kind !== kind) return
      this.#pending.push({ object, change })
      if (!lags) this.deliver()
    })
  }

  /** All changes that wait, or the oldest few. */
  deliver(most = Infinity): void {
    for (const { object, change } of this.#pending.splice(0, most)) {
      const name = nameOf(object)
      if (change === 'changed') this.put(object)
      else if (this.#objects.delete(name)) this.#notify(name, 'gone')
    }
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
    const before = this.#objects.get(nameOf(object))
    if (before === undefined || Number(before.metadata.resourceVersion) < Number(object.metadata.resourceVersion)) {
      this.#objects.set(nameOf(object), object)
      this.#notify(nameOf(object), 'changed')
    }
  }

  #notify(name: string, change: 'changed' | 'gone'): void {
    for (const listener of this.#listeners) listener(name, change)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  silence(): number {
    return 0
  }
}
