/**
 * The objects of one stack at the API server.
 * 1. An object of a name of the stack without its labels is somebody else’s: it is neither changed nor deleted.
 * 2. A write applies the fields that are ours alone, under a field manager of our own. What a webhook or a person adds stays.
 * 3. What the server refuses is a `RefusedError`, whose words the stack shows. What it does not answer is thrown.
 */
import { RetryableError } from '../../../runtime/errors.ts'
import { answered, duplicateEntries, fieldNotDeclared, KubeError } from '../api/answers.ts'
import {
  applyPatch,
  mergePatch,
  pathOf,
  type KubeClient,
  type KubeObject,
  type Method,
  type Question,
} from '../api/api.ts'
import { isDeleting } from '../api/marks.ts'
import { newsOf } from '../pods/object-news.ts'
import { inWordsOfRuntime } from '../pods/pod-requests.ts'
import { isOfStack, selectorOf, type StackNames } from './names.ts'

/** What a stack is made of. */
export const stackKinds = {
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments' },
  StatefulSet: { apiVersion: 'apps/v1', plural: 'statefulsets' },
  Service: { apiVersion: 'v1', plural: 'services' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Cluster: { apiVersion: 'postgresql.cnpg.io/v1', plural: 'clusters' },
  Database: { apiVersion: 'postgresql.cnpg.io/v1', plural: 'databases' },
} as const
export type StackKind = keyof typeof stackKinds

const manager = 'statewright-memory-stack'

/** `isOfCluster`: a right or the namespace is missing, so nothing of the stack can be made. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly isOfCluster: boolean

  constructor(words: string, { cause, isOfCluster = false }: { cause?: unknown; isOfCluster?: boolean } = {}) {
    super(words, { cause })
    this.isOfCluster = isOfCluster
  }
}

export interface Fields {
  readonly type?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: object
  /** Of a Secret, as plain text. */
  readonly data?: Readonly<Record<string, string>>
}

export interface Change {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> }
  readonly spec?: object
}

export class StackObjects {
  readonly names: StackNames
  readonly #client: Pick<KubeClient, 'ask'>
  readonly #signal: AbortSignal

  constructor(client: Pick<KubeClient, 'ask'>, names: StackNames, signal: AbortSignal) {
    this.#client = client
    this.names = names
    this.#signal = signal
  }

  /** Whether the server serves the group at all. */
  async hasApi(apiVersion: string): Promise<boolean> {
    return (await this.#found('GET', `/apis/${apiVersion}`)) !== undefined
  }

  /** Whoever made it. */
  find(kind: StackKind, name: string): Promise<KubeObject | undefined> {
    return this.#found('GET', this.#path(kind, name))
  }

  /** @throws RefusedError for somebody else’s. */
  async own(kind: StackKind, name: string): Promise<KubeObject | undefined> {
    const known = await this.find(kind, name)
    if (known !== undefined && !isOfStack(this.names, known.metadata.labels))
      throw new RefusedError(`${this.title(kind, name)} is not of this stack: delete or rename it`)
    return known
  }

  /** Of the namespace; a server that knows no such selector is not believed. */
  async list(kind: StackKind, labels: Readonly<Record<string, string>>): Promise<readonly KubeObject[]> {
    const query = { labelSelector: selectorOf(labels) }
    const { items } = await this.#ask<{ items?: readonly KubeObject[] | null }>('GET', this.#path(kind), { query })
    return (items ?? []).filter(({ metadata }) =>
      Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value),
    )
  }

  /** `isNew`: the server has its first version, or a spec that it did not have before. */
  async apply(kind: StackKind, name: string, fields: Fields): Promise<{ object: KubeObject; isNew: boolean }> {
    const known = await this.own(kind, name)
    if (known !== undefined && isDeleting(known)) throw new RefusedError(`${this.title(kind, name)} is being deleted`)
    const uid = known === undefined ? {} : { uid: known.metadata.uid }
    // Forced only over what is ours: somebody else’s object that was made this moment has other fields, a conflict.
    const query = { fieldManager: manager, force: known !== undefined, fieldValidation: 'Strict' }
    const body = this.#body(kind, name, fields, uid)
    const object = await this.#ask('PATCH', this.#path(kind, name), { query, body, type: applyPatch })
    return { object, isNew: known?.metadata.generation !== object.metadata.generation }
  }

  /** Only where there is none: it is never written again. */
  async make(kind: StackKind, name: string, fields: Fields): Promise<KubeObject> {
    const query = { fieldManager: manager, fieldValidation: 'Strict' }
    return this.#ask('POST', this.#path(kind), { query, body: this.#body(kind, name, fields) })
  }

  /** Of the version that was read: of another it is a conflict. */
  async change(kind: StackKind, { metadata }: KubeObject, change: Change): Promise<KubeObject> {
    const { name, resourceVersion } = metadata
    const body = { ...change, metadata: { ...change.metadata, resourceVersion } }
    return this.#ask('PATCH', this.#path(kind, name), { query: { fieldManager: manager }, body, type: mergePatch })
  }

  /** Its pods go after it. Somebody else’s stays. */
  async remove(kind: StackKind, name: string): Promise<void> {
    const known = await this.find(kind, name)
    if (known === undefined || isDeleting(known) || !isOfStack(this.names, known.metadata.labels)) return
    const { uid } = known.metadata
    const body = {
      ...{ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', preconditions: { uid } },
    }
    await this.#found('DELETE', this.#path(kind, name), { body })
  }

  async newsOf(object: KubeObject): Promise<string> {
    return (await newsOf(this.#client, object)).words
  }

  /** For people. */
  title(kind: StackKind, name: string): string {
    return `${kind} ${this.names.namespace}/${name}`
  }

  #body(kind: StackKind, name: string, fields: Fields, marks: object = {}): object {
    const { labels = {}, annotations, data, ...rest } = fields
    const { namespace, labels: own } = this.names
    const named = { ...marks, name, namespace, labels: { ...own, ...labels } }
    return {
      ...{ apiVersion: stackKinds[kind].apiVersion, kind },
      metadata: { ...named, ...(annotations === undefined ? {} : { annotations }) },
      ...rest,
      ...(data === undefined ? {} : { data: encoded(data) }),
    }
  }

  #path(kind: StackKind, name?: string): string {
    const { namespace } = this.names
    return pathOf(stackKinds[kind], { namespace, ...(name === undefined ? {} : { name }) })
  }

  async #found(method: Method, path: string, question: Question = {}): Promise<KubeObject | undefined> {
    try {
      return await this.#client.ask(method, path, { ...question, signal: this.#signal })
    } catch (error) {
      if (answered(error, 404)) return undefined
      throw refusalOf(error)
    }
  }

  async #ask<Answer = KubeObject>(method: Method, path: string, question: Question): Promise<Answer> {
    try {
      return await this.#client.ask<Answer>(method, path, { ...question, signal: this.#signal })
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

const encoded = (data: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))

/** Of a Secret; undefined: it has no such key. */
export function secretText(secret: KubeObject | undefined, key: string): string | undefined {
  const text = secret?.data?.[key]
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString()
}

const refusedCodes: readonly number[] = [400, 403, 404, 422]
/** 500 for ever, or until somebody starts a webhook again: its words say which. */
const refusedReasons: readonly string[] = [fieldNotDeclared, duplicateEntries]
const webhookAway = /failed calling webhook/
const ofCluster = /\bcannot \w+ resource "|namespaces? "[^"]*" not found|because it is being terminated/

function refusalOf(cause: unknown): unknown {
  if (!(cause instanceof KubeError)) return cause
  const { code, reason, message } = cause
  // Read and written again by the next look.
  if (code === 409) return new RetryableError(message, { cause })
  const isRefused = refusedCodes.includes(code) || refusedReasons.includes(reason) || webhookAway.test(message)
  return isRefused
    ? new RefusedError(message, { cause, isOfCluster: ofCluster.test(message) })
    : inWordsOfRuntime(cause)
}
