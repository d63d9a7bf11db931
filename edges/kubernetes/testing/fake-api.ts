/**
 * An API server in the test's memory, as far as the reconciler can tell: versions, uids, finalizers, deletion, apply by
 * field managers, conflicts. What it answers was seen on a real one (`reconcile.kubernetes.system.test.ts`).
 */
import { kinds } from '../../../crd/kinds.ts'
import { KubeError } from '../answers.ts'
import { applyPatch, pathOf, type KubeClient, type KubeObject, type Method, type Question } from '../api.ts'

export interface Call {
  readonly method: Method
  readonly path: string
  readonly body: unknown
}

interface Body {
  readonly kind?: string
  readonly metadata?: {
    readonly name?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly finalizers?: readonly string[]
    readonly annotations?: Readonly<Record<string, string | null>>
  }
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] }
  readonly preconditions?: { readonly uid?: string }
}

interface Stored {
  object: KubeObject
  /** By field manager: what it applied last. */
  readonly owned: Map<
    string,
    { finalizers: readonly string[]; annotations: readonly string[]; conditions: readonly string[] }
  >
}

type Listener = (object: KubeObject, change: 'changed' | 'gone') => void

export interface NewObject {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly metadata?: Partial<KubeObject['metadata']>
}

export function refusal(code: number, reason: string, message = reason): KubeError {
  return new KubeError({ code, reason, message })
}

export class FakeApi implements KubeClient {
  readonly calls: Call[] = []
  /** Called before and after each write takes effect: one that throws is a process that dies there. */
  fault: (call: Call, moment: 'before' | 'after') => void = () => undefined
  readonly #stored = new Map<string, Stored>()
  readonly #listeners = new Set<Listener>()
  #version = 0
  #uid = 0

  /** As a person creates one with kubectl. */
  create({ kind, namespace = 'default', name, spec, metadata }: NewObject): KubeObject {
    const path = pathOf(kindOf(kind), { namespace, name })
    if (this.#stored.has(path)) throw refusal(409, 'AlreadyExists')
    const object = {
      apiVersion: 'platform.dev/v1alpha1',
      kind,
      metadata: {
        ...metadata,
        name,
        namespace,
        uid: `uid-${++this.#uid}`,
        generation: 1,
        resourceVersion: '',
        creationTimestamp: new Date(1_700_000_000_000 + this.#uid * 1_000).toISOString(),
      },
      spec,
    }
    const owned = new Map([
      [
        'kubectl',
        {
          finalizers: metadata?.finalizers ?? [],
          annotations: Object.keys(metadata?.annotations ?? {}),
          conditions: [],
        },
      ],
    ])
    return this.#keep(path, { object, owned })
  }

  /** As a person changes one: the generation grows. */
  change(kind: string, name: string, spec: Readonly<Record<string, unknown>>, namespace = 'default'): KubeObject {
    const path = pathOf(kindOf(kind), { namespace, name })
    const { object, owned } = this.#of(path)
    const { generation = 0 } = object.metadata
    return this.#keep(path, {
      object: { ...object, spec, metadata: { ...object.metadata, generation: generation + 1 } },
      owned,
    })
  }

  /** As a person edits or drops a status. */
  putStatus(kind: string, name: string, status: KubeObject['status'], namespace = 'default'): void {
    const path = pathOf(kindOf(kind), { namespace, name })
    const { object, owned } = this.#of(path)
    const { status: _old, ...rest } = object
    this.#keep(path, { object: status === undefined ? rest : { ...rest, status }, owned })
  }

  /** As `kubectl delete` does. */
  remove(kind: string, name: string, namespace = 'default'): void {
    this.#delete(pathOf(kindOf(kind), { namespace, name }), {})
  }

  /** With its finalizers, as somebody does who takes them off. */
  force(kind: string, name: string, namespace = 'default'): void {
    this.#drop(pathOf(kindOf(kind), { namespace, name }))
  }

  find(kind: string, name: string, namespace = 'default'): KubeObject | undefined {
    return this.#stored.get(pathOf(kindOf(kind), { namespace, name }))?.object
  }

  all(kind?: string): readonly KubeObject[] {
    return [...this.#stored.values()]
      .map(({ object }) => object)
      .filter((one) => kind === undefined || one.kind === kind)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async ask<Answer = KubeObject>(method: Method, path: string, { body, query, type }: Question = {}): Promise<Answer> {
    const call = { method, path, body }
    this.calls.push(call)
    if (method === 'GET') return this.#get(path) as Answer
    this.fault(call, 'before')
    const answer = this.#write(method, path, (body ?? {}) as Body, type, String(query?.['fieldManager'] ?? ''))
    this.fault(call, 'after')
    return answer as Answer
  }

  async *watch(): AsyncGenerator<never> {}

  async close(): Promise<void> {}

  #write(method: Method, path: string, body: Body, type: string | undefined, manager: string): KubeObject {
    if (method === 'POST') return this.#post(path, body)
    if (method === 'DELETE') return this.#delete(path, body)
    const isStatus = path.endsWith('/status')
    const at = isStatus ? path.slice(0, -'/status'.length) : path
    if (type !== applyPatch) return this.#merge(at, body)
    if (!this.#stored.has(at) && body.metadata?.uid !== undefined) throw refusal(409, 'Conflict', 'uid mismatch')
    return isStatus ? this.#applyStatus(at, body, manager) : this.#apply(at, body, manager)
  }

  #get(path: string): unknown {
    const found = this.#stored.get(path)
    if (found !== undefined) return found.object
    const items = this.all().filter((one) => [kindPath(one), kindPath(one, one.metadata.namespace)].includes(path))
    const isCollection = kinds.some(({ plural }) => path.endsWith(`/${plural}`))
    if (isCollection) return { kind: 'List', metadata: { resourceVersion: String(this.#version) }, items }
    throw refusal(404, 'NotFound')
  }

  #post(path: string, body: Body): KubeObject {
    const at = `${path}/${body.metadata?.name}`
    if (this.#stored.has(at)) throw refusal(409, 'AlreadyExists')
    return this.#keep(at, { object: body as KubeObject, owned: new Map() })
  }

  #delete(path: string, { preconditions }: Body): KubeObject {
    const { object, owned } = this.#of(path)
    const { metadata } = object
    if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid) throw refusal(409, 'Conflict')
    if ((metadata.finalizers ?? []).length === 0) return this.#drop(path)
    if (metadata.deletionTimestamp !== undefined) return object
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', generation: (metadata.generation ?? 0) + 1 }
    return this.#keep(path, { object: { ...object, metadata: { ...metadata, ...deleted } }, owned })
  }

  #apply(path: string, { metadata = {} }: Body, manager: string): KubeObject {
    const { object, owned } = this.#fenced(path, metadata)
    const before = owned.get(manager) ?? { finalizers: [], annotations: [], conditions: [] }
    const others = [...owned].flatMap(([name, fields]) => (name === manager ? [] : [fields]))
    const { finalizers = [], annotations = {} } = metadata
    const dropped = before.finalizers.filter(
      (name) => !finalizers.includes(name) && !others.some((fields) => fields.finalizers.includes(name)),
    )
    const nextFinalizers = [...new Set([...(object.metadata.finalizers ?? []), ...finalizers])].filter(
      (name) => !dropped.includes(name),
    )
    const lost = before.annotations.filter(
      (name) => !(name in annotations) && !others.some((fields) => fields.annotations.includes(name)),
    )
    const kept = Object.entries(object.metadata.annotations ?? {}).filter(([name]) => !lost.includes(name))
    owned.set(manager, { ...before, finalizers, annotations: Object.keys(annotations) })
    const marks = { finalizers: nextFinalizers, annotations: { ...Object.fromEntries(kept), ...annotations } }
    return this.#mark(path, { object, owned }, marks)
  }

  #merge(path: string, { metadata = {} }: Body): KubeObject {
    const { object, owned } = this.#fenced(path, metadata)
    const { finalizers = object.metadata.finalizers ?? [], annotations } = metadata
    return this.#mark(
      path,
      { object, owned },
      { finalizers, annotations: { ...object.metadata.annotations, ...annotations } },
    )
  }

  #mark(
    path: string,
    { object, owned }: Stored,
    {
      finalizers,
      annotations,
    }: { readonly finalizers: readonly string[]; readonly annotations: Readonly<Record<string, string | null>> },
  ): KubeObject {
    const { metadata } = object
    const set = Object.entries(annotations).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
    const marks = { finalizers, annotations: Object.fromEntries(set) }
    const isNew = marks.finalizers.some((name) => !metadata.finalizers?.includes(name))
    if (metadata.deletionTimestamp !== undefined && isNew)
      throw refusal(422, 'Invalid', 'no new finalizers can be added if the object is being deleted')
    if (metadata.deletionTimestamp !== undefined && marks.finalizers.length === 0) return this.#drop(path)
    const next = { ...object, metadata: { ...metadata, ...marks } }
    const isSame =
      JSON.stringify([metadata.finalizers ?? [], metadata.annotations ?? {}]) ===
      JSON.stringify([marks.finalizers, marks.annotations])
    return isSame ? object : this.#keep(path, { object: next, owned })
  }

  #applyStatus(path: string, { metadata = {}, status = {} }: Body, manager: string): KubeObject {
    const { object, owned } = this.#fenced(path, metadata)
    const before = owned.get(manager) ?? { finalizers: [], annotations: [], conditions: [] }
    const others = [...owned].flatMap(([name, fields]) => (name === manager ? [] : fields.conditions))
    if (Object.keys(status).length === 0) throw refusal(422, 'Invalid', 'status: must be of type object: null')
    const { conditions: wanted = [] } = status
    const types = wanted.map(({ type }) => type)
    const found = ((object.status as Body['status'])?.conditions ?? []).filter(
      ({ type }) => !types.includes(type) && (!before.conditions.includes(type) || others.includes(type)),
    )
    owned.set(manager, { ...before, conditions: types })
    const next = { ...object, status: { ...object.status, conditions: [...found, ...wanted] } }
    return JSON.stringify(next) === JSON.stringify(object) ? object : this.#keep(path, { object: next, owned })
  }

  #fenced(path: string, { uid, resourceVersion }: NonNullable<Body['metadata']>): Stored {
    const stored = this.#of(path)
    const { metadata } = stored.object
    const isOther = uid !== undefined && uid !== metadata.uid
    const isOlder = resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion
    if (isOther || isOlder) throw refusal(409, 'Conflict')
    return stored
  }

  #of(path: string): Stored {
    const found = this.#stored.get(path)
    if (found === undefined) throw refusal(404, 'NotFound')
    return found
  }

  #keep(path: string, { object, owned }: Stored): KubeObject {
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } }
    this.#stored.set(path, { object: kept, owned })
    for (const listener of this.#listeners) listener(kept, 'changed')
    return kept
  }

  #drop(path: string): KubeObject {
    const { object } = this.#of(path)
    this.#stored.delete(path)
    for (const listener of this.#listeners) listener(object, 'gone')
    return object
  }
}

function kindOf(kind: string): (typeof kinds)[number] {
  return kinds.find((one) => one.kind === kind)!
}

function kindPath({ kind }: KubeObject, namespace?: string): string {
  const known = kinds.find((one) => one.kind === kind)
  return known === undefined ? '' : pathOf(known, namespace === undefined ? {} : { namespace })
}
