/**
 * GitHub's own published schemas as judges of what is asked and answered in its dialect. A fault is a sentence without ids or
 * positions, so that the same fault in a hundred answers is one.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { judgeQuery } from './graphql.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly query: readonly string[]
  readonly body?: Json
  /** By status. Null: an answer without a JSON body. */
  readonly responses: Readonly<Record<string, Json | null>>
}

interface Webhook {
  readonly headers: readonly string[]
  readonly body: Json
}

interface Rest {
  readonly operations: Readonly<Record<string, Operation>>
  readonly definitions: Readonly<Record<string, Json>>
}

interface Webhooks {
  readonly webhooks: Readonly<Record<string, Webhook>>
  readonly definitions: Readonly<Record<string, Json>>
}

/** One payload as GitHub sent it, without addresses. */
export interface Example {
  readonly event: string
  readonly payload: Json
}

/** A request and its answer. */
export interface Exchange {
  readonly method: string
  /** Without the prefix of the API, decoded. */
  readonly path: string
  /** Names of the query's parameters. */
  readonly query: readonly string[]
  readonly sent?: unknown
  readonly status: number
  /** The answer's JSON; absent where it has none. */
  readonly body?: unknown
  /** A media type other than JSON was asked for and answered. */
  readonly isText: boolean
}

export interface Judgement {
  /** GitHub's name: `GET /repos/{owner}/{repo}`, `issues-opened`. */
  readonly name: string
  readonly faults: readonly string[]
}

const rest = read<Rest>('rest')
const webhooks = read<Webhooks>('webhooks')
/** Payloads that GitHub has sent, of the events that our hooks ask for. */
export const examples = read<{ readonly examples: readonly Example[] }>('examples').examples
export const operationNames: readonly string[] = Object.keys(rest.operations)
/** Operations whose answer comes in pages, as GitHub describes them. */
export const pagedOperations: readonly string[] = operationNames.filter((name) =>
  rest.operations[name]!.query.some((one) => one === 'page' || one === 'per_page'),
)
export const webhookNames: readonly string[] = Object.keys(webhooks.webhooks)

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')) as T
}

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, inlineRefs: false })
formats.default(ajv)
ajv.addFormat('repo.nwo', /^[^/]+\/[^/]+$/)
ajv.addSchema({ $id: 'rest', definitions: rest.definitions })
ajv.addSchema({ $id: 'webhooks', definitions: webhooks.definitions })

/** Undefined where none of the operations of the cut is asked. */
export function judgeExchange(exchange: Exchange): Judgement | undefined {
  if (exchange.path === '/api/graphql') return { name: 'POST /graphql', faults: judgeQuery(exchange) }
  const name = operationOf(exchange.method, exchange.path)
  const operation = name === undefined ? undefined : rest.operations[name]
  if (name === undefined || operation === undefined) return undefined
  return { name, faults: [...requestFaults(operation, exchange), ...answerFaults(operation, exchange)] }
}

function requestFaults(operation: Operation, { query, sent }: Exchange): string[] {
  const strange = query.filter((one) => !operation.query.includes(one)).map((one) => `asks with ${one}, not described`)
  if (sent === undefined) return strange
  if (operation.body === undefined) return [...strange, 'sends a body where none is described']
  return [...strange, ...faultsOf(operation.body, sent).map((fault) => `sends ${fault}`)]
}

/** An unchanged answer and a wrong token are of HTTP itself, and described for few operations. */
const ofEveryOperation = [304, 401]

function answerFaults(operation: Operation, { status, body, isText }: Exchange): string[] {
  if (ofEveryOperation.includes(status) || isText) return []
  const described = operation.responses[status]
  if (described === undefined) return [`answers ${status}, not described`]
  if (described === null) return body === undefined ? [] : [`answers ${status} with a body where none is described`]
  if (body === undefined) return [`answers ${status} without its JSON`]
  return faultsOf(described, body).map((fault) => `answers ${status} ${fault}`)
}

/** The name of a webhook is its event and its action, joined. */
export function judgeWebhook(
  event: string,
  headers: Readonly<Record<string, unknown>>,
  payload: Json,
): Judgement | undefined {
  const { action } = payload
  const name = (typeof action === 'string' ? `${event}-${action}` : event).replaceAll('_', '-')
  const webhook = webhooks.webhooks[name]
  if (webhook === undefined) return undefined
  const lacking = webhook.headers.filter((one) => !(one in headers)).map((one) => `lacks the header ${one}`)
  return { name, faults: [...lacking, ...faultsOf(webhook.body, payload)] }
}

/** Names of these hold slashes. The path of the root folder is empty. */
const long = /\{(basehead|ref|branch|name)\}/g

const templates = operationNames.map((name) => ({
  name,
  pattern: new RegExp(
    `^${name
      .replace('/{path}', '(/.+)?')
      .replace(long, '(.+)')
      .replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`,
  ),
  fixed: name.split('/').filter((part) => !part.startsWith('{')).length,
}))

function operationOf(method: string, path: string): string | undefined {
  const found = templates.filter(({ pattern }) => pattern.test(`${method} ${path}`))
  return found.toSorted((one, other) => other.fixed - one.fixed)[0]?.name
}

/** What breaks the schema, and what it does not name. */
function faultsOf(schema: Json, value: unknown): string[] {
  let validate = compiled.get(schema)
  if (validate === undefined) compiled.set(schema, (validate = ajv.compile(schema)))
  const errors = validate(value) ? [] : (validate.errors ?? []).filter(isOfOneBranch).map(sentenceOf)
  return [...new Set([...errors, ...undescribed(schema, value)])]
}

const compiled = new WeakMap<Json, ValidateFunction>()

/** That no branch fits is the sum of what its branches say. */
function isOfOneBranch({ keyword }: ErrorObject): boolean {
  return !['anyOf', 'oneOf', 'if'].includes(keyword)
}

function sentenceOf({ instancePath, keyword, message = '', params }: ErrorObject): string {
  const at = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '[]') || '/'
  if (keyword === 'enum') return `${at} is none of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  return `${at} ${message}`
}

/** Fields that no schema of the place names, where the schemas name some and do not say that others may be there. */
function undescribed(schema: Json, value: unknown, at = ''): string[] {
  const all = alternatives(schema)
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items }) => (items === undefined ? [] : [items as Json]))
    return items.length === 0 ? [] : value.flatMap((one) => undescribed({ anyOf: items }, one, `${at}[]`))
  }
  if (value === null || typeof value !== 'object') return []
  const named = all.flatMap(({ properties }) => (properties === undefined ? [] : [properties as Record<string, Json>]))
  const isOpen = all.some(({ additionalProperties: more }) => more === true || typeof more === 'object')
  if (named.length === 0) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const schemas = named.flatMap((properties) => (Object.hasOwn(properties, key) ? [properties[key]!] : []))
    if (schemas.length > 0) return undescribed({ anyOf: schemas }, one, `${at}/${key}`)
    return isOpen ? [] : [`${at}/${key} is not described`]
  })
}

/** The schema itself and every branch of it, references followed. */
function alternatives(schema: Json): Json[] {
  if (typeof schema.$ref === 'string') {
    const [document, name = ''] = schema.$ref.split('#/definitions/')
    return alternatives((document === 'rest' ? rest : webhooks).definitions[name] ?? {})
  }
  const branches = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((some) => (some as Json[] | undefined) ?? [])
  return [schema, ...branches.flatMap(alternatives)]
}
