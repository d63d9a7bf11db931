/** What a Kubernetes API server has and answers, as far as Statewright reads it, and how it is asked. */

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
}

/** Times are RFC 3339. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  /** Opaque: compared for equality, sent back as a fence. */
  readonly resourceVersion: string
  /** Grows with each change of the spec. */
  readonly generation?: number
  readonly creationTimestamp: string
  /** Somebody deleted it; it stays until its finalizers are gone. */
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
}

export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  /** Of a Secret: base64. */
  readonly data?: Readonly<Record<string, string>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The content types of a PATCH that Statewright sends; the server's default, JSON patch, is never meant. */
export const applyPatch = 'application/apply-patch+yaml'
export const mergePatch = 'application/merge-patch+json'

export interface Question {
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** Content type; `application/json` unless told. */
  readonly type?: string
  readonly signal?: AbortSignal
  /** The answer is text, and no JSON: `ask` resolves with it. */
  readonly isText?: true
}

/** @throws KubeError (answers.ts) for every answer that is no success, and for a server that does not answer. */
export interface KubeClient {
  /** `path`: as `pathOf` builds it. Resolves with the body. */
  ask<Answer = KubeObject>(method: Method, path: string, question?: Question): Promise<Answer>
  /** The documents of a watch, line by line, until the server or the signal ends it. */
  watch(path: string, question: Question): AsyncIterable<WatchEvent>
  close(): Promise<void>
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  /** Of an ERROR: a Status. */
  readonly object: KubeObject & { readonly code?: number; readonly reason?: string; readonly message?: string }
}

/** A collection below its API: `resourceOf('platform.dev/v1alpha1', 'tasks')`, `resourceOf('v1', 'secrets')`. */
export interface KubeResource {
  readonly apiVersion: string
  readonly plural: string
}

export interface Where {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: 'status' | 'log'
}

export function pathOf({ apiVersion, plural }: KubeResource, { namespace, name, subresource }: Where = {}): string {
  const api = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return [
    api,
    ...(namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)]),
    plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/')
}

/** `namespace/name`: how caches and queues call an object within its kind. */
export function nameOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`
}

/** Keys to work on, one at a time for each; a key that is added while it is worked on comes once more (workqueue.ts). */
export interface Workqueue {
  add(key: string): void
  /**
   * Once so many milliseconds have passed; an earlier `add` of the key comes first and leaves this one standing. Of two of
   * these the earlier counts.
   */
  after(key: string, milliseconds: number): void
  /** Takes no key any more; resolves once nothing is worked on. Final. */
  stop(): Promise<void>
}

/** All objects of one collection, as a reflector keeps them (cache.ts). Names are those of `nameOf`. */
export interface ObjectCache {
  /** Resolves after the first whole list, or once stopped. */
  start(): Promise<void>
  stop(): Promise<void>
  get(name: string): KubeObject | undefined
  /** Of a namespace, or of all; by name. */
  list(namespace?: string): readonly KubeObject[]
  /** An own write's answer: it counts, and is a change, unless the watch has brought something newer. */
  put(object: KubeObject): void
  /** For each object at the first list, for each change since, and for what a later list no longer has (`gone`). */
  subscribe(listener: (name: string, change: 'changed' | 'gone') => void): () => void
}
