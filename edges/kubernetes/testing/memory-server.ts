/**
 * An API server in the test's memory. What it answers, `server-contract.ts` states, and a real one answers the same. Only this
 * one validates nothing, has no watch, and lets a test name fields of a status that the definition lacks or has otherwise.
 */
import { isDeepStrictEqual } from 'node:util'
import { kindNamed, kinds } from '../../../crd/kinds.ts'
import { errorOf } from '../api/answers.ts'
import { applyPatch, pathOf, type KubeClient, type KubeObject, type Method, type Question } from '../api/api.ts'
import { leavesOf, merged, objectOf, type Leaves, type Plain } from './fields.ts'

export interface Call {
  readonly method: Method
  readonly path: string
  /** Of a kind that is not ours: its plural. */
  readonly kind: string
  /** `namespace/name`; of a whole collection `namespace/`. */
  readonly name: string
  readonly isStatus: boolean
  readonly question: Question
  readonly body: unknown
}

type Listener = (object: KubeObject, change: 'changed' | 'gone') => void

interface NewObject {
  readonly kind: string
  /** Of namespace `default`, unless it says another: `namespace/name`. */
  readonly name: string
  readonly spec?: object
  readonly metadata?: object
}

interface Stored {
  readonly object: KubeObject
  /** Fields by who wrote them, each manager's applies apart from its other writes. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>
}

interface Body extends Partial<KubeObject> {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string }
}

export class MemoryServer implements KubeClient {
  readonly calls: Call[] = []
  /** Fields of a status that the definition lacks. */
  readonly undeclared = new Set<string>()
  /** Fields of a status that the definition has as something else. */
  readonly mistyped = new Set<string>()
  /** Before a call takes effect: it may wait, and may throw in place of the server. */
  before: (call: Call) => unknown = () => undefined
  /** After it took effect: who throws here never got the answer. */
  after: (call: Call) => unknown = () => undefined
  readonly #now: () => number
  readonly #stored = new Map<string, Stored>()
  readonly #listeners = new Set<Listener>()
  #version = 0

  constructor(now = () => Date.parse('2026-01-02T03:00:00Z')) {
    this.#now = now
  }

  /** As a person does with kubectl. */
  create({ kind, name, ...more }: NewObject): KubeObject {
    return this.#make(pathFor(kind, name), { kind, ...more })
  }

  /** As a person edits one by hand, fields and status alike. */
  edit(kind: string, name: string, change: object): KubeObject {
    return this.put(pathFor(kind, name), change)
  }

  /** As somebody writes it: of one that is there, absent fields stay. */
  put(path: string, change: object, manager = 'kubectl'): KubeObject {
    const known = this.get(path) ?? this.#newAt(path)
    const metadata = { ...known.metadata, ...(change as Body).metadata }
    return this.#write(path, leavesOf({ ...known, ...change, metadata }), manager)
  }

  /** As `kubectl delete` does. */
  remove(kind: string, name: string): void {
    this.#delete(pathFor(kind, name), this.find(kind, name)!, {})
  }

  force(kind: string, name: string): void {
    this.drop(pathFor(kind, name))
  }

  /** With its finalizers, as somebody who takes them off; or as a kubelet does once the containers ended. */
  drop(path: string): void {
    const object = this.get(path)
    if (this.#stored.delete(path)) for (const listener of this.#listeners) listener(object!, 'gone')
  }

  get(path: string): KubeObject | undefined {
    return this.#stored.get(path)?.object
  }

  find(kind: string, name: string): KubeObject | undefined {
    return this.get(pathFor(kind, name))
  }

  all(kind?: string): readonly KubeObject[] {
    const all = [...this.#stored.values()].map(({ object }) => object)
    return all.filter((one) => kind === undefined || one.kind === kind)
  }

  /** Kinds and names of all there is. */
  get names(): readonly string[] {
    return this.all().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly ask = async <Answer = KubeObject>(
    method: Method,
    path: string,
    question: Question = {},
  ): Promise<Answer> => {
    const call = callOf(method, path, question)
    this.calls.push(call)
    await this.before(call)
    const answer = this.#answer(call)
    await this.after(call)
    return answer as Answer
  }

  watch(): never {
    throw new Error('nobody watches here')
  }

  async close(): Promise<void> {}

  #answer(call: Call): unknown {
    const { method, isStatus } = call
    const { query = {}, type } = call.question
    const path = isStatus ? call.path.slice(0, -'/status'.length) : call.path
    const body = (call.body ?? {}) as Body
    const manager = String(query['fieldManager'])
    if (method === 'POST') return this.#make(`${path}/${body.metadata?.name}`, { ...body, status: undefined }, manager)
    if (method === 'GET' && call.kind !== '' && call.name.endsWith('/'))
      return this.#list(call, String(query['fieldSelector'] ?? ''))
    const known = this.get(path)
    const isMaking = type === applyPatch && !isStatus
    if (known === undefined && !isMaking) throw errorOf(404, { message: `${path} is not found` })
    const object = known ?? { ...this.#newAt(path), kind: body.kind ?? call.kind }
    if (method === 'GET') return object
    if (method === 'DELETE') return this.#delete(path, object, body)
    if (method !== 'PATCH') throw errorOf(405, {})
    const { uid = object.metadata.uid, resourceVersion } = body.metadata ?? {}
    if (known !== undefined && (resourceVersion ?? known.metadata.resourceVersion) !== known.metadata.resourceVersion)
      throw errorOf(409, { message: 'the object has been modified' })
    if (!isStatus && uid !== object.metadata.uid)
      throw errorOf(known === undefined ? 409 : 422, {
        message: `metadata.uid: Invalid value: "${uid}": field is immutable`,
      })
    this.#check(body.status ?? {}, type)
    const part = partOf(body, isStatus)
    if (type !== applyPatch) return this.#merge(path, object, part, manager)
    return this.#apply(path, object, part, { manager, isForced: query['force'] === true })
  }

  #list({ kind, name }: Call, selector: string): object {
    const [field = '', wanted] = selector.split('=')
    const items = [...this.#stored].flatMap(([at, { object }]) => {
      const one = callOf('GET', at, {})
      const isThere = one.kind === kind && (name === '/' || one.name.startsWith(name))
      return isThere && (selector === '' || leavesOf(object).get(field.replaceAll('.', '\n')) === wanted)
        ? [object]
        : []
    })
    return { kind: 'List', metadata: { resourceVersion: `${this.#version}` }, items }
  }

  #make(path: string, body: object, manager?: string): KubeObject {
    if (this.#stored.has(path)) throw errorOf(409, { reason: 'AlreadyExists' })
    return this.put(path, body, manager)
  }

  #apply(path: string, object: KubeObject, part: Plain, by: { manager: string; isForced: boolean }): KubeObject {
    const isStatus = 'status' in part
    const self = `${by.manager} applies${isStatus ? ' status' : ''}`
    const owned = this.#stored.get(path)?.owned ?? new Map<string, ReadonlySet<string>>()
    const others = new Set([...owned].flatMap(([name, fields]) => (name === self ? [] : [...fields])))
    const [now, next] = [leavesOf(part), new Map(leavesOf(object))]
    for (const field of owned.get(self) ?? []) if (!now.has(field) && !others.has(field)) next.delete(field)
    for (const [field, value] of now) {
      const isConflict = !by.isForced && others.has(field) && !isDeepStrictEqual(next.get(field), value)
      if (isConflict) throw errorOf(409, { message: `conflict: ${field.replaceAll('\n', '.')}` })
      next.set(field, value)
    }
    if (isStatus && Object.keys(objectOf(next).status ?? {}).length === 0)
      throw errorOf(422, { message: 'status: must be of type object' })
    return this.#write(path, next, self, [...now.keys()])
  }

  #merge(path: string, object: KubeObject, part: Plain, manager: string): KubeObject {
    const next = leavesOf(merged(object, part) as object)
    const isDeclared = (field: string): boolean => !this.undeclared.has(/^status\n(\w+)/.exec(field)?.[1] ?? '')
    return this.#write(path, new Map([...next].filter(([field]) => isDeclared(field))), manager)
  }

  #delete(path: string, object: KubeObject, { gracePeriodSeconds, preconditions }: Body): KubeObject {
    const { uid, deletionTimestamp: known, finalizers = [], generation = 0 } = object.metadata
    if ((preconditions?.uid ?? uid) !== uid) throw errorOf(409, { message: 'the UID in the precondition differs' })
    const grace = graceOf(object, gracePeriodSeconds)
    if (grace === 0 && finalizers.length === 0) {
      this.drop(path)
      return object
    }
    const end = Math.min(Date.parse(known ?? '') || Infinity, this.#now() + grace * 1_000)
    const deleted = { generation: known === undefined ? generation + 1 : generation, deletionTimestamp: timeOf(end) }
    return this.put(path, { metadata: deleted })
  }

  /** What an older definition refuses. */
  #check(status: object, type?: string): void {
    for (const name of Object.keys(status)) {
      const isMistyped = this.mistyped.has(name)
      const fault = isMistyped ? 'expected string, got object' : 'field not declared in schema'
      const message = `failed to create typed patch object: .status.${name}: ${fault}`
      if (type === applyPatch && (isMistyped || this.undeclared.has(name))) throw errorOf(500, { message })
      if (isMistyped) throw errorOf(422, {})
    }
  }

  /** `claims`: fields that are the writer's from now on; absent: those that it changes, too. Others lose what it changes. */
  #write(path: string, next: Leaves, writer: string, claims?: readonly string[]): KubeObject {
    const { object: before, owned = new Map<string, ReadonlySet<string>>() } = this.#stored.get(path) ?? {}
    const old = leavesOf(before ?? {})
    const changed = new Set(
      [...old.keys(), ...next.keys()].filter((one) => !isDeepStrictEqual(old.get(one), next.get(one))),
    )
    const left = [...owned].map(([name, all]) => [name, new Set([...all].filter((one) => !changed.has(one)))] as const)
    const own = claims ?? [...(owned.get(writer) ?? []), ...changed]
    const object = this.#changed(before, objectOf(next))
    const isGone = before?.metadata.deletionTimestamp !== undefined && finalizersOf(before).length > 0
    if (isGone && finalizersOf(object).length === 0) {
      this.drop(path)
      return object
    }
    this.#stored.set(path, { object, owned: new Map([...left, [writer, new Set(own)]]) })
    if (object !== before) for (const listener of this.#listeners) listener(object, 'changed')
    return object
  }

  /** With its next version and generation, and no empty marks; itself, where nothing differs. */
  #changed(before: KubeObject | undefined, { metadata, ...rest }: KubeObject): KubeObject {
    const marks = Object.entries(metadata).filter(([, one]) => one !== Object(one) || Object.keys(one).length > 0)
    const object = { ...rest, metadata: Object.fromEntries(marks) } as unknown as KubeObject
    if (before !== undefined && isDeepStrictEqual(before, object)) return before
    const isNew = finalizersOf(object).some((name) => before === undefined || !finalizersOf(before).includes(name))
    if (isNew && before?.metadata.deletionTimestamp !== undefined)
      throw errorOf(422, { message: 'no new finalizers can be added if the object is being deleted' })
    const isNext = before !== undefined && !isDeepStrictEqual(before.spec, object.spec)
    const generation = (metadata.generation ?? 0) + (isNext ? 1 : 0)
    return { ...object, metadata: { ...object.metadata, generation, resourceVersion: `${++this.#version}` } }
  }

  #newAt(path: string): KubeObject {
    const { kind, name } = callOf('GET', path, {})
    const [namespace = '', local = ''] = name.split('/')
    const marks = { uid: `uid-${this.#version + 1}`, generation: 1, creationTimestamp: timeOf(this.#now()) }
    const [, apiVersion = ''] = shape.exec(path) ?? []
    return { apiVersion, kind, metadata: { name: local, namespace, resourceVersion: '', ...marks } }
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
const finalizersOf = ({ metadata }: KubeObject): readonly string[] => metadata.finalizers ?? []

const shape = /^\/apis?\/((?:[^/]+\/)?v\d[^/]*)\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?(\/status)?$/

function callOf(method: Method, path: string, question: Question): Call {
  const [, , namespace = '', plural = '', name = '', status] = shape.exec(path) ?? []
  const kind = kinds.find((one) => one.plural === plural)?.kind ?? plural
  const isStatus = status !== undefined
  return { method, path, kind, name: `${namespace}/${name}`, isStatus, question, body: question.body }
}

function pathFor(kind: string, name: string): string {
  const [local, namespace = 'default'] = name.split('/').toReversed()
  return pathOf(kindNamed(kind)!, { namespace, name: local! })
}

/** What a write of the object, or of its status, may change. */
function partOf({ apiVersion: _version, kind: _kind, metadata, status, ...rest }: Body, isStatus: boolean): Plain {
  if (isStatus) return { status }
  const { uid: _uid, resourceVersion: _read, name: _name, namespace: _namespace, ...marks } = metadata ?? {}
  return { ...(Object.keys(marks).length === 0 ? {} : { metadata: marks }), ...rest }
}

/** Seconds: only a pod on a node whose containers run has any. */
function graceOf({ kind, spec = {}, status }: KubeObject, asked?: number): number {
  const isRunning = !['Succeeded', 'Failed'].includes(String(status?.['phase']))
  if (kind !== 'Pod' || (spec['nodeName'] ?? '') === '' || !isRunning) return 0
  return asked ?? Number(spec['terminationGracePeriodSeconds'] ?? 30)
}
