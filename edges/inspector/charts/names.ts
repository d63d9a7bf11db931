/**
 * What guards and actions are called: by their name, or by their source with the values that they were made with. The
 * generator alone runs this, so no machine needs names beside them, which its hash would see.
 */
import { Session, type Runtime } from 'node:inspector'

/** Under it the engine finds the function. */
const key = 'statewright.named'
/** Names by where a function stands: they do not say what it does. */
const places: ReadonlySet<unknown> = new Set(['', 'guard'])
/** What they make does what they were given, and nothing besides. */
const wrappers: ReadonlySet<string> = new Set(['perform', 'does', 'sequence'])

export function guardName(guard: unknown): string {
  const name = ownName(guard)
  if (name !== undefined) return name
  if (isCombined(guard)) {
    const parts = guard.guards.map(guardName).map(grouped)
    return guard.name === 'not' ? `not ${parts[0]}` : parts.join(` ${guard.name} `)
  }
  return inspected(guard, (session, remote) => readable(textOf(session, remote) ?? ''))
}

/** A row's action may be several decisions, one after another. */
export function actionNames(action: unknown): readonly string[] {
  const name = ownName(action)
  if (name !== undefined) return [name]
  // XState's `enqueueActions` is given the function that it calls.
  const called = typeof action === 'function' && 'collect' in action ? action.collect : action
  return inspected(called, doneBy)
}

/** Of what a machine was set up with. */
function ownName(named: unknown): string | undefined {
  const name = typeof named === 'object' && named !== null && 'type' in named ? named.type : named
  return typeof name === 'string' ? name : undefined
}

/** By XState's `and`, `or` or `not`. */
function isCombined(guard: unknown): guard is { readonly name: string; readonly guards: readonly unknown[] } {
  return typeof guard === 'function' && ['and', 'or', 'not'].includes(guard.name) && 'guards' in guard
}

function grouped(part: string): string {
  return / (?:and|or|&&|\|\|) /.test(part) ? `(${part})` : part
}

function inspected<T>(called: unknown, read: (session: Session, remote: Runtime.RemoteObject) => T): T {
  const session = new Session()
  session.connect()
  Object.assign(globalThis, { [key]: called })
  try {
    const found: T[] = []
    session.post('Runtime.evaluate', { expression: `globalThis['${key}']` }, (_error, { result }) => {
      found.push(read(session, result))
    })
    const [first] = found
    if (first === undefined) throw new Error('the engine answered nothing')
    return first
  } finally {
    Reflect.deleteProperty(globalThis, key)
    session.disconnect()
  }
}

/** As somebody would write it; absent where the name of the variable says more. */
function textOf(session: Session, remote: Runtime.RemoteObject): string | undefined {
  const { type, subtype, value } = remote
  if (type === 'string') return `'${value}'`
  if (type === 'number' || type === 'boolean') return String(value)
  if (subtype !== 'array' && type !== 'function') return undefined
  if (subtype === 'array') {
    const items = itemsOf(session, remote).map((item) => textOf(session, item))
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`
  }
  const { name, body, scopes } = functionOf(session, remote)
  if (body === undefined || !places.has(name)) return name
  return scopes
    .filter((scope) => scope.isClosure)
    .flatMap(({ held }) => held)
    .reduce(
      (text, { name: variable, value: known }) => withValue(text, variable, known && textOf(session, known)),
      body,
    )
}

/** Its name; else the call that made it, or what that was given; else what it writes. */
function doneBy(session: Session, remote: Runtime.RemoteObject): readonly string[] {
  const { name, scopes } = functionOf(session, remote)
  if (!places.has(name)) return [name]
  const [made, ...outer] = scopes
  if (made === undefined || made.name === '') return [written(readable(textOf(session, remote) ?? ''))]
  const maker = outer.flatMap(({ held }) => held).find((each) => each.name === made.name)
  const values = inOrderOf(maker?.value?.description ?? '', made.held).flatMap(({ value }) => value ?? [])
  if (wrappers.has(made.name))
    return values
      .flatMap((value) => (value.subtype === 'array' ? itemsOf(session, value) : [value]))
      .flatMap((value) => (value.type === 'function' ? doneBy(session, value) : []))
  return [`${made.name}(${values.flatMap((value) => textOf(session, value) ?? []).join(', ')})`]
}

/** The engine orders variables by their use. */
function inOrderOf(source: string, held: Scope['held']): Scope['held'] {
  const at = ({ name }: Scope['held'][number]): number => source.search(new RegExp(`\\b${name}\\b`))
  return held.toSorted((one, other) => at(one) - at(other))
}

/** Of a decision without a name only what is new in the context: `stage: { reason: 'late' }`. */
function written(text: string): string {
  return text.replace(/^\(\{ context: \{ (.*?),? \},? \}\)$/, '$1').replaceAll(', }', ' }')
}

function itemsOf(session: Session, array: Runtime.RemoteObject): readonly Runtime.RemoteObject[] {
  return propertiesOf(session, array).result.flatMap(({ name, value }) => (/^\d+$/.test(name) && value ? [value] : []))
}

interface Scope {
  readonly isClosure: boolean
  /** Of the function that it belongs to. */
  readonly name: string
  readonly held: readonly Runtime.PropertyDescriptor[]
}

interface Inspected {
  readonly name: string
  /** Absent where it is no arrow with an expression. */
  readonly body: string | undefined
  /** The innermost first. */
  readonly scopes: readonly Scope[]
}

function functionOf(session: Session, remote: Runtime.RemoteObject): Inspected {
  const { result: own, internalProperties = [] } = propertiesOf(session, remote)
  const name: unknown = own.find((property) => property.name === 'name')?.value?.value
  const [, body] = /^(?:\w+|\([^)]*\))\s*=>\s*([^{].*)$/s.exec(remote.description ?? '') ?? []
  const scopes = internalProperties.find((property) => property.name === '[[Scopes]]')?.value
  return {
    name: String(name),
    body,
    scopes: propertiesOf(session, scopes).result.flatMap(({ value: scope }) => {
      const [, kind, maker = ''] = /^(Closure|Block|Module)(?: \((\w*)\))?/.exec(scope?.description ?? '') ?? []
      return kind === undefined
        ? []
        : [{ isClosure: kind === 'Closure', name: maker, held: propertiesOf(session, scope).result }]
    }),
  }
}

/** A call of what has a name keeps its arguments; an arrow stands for its call. */
function withValue(text: string, variable: string, value: string | undefined): string {
  if (value === undefined) return text
  return text.replaceAll(
    new RegExp(`(?<![.\\w'])${variable}\\b(\\([^()]*\\))?`, 'g'),
    (use: string, call: string = '') =>
      /^\w+$/.test(value) ? value + call : value.includes(' || ') && use !== text ? `(${value})` : value,
  )
}

function propertiesOf(session: Session, of: Runtime.RemoteObject | undefined): Runtime.GetPropertiesReturnType {
  let found: Runtime.GetPropertiesReturnType = { result: [] }
  if (of?.objectId !== undefined)
    session.post('Runtime.getProperties', { objectId: of.objectId, ownProperties: true }, (_error, properties) => {
      found = properties
    })
  return found
}

/** Without what each guard is called with, and what is always true. */
function readable(text: string): string {
  return text
    .replaceAll(/\((?:_?context|event|now)(?:, event)?\)(?: => )?/g, '')
    .replaceAll(/\bcontext(?:\.|, )/g, '')
    .replaceAll('true && ', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
