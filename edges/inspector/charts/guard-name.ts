/**
 * What a guard asks: its name, or its source with the values that it was made with. The generator alone runs this, so
 * no machine needs names beside its guards, which its hash would see.
 */
import { Session, type Runtime } from 'node:inspector'

/** Under it the engine finds the guard. */
const key = 'statewright.guard'
/** Names by where a function stands: they do not say what it asks. */
const places: ReadonlySet<unknown> = new Set(['', 'guard'])

export function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (isNegation(guard)) return `not ${guardName(guard.guards[0])}`
  const session = new Session()
  session.connect()
  Object.assign(globalThis, { [key]: guard })
  try {
    let text: string | undefined
    session.post('Runtime.evaluate', { expression: `globalThis['${key}']` }, (_error, { result }) => {
      text = textOf(session, result)
    })
    return readable(text ?? '')
  } finally {
    Reflect.deleteProperty(globalThis, key)
    session.disconnect()
  }
}

/** Of XState's `not`. */
function isNegation(guard: unknown): guard is { readonly guards: readonly [unknown] } {
  return typeof guard === 'function' && guard.name === 'not' && 'guards' in guard
}

/** As somebody would write it; absent where the name of the variable says more. */
function textOf(session: Session, remote: Runtime.RemoteObject): string | undefined {
  const { type, subtype, value, description = '' } = remote
  if (type === 'string') return `'${value}'`
  if (type === 'number' || type === 'boolean') return String(value)
  if (subtype !== 'array' && type !== 'function') return undefined
  const { result: own, internalProperties = [] } = propertiesOf(session, remote)
  if (subtype === 'array') {
    const items = own.filter(({ name }) => /^\d+$/.test(name)).map((item) => item.value && textOf(session, item.value))
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`
  }
  const name: unknown = own.find((property) => property.name === 'name')?.value?.value
  const [, body] = /^(?:\w+|\([^)]*\))\s*=>\s*([^{].*)$/s.exec(description) ?? []
  if (body === undefined || !places.has(name)) return String(name)
  const scopes = internalProperties.find((property) => property.name === '[[Scopes]]')?.value
  return propertiesOf(session, scopes)
    .result.filter(({ value: scope }) => scope?.description?.startsWith('Closure'))
    .flatMap(({ value: scope }) => propertiesOf(session, scope).result)
    .reduce((text, held) => withValue(text, held.name, held.value && textOf(session, held.value)), body)
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
