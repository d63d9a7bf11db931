/**
 * An API server in the test's memory, as far as those who write statuses can tell: versions as fences, applies by field
 * manager, merge patches, definitions that lack a field, deletion, slow answers. What it answers was seen on a real one
 * (`mirror.kubernetes.system.test.ts`).
 */
import { isDeepStrictEqual } from 'node:util'
import { kinds } from '../../../crd/kinds.ts'
import { errorOf } from '../answers.ts'
import { applyPatch, nameOf, type KubeObject, type Method, type Question } from '../api.ts'

type Plain = Readonly<Record<string, unknown>>

export interface Call {
  readonly method: Method
  readonly path: string
  readonly kind: string
  /** `namespace/name`; of a POST `namespace/`. */
  readonly name: string
  readonly isStatus: boolean
  readonly question: Question
}

interface Stored {
  readonly object: KubeObject
  /** By field manager: fields of the status that it applied last, conditions by type. */
  readonly applied: ReadonlyMap<string, readonly string[]>
}

type Listener = (object: KubeObject, change: 'changed' | 'gone') => void

export class FieldServer {
  readonly calls: Call[] = []
  /** Fields of a status that the definition lacks. */
  readonly undeclared = new Set<string>()
  /** Fields of a status that the definition has as something else. */
  readonly mistyped = new Set<string>()
  /** Before a call takes effect: it may wait, and may throw in place of the server. */
  before: (call: Call) => Promise<void> = async () => undefined
  /** After it took effect: who throws here never got the answer. */
  after: (call: Call) => Promise<void> = async () => undefined
  readonly #stored = new Map<string, Stored>()
  readonly #listeners = new Set<Listener>()
  #version = 0

  /** As a person writes one; answers it. */
  put(kind: string, name: string, spec: Plain, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
    const [namespace = '', local = ''] = name.split('/')
    const version = `${++this.#version}`
    const object: KubeObject = {
      apiVersion: 'platform.dev/v1alpha1',
      kind,
      metadata: {
        ...{ name: local, namespace, uid: `uid-${version}`, generation: 1, resourceVersion: version },
        creationTimestamp: '2026-01-02T03:00:00Z',
        ...metadata,
      },
      spec,
    }
    return this.#keep({ object, applied: new Map() })
  }

  /** As a person edits one by hand, fields and status alike. */
  edit(kind: string, name: string, change: Partial<KubeObject>): KubeObject {
    const { object, applied } = this.#stored.get(`${kind}/${name}`)!
    return this.#keep({ object: this.#next({ ...object, ...change }), applied })
  }

  remove(kind: string, name: string): void {
    const stored = this.#stored.get(`${kind}/${name}`)
    if (stored === undefined) return
    this.#stored.delete(`${kind}/${name}`)
    this.#listeners.forEach((listener) => listener(stored.object, 'gone'))
  }

  find(kind: string, name: string): KubeObject | undefined {
    return this.#stored.get(`${kind}/${name}`)?.object
  }

  all(kind: string): readonly KubeObject[] {
    return [...this.#stored.values()].map(({ object }) => object).filter((one) => one.kind === kind)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly ask = async <Answer>(method: Method, path: string, question: Question = {}): Promise<Answer> => {
    const call = callOf(method, path, question)
    this.calls.push(call)
    await this.before(call)
    const answer = this.#answer(call)
    await this.after(call)
    return answer as Answer
  }

  #answer(call: Call): unknown {
    const { method, kind, name, question } = call
    const stored = this.#stored.get(`${kind}/${name}`)
    const body = (question.body ?? {}) as Partial<KubeObject>
    if (method === 'POST') {
      const { metadata, spec = {} } = body
      const { creationTimestamp: _, ...rest } = metadata!
      return this.put(kind, `${name}${metadata!.name}`, spec, rest)
    }
    if (method === 'PATCH' && !call.isStatus && question.type === applyPatch)
      return this.#applyObject(call, stored, body)
    if (method === 'GET' && name.endsWith('/'))
      return { items: this.all(kind).filter(({ metadata }) => `${metadata.namespace}/` === name) }
    if (stored === undefined) throw errorOf(404, {})
    if (method === 'GET') return stored.object
    if (method === 'DELETE') return this.#delete(stored, body as { preconditions?: { uid?: string } })
    const fence = body.metadata?.resourceVersion
    if (fence !== undefined && fence !== stored.object.metadata.resourceVersion) throw errorOf(409, {})
    return question.type === applyPatch
      ? this.#applyStatus(call, stored, body.status ?? {})
      : this.#merge(call, stored, body)
  }

  #applyObject(call: Call, stored: Stored | undefined, body: Partial<KubeObject>): KubeObject {
    const { metadata, spec = {} } = body
    if (stored === undefined) return this.put(call.kind, call.name, spec, metadata)
    if (!isDeepStrictEqual(stored.object.spec, spec)) throw errorOf(409, {})
    const merged = { ...stored.object, metadata: { ...stored.object.metadata, ...metadata } }
    return this.#keepIfChanged(stored, merged, stored.applied)
  }

  #applyStatus({ question }: Call, stored: Stored, status: Plain): KubeObject {
    for (const name of Object.keys(status)) {
      const fault = this.undeclared.has(name) ? 'field not declared in schema' : 'expected string, got object'
      const message = `failed to create typed patch object: .status.${name}: ${fault}`
      if (this.undeclared.has(name) || this.mistyped.has(name)) throw errorOf(500, { message })
    }
    const manager = String(question.query?.['fieldManager'])
    const before = stored.applied.get(manager) ?? []
    const now = [...Object.keys(status).filter((name) => name !== 'conditions'), ...typesOf(status)]
    const left = new Set(before.filter((field) => !now.includes(field)))
    const old = stored.object.status ?? {}
    const conditions = [
      ...conditionsOf(status),
      ...conditionsOf(old).filter(({ type }) => !left.has(`=${type}`) && !typesOf(status).includes(`=${type}`)),
    ]
    const { conditions: _old, ...fields } = {
      ...Object.fromEntries(Object.entries(old).filter(([name]) => !left.has(name))),
      ...status,
    }
    const next = { ...fields, ...(conditions.length === 0 ? {} : { conditions }) }
    return this.#keepIfChanged(stored, { ...stored.object, status: next }, new Map(stored.applied).set(manager, now))
  }

  #merge({ isStatus }: Call, stored: Stored, body: Partial<KubeObject>): KubeObject {
    const { object } = stored
    if (isStatus) {
      if (Object.keys(body.status ?? {}).some((name) => this.mistyped.has(name))) throw errorOf(422, {})
      const status = merged(object.status ?? {}, body.status ?? {}) as Plain
      const declared = Object.entries(status).filter(([name]) => !this.undeclared.has(name))
      return this.#keepIfChanged(stored, { ...object, status: Object.fromEntries(declared) }, stored.applied)
    }
    const { uid: _uid, resourceVersion: _version, ...metadata } = body.metadata ?? ({} as KubeObject['metadata'])
    const next = {
      ...object,
      metadata: merged(object.metadata, metadata) as KubeObject['metadata'],
      spec: merged(object.spec ?? {}, body.spec ?? {}) as Plain,
    }
    return this.#keepIfChanged(stored, next, stored.applied)
  }

  #delete({ object }: Stored, { preconditions }: { preconditions?: { uid?: string } }): KubeObject {
    if (preconditions?.uid !== undefined && preconditions.uid !== object.metadata.uid) throw errorOf(409, {})
    this.remove(object.kind, nameOf(object))
    return object
  }

  #keepIfChanged(stored: Stored, object: KubeObject, applied: Stored['applied']): KubeObject {
    if (!isDeepStrictEqual(stored.object, object)) return this.#keep({ object: this.#next(object), applied })
    this.#stored.set(`${object.kind}/${nameOf(object)}`, { object: stored.object, applied })
    return stored.object
  }

  #next(object: KubeObject): KubeObject {
    return { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.#version}` } }
  }

  #keep(stored: Stored): KubeObject {
    this.#stored.set(`${stored.object.kind}/${nameOf(stored.object)}`, stored)
    this.#listeners.forEach((listener) => listener(stored.object, 'changed'))
    return stored.object
  }
}

function callOf(method: Method, path: string, question: Question): Call {
  const [, , , , , namespace = '', plural = '', local = '', subresource] = path.split('/')
  const { kind } = kinds.find((one) => one.plural === plural)!
  return { method, path, kind, name: `${namespace}/${local}`, isStatus: subresource === 'status', question }
}

function conditionsOf(status: Plain): readonly { readonly type: string }[] {
  return (status['conditions'] ?? []) as readonly { readonly type: string }[]
}

function typesOf(status: Plain): readonly string[] {
  return conditionsOf(status).map(({ type }) => `=${type}`)
}

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const all = {
    ...base,
    ...Object.fromEntries(Object.entries(patch).map(([name, one]) => [name, merged((base as Plain)[name], one)])),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined))
}
