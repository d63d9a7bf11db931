/** Answers by request, written down: what GitLab would answer where the local forge cannot be made to. */
import type { ForgePort } from '../../port.ts'
import { createGitlabForge } from '../port.ts'

export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text goes out as it is, all else as JSON. */
  readonly body?: unknown
}

export interface AskedRequest {
  readonly method: string
  /** Without the API's base. */
  readonly path: string
  readonly body: unknown
}

export interface ScriptedForge {
  readonly port: ForgePort
  readonly asked: AskedRequest[]
}

export interface ScriptedOptions {
  readonly apiURL?: string
  readonly includeConfidential?: boolean
}

const API = 'https://lab.example/api/v4'

/** `answers` by `GET /path`, with or without the query; several of one request are given in turn, the last for good. */
export function scriptedForge(
  answers: Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>,
  { apiURL = API, ...options }: ScriptedOptions = {},
): ScriptedForge {
  const asked: AskedRequest[] = []
  const turns = new Map<string, number>()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = String(input)
    const method = init?.method ?? 'GET'
    const path = url.slice(apiURL.length)
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    asked.push({ method, path, body })
    const key = [`${method} ${path}`, `${method} ${path.split('?')[0]}`].find((one) => answers[one] !== undefined)
    if (key === undefined) return answerWith({ status: 404, body: { message: '404 Not found' } })
    const known = answers[key]!
    const list: readonly ScriptedAnswer[] = Array.isArray(known) ? known : [known]
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return answerWith(list[Math.min(turn, list.length - 1)]!)
  }
  return { port: createGitlabForge({ token: 't', apiURL, fetch, ...options }), asked }
}

function answerWith({ status = 200, headers = {}, body }: ScriptedAnswer): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {})
  return new Response(status === 204 ? null : text, { status, headers })
}
