/** Every fault of a scenario at once, each with its place and what to write instead. */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { operators } from '../model/condition.ts'
import { agentKinds, Entry, Head, steps, type Scenario, type Step } from './format.ts'

export interface Fault {
  /** JSON pointer into the file. */
  readonly path: string
  readonly message: string
}

export type Checked = { readonly scenario: Scenario } | { readonly faults: readonly Fault[] }

export function checkScenario(input: unknown): Checked {
  const faults: Fault[] = [...against(Head, input, '')]
  const document = isObject(input) ? input : {}
  const agents = isObject(document['agents']) ? document['agents'] : {}
  const entries = Object.entries(agents).map(
    ([kind, list]) => [kind, readEntries(list, `/agents/${kind}`, faults)] as const,
  )
  faults.push(...checkPatterns(document['humans']))
  if (faults.length > 0) return { faults }
  const scenario = { humans: [], ...document, agents: Object.fromEntries(entries) }
  return { scenario: scenario as unknown as Scenario }
}

function readEntries(list: unknown, path: string, faults: Fault[]): Entry[] {
  if (!Array.isArray(list)) return []
  const entries = list.map((item: unknown, index) => readEntry(item, `${path}/${index}`, index, faults))
  const names = entries.map((entry) => slug(entry.name))
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      faults.push({
        path: `${path}/${index}/name`,
        message: `"${name}" is taken by an earlier entry; names tell played steps apart`,
      })
  })
  return entries
}

/** A bare list of steps is an entry without name and condition. */
function readEntry(item: unknown, path: string, index: number, faults: Fault[]): Entry {
  const entry = Array.isArray(item) ? { steps: item } : item
  faults.push(...against(Entry, entry, path))
  const { name, when, steps: list } = isObject(entry) ? entry : {}
  const inside = Array.isArray(item) ? path : `${path}/steps`
  if (Array.isArray(list)) list.forEach((step: unknown, at) => faults.push(...checkStep(step, `${inside}/${at}`)))
  faults.push(...checkCondition(when, `${path}/when`))
  return {
    name: typeof name === 'string' ? name : `turn-${index + 1}`,
    ...(isObject(when) ? { when } : {}),
    steps: (Array.isArray(list) ? list : []) as Step[],
  }
}

/** Tool use ids carry the name and may hold only these characters. */
export function slug(name: string): string {
  return (
    name
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 24) || 'entry'
  )
}

const verbs = Object.keys(steps) as (keyof typeof steps)[]

function checkStep(step: unknown, path: string): readonly Fault[] {
  if (!isObject(step)) return [{ path, message: 'a step is an object such as {say: "..."}' }]
  const used = verbs.filter((verb) => verb in step)
  const verb = used[0]
  if (verb === undefined)
    return [
      {
        path,
        message: `a step has one of ${verbs.join(', ')}; this one has ${Object.keys(step).join(', ') || 'nothing'}${nearest(Object.keys(step))}`,
      },
    ]
  if (used.length > 1)
    return [
      { path, message: `one step does one thing; this one has ${used.join(' and ')}: make them ${used.length} steps` },
    ]
  const expected = isObject(step['expect']) ? step['expect']['matches'] : undefined
  return [
    ...against(steps[verb], step, path),
    ...checkCondition(step['when'], `${path}/when`),
    ...checkPattern(expected, `${path}/expect/matches`),
  ]
}

function nearest(keys: readonly string[]): string {
  const known = verbs.find((verb) => keys.some((key) => key.charAt(0).toLowerCase() === verb.charAt(0)))
  return known === undefined ? '' : `; meant ${known}?`
}

function checkCondition(condition: unknown, path: string): readonly Fault[] {
  if (!isObject(condition)) return []
  return Object.entries(condition).flatMap(([name, wanted]) => {
    const at = `${path}/${name}`
    if (name === 'any' || name === 'all') {
      if (!Array.isArray(wanted)) return [{ path: at, message: `${name} takes a list of conditions` }]
      return wanted.flatMap((one: unknown, index) => checkNested(one, `${at}/${index}`))
    }
    return name === 'not' ? checkNested(wanted, at) : checkWish(wanted, at)
  })
}

function checkNested(condition: unknown, path: string): readonly Fault[] {
  return isObject(condition)
    ? checkCondition(condition, path)
    : [{ path, message: 'a condition is an object such as {stage: reviewing}' }]
}

function checkWish(wanted: unknown, path: string): readonly Fault[] {
  if (Array.isArray(wanted)) return wanted.flatMap((one: unknown, index) => checkWish(one, `${path}/${index}`))
  if (!isObject(wanted)) return wanted === null ? [{ path, message: 'write {missing: true} for "not there"' }] : []
  return Object.entries(wanted).flatMap(([name, operand]) => {
    if (!operators.includes(name))
      return [{ path: `${path}/${name}`, message: `an operator is one of ${operators.join(', ')}` }]
    return name === 'matches' ? checkPattern(operand, `${path}/matches`) : []
  })
}

function checkPatterns(humans: unknown): readonly Fault[] {
  if (!Array.isArray(humans)) return []
  return humans.flatMap((act: unknown, index) => {
    const when = isObject(act) && isObject(act['when']) ? act['when']['comment'] : undefined
    return checkPattern(isObject(when) ? when['matches'] : undefined, `/humans/${index}/when/comment/matches`)
  })
}

function checkPattern(pattern: unknown, path: string): readonly Fault[] {
  if (pattern === undefined) return []
  try {
    void new RegExp(String(pattern), 'ims')
    return []
  } catch (error) {
    return [{ path, message: `not a JavaScript regular expression: ${String(error)}` }]
  }
}

function against(schema: TSchema, value: unknown, base: string): readonly Fault[] {
  const found = Value.Errors(schema, value).flatMap((error): Fault[] => {
    const path = `${base}${error.instancePath}`
    const params = error.params as Record<string, unknown>
    if (error.keyword === 'boolean') return []
    if (error.keyword === 'additionalProperties')
      return (params['additionalProperties'] as string[]).map((key) => ({
        path: `${path}/${key}`,
        message: `unknown member "${key}"${hint(base, path)}`,
      }))
    if (error.keyword === 'required')
      return (params['requiredProperties'] as string[]).map((key) => ({
        path: `${path}/${key}`,
        message: `"${key}" is required`,
      }))
    if (error.keyword === 'const')
      return [{ path, message: `${error.message}: ${JSON.stringify(params['allowedValue'])}` }]
    return [{ path, message: error.message }]
  })
  return [...new Map(found.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()]
}

function hint(base: string, path: string): string {
  if (path === '/agents') return `: an agent kind is one of ${agentKinds.join(', ')}`
  return base === '' && path === ''
    ? ': a scenario has name, description, repository, task, humans, accountUsage, agents'
    : ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
