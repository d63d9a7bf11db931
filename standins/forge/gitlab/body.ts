import type { FastifyInstance } from 'fastify'
import { HttpRefusal } from '../rest.ts'

const BODY_LIMIT = 10 * 1024 * 1024

type Input = Record<string, unknown>

/** Clients send JSON, forms and multipart forms, and DELETE with a type and no body: all become one object. */
export function readAnyBody(api: FastifyInstance): void {
  api.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: BODY_LIMIT } as const
  api.addContentTypeParser('*', options, (request, body: Buffer, done) => {
    parse(request.headers['content-type'] ?? '', body).then(
      (input) => done(null, input),
      (error: Error) => done(error),
    )
  })
}

async function parse(type: string, body: Buffer): Promise<Input> {
  if (body.toString().trim() === '') return {}
  if (type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded')) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => undefined)
    if (!form) throw new HttpRefusal(400, '400 Bad request')
    return nested([...form].map(([name, value]) => [name, typeof value === 'string' ? value : '']))
  }
  return parseJson(body.toString())
}

function parseJson(text: string): Input {
  const refusal = new HttpRefusal(400, '400 Bad request - problem parsing the body')
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object') return value as Input
  } catch {
    throw refusal
  }
  throw refusal
}

/** `a[b]=1` is a member of an object, `a[]=1` one of a list. */
export function nested(fields: ReadonlyArray<readonly [string, string]>): Input {
  const input: Input = {}
  for (const [name, value] of fields) place(input, pathOf(name), value)
  return input
}

function pathOf(name: string): string[] {
  const [first = '', ...rest] = name.split('[')
  return [first, ...rest.map((part) => part.replace(/\]$/, ''))]
}

/** Without a prototype's names: what comes from outside must not reach into objects that others share. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function place(target: Input, [name = '', ...rest]: readonly string[], value: string): void {
  if (FORBIDDEN.has(name)) return
  if (rest.length === 0) {
    target[name] = value
  } else if (rest[0] === '') {
    const list = target[name]
    target[name] = Array.isArray(list) ? [...(list as unknown[]), value] : [value]
  } else {
    const inner = target[name]
    const next = inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? (inner as Input) : {}
    target[name] = next
    place(next, rest, value)
  }
}
