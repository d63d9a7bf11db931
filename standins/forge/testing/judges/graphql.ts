/** GitHub's published GraphQL schema as the judge of a query and its answer, as far as our one query goes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Field {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

interface Type {
  readonly fields: Readonly<Record<string, Field>>
  /** Of an interface. */
  readonly possible: readonly string[]
}

const { types } = JSON.parse(readFileSync(join(import.meta.dirname, 'graphql.json'), 'utf8')) as {
  readonly types: Readonly<Record<string, Type>>
}

interface Asked {
  readonly field: string
  readonly parameters: Readonly<Record<string, string>>
  readonly fields: Selection
}

/** What is asked, or the type of which it is asked. */
type Selection = readonly (Asked | { readonly on: string; readonly fields: Selection })[]

export function judgeQuery({ sent, body }: { readonly sent?: unknown; readonly body?: unknown }): readonly string[] {
  const { query } = sent as { readonly query: string }
  const words: string[] = query.match(/[\w$]+|\.\.\.|[[\]{}():!]/g) ?? []
  const variables = Object.fromEntries(
    [...query.slice(0, query.indexOf('{')).matchAll(/(\$\w+): ([[\]\w!]+)/g)].map(([, name, type]) => [name!, type!]),
  )
  const selection = selectionIn(words.slice(words.indexOf('{') + 1))
  const { data } = body as { readonly data?: unknown }
  return [...queryFaults('Query', selection, variables), ...answerFaults('Query', selection, data)]
}

/** Takes the words up to the brace that closes. */
function selectionIn(words: string[]): Selection {
  const found: (Asked | { readonly on: string; readonly fields: Selection })[] = []
  for (let word = words.shift(); word !== undefined && word !== '}'; word = words.shift()) {
    if (word === '...') {
      const [, on] = words.splice(0, 3)
      found.push({ on: on!, fields: selectionIn(words) })
      continue
    }
    const inside = words.at(0) === '(' ? words.splice(0, words.indexOf(')') + 1) : []
    const parameters = inside.flatMap((one, at) => (one === ':' ? [[inside[at - 1]!, inside[at + 1]!]] : []))
    const fields = words.at(0) === '{' ? selectionIn((words.shift(), words)) : []
    found.push({ field: word, parameters: Object.fromEntries(parameters), fields })
  }
  return found
}

function queryFaults(type: string, selection: Selection, variables: Readonly<Record<string, string>>): string[] {
  return selection.flatMap((one) => {
    if ('on' in one) {
      const isPossible = types[one.on]?.possible.some((name) => types[type]?.possible.includes(name)) === true
      return [...(isPossible ? [] : [`asks ${one.on} of ${type}`]), ...queryFaults(one.on, one.fields, variables)]
    }
    const field = types[type]?.fields[one.field]
    if (field === undefined) return [`asks ${type}.${one.field}, not described`]
    const given = Object.entries(one.parameters).map(([name, value]) => [name, variables[value]])
    const isAsDescribed = JSON.stringify(given) === JSON.stringify(Object.entries(field.parameters))
    return [
      ...(isAsDescribed ? [] : [`asks ${type}.${one.field} with other parameters`]),
      ...queryFaults(named(field.type), one.fields, variables),
    ]
  })
}

function named(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}

function answerFaults(type: string, selection: Selection, value: unknown): string[] {
  const asked = selection.flatMap((one) => ('on' in one ? fieldsOf(one.on, one.fields) : fieldsOf(type, [one])))
  const answer = (value ?? {}) as Readonly<Record<string, unknown>>
  const strange = Object.keys(answer).filter((key) => !asked.some(({ one }) => one.field === key))
  return [
    ...strange.map((key) => `answers ${type}.${key}, not asked`),
    ...asked.flatMap(({ of, one }) =>
      valueFaults(`${of}.${one.field}`, types[of]!.fields[one.field]!.type, one.fields, answer[one.field]),
    ),
  ]
}

function fieldsOf(of: string, selection: Selection): readonly { readonly of: string; readonly one: Asked }[] {
  return selection.flatMap((one) => ('on' in one || !types[of]?.fields[one.field] ? [] : [{ of, one }]))
}

function valueFaults(place: string, type: string, fields: Selection, value: unknown): string[] {
  if (value === null) return type.endsWith('!') ? [`answers ${place} null`] : []
  const plain = type.replace(/!$/, '')
  if (plain.startsWith('[')) {
    if (!Array.isArray(value)) return [`answers ${place} no list`]
    return [...new Set(value.flatMap((one) => valueFaults(place, plain.slice(1, -1), fields, one)))]
  }
  if (fields.length > 0)
    return typeof value === 'object' ? answerFaults(plain, fields, value) : [`answers ${place} no object`]
  const isFit = typeof value === 'string' && (plain !== 'DateTime' || !Number.isNaN(Date.parse(value)))
  return isFit ? [] : [`answers ${place} no ${plain}`]
}
