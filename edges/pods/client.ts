import { Type, type TSchema, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { withDeadline } from '../../http/deadline.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import { faultsOf } from '../../http/problems/validation.ts'
import { Hindrance, MessageAccepted, Session, TurnList, TurnResult } from '../../machines/turn/schema.ts'
import { RetryableError } from '../../runtime/errors.ts'

/** What a wrapper said to POST /v1/messages; `conflict` names nobody: the list tells whose turn runs (TURN-2). */
type Submitted =
  | { readonly kind: 'accepted'; readonly turnId: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'expired' }

/** A fault of the wrapper itself (5xx): whether it did what it was asked is not known. */
export class WrapperFaultError extends RetryableError {
  override readonly name = 'WrapperFaultError'
}

/** The wrapper's API (docs/contract/wrapper.md), as its one caller sees it. Anything but the answers named here is asked again. */
export interface WrapperClient {
  /** Of a wrapper of any release: no other member of its session is read. Null: it names none (VERSIONING-5, VERSIONING-6). */
  contractVersion(url: string): Promise<number | null>
  session(url: string): Promise<Session>
  /** Of a wrapper of any release. Undefined: it names none, or one that this release does not know. */
  hindrance(url: string): Promise<Hindrance | undefined>
  submit(
    url: string,
    turn: { readonly key: string; readonly text: string; readonly handoff: boolean },
  ): Promise<Submitted>
  turns(url: string): Promise<TurnList['items']>
  turn(url: string, turnId: string): Promise<TurnResult | undefined>
  probe(url: string, probeId: string, text: string): Promise<boolean>
  /** False: no live terminal (503). */
  interrupt(url: string): Promise<boolean>
  stop(url: string): Promise<void>
}

interface WrapperClientDeps {
  readonly fetch: Fetch
  /** Bearer with the wrapper's audience. */
  readonly token: () => Promise<string>
  readonly clock: Clock
  /** For one request with its answer's body. */
  readonly timeoutMs: number
}

const Versioned = Type.Object({ contractVersion: Type.Integer() })
const Hindered = Type.Object({ hindrance: Hindrance })

/** Of a session, which is a few lines: a pod is a stranger's program too. */
const mostSessionBytes = 64 * 1024

interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly mostBytes?: number
}

interface Answer {
  readonly status: number
  readonly body: string
}

export function createWrapperClient(deps: WrapperClientDeps): WrapperClient {
  async function ask(url: string, path: string, asked: Asked, expected: readonly number[]): Promise<Answer> {
    const { method = 'GET', body, mostBytes = Infinity } = asked
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${await deps.token()}`, ...type, ...asked.headers }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await withDeadline(deps.clock, deps.timeoutMs, async (signal) => {
      const response = await deps.fetch(new URL(path, url), { ...init, signal })
      return { status: response.status, body: await textOf(response, mostBytes) }
    }).catch((cause: unknown) => {
      throw new RetryableError(`the wrapper at ${url} did not answer ${path}`, { cause })
    })
    if (expected.includes(answer.status)) return answer
    const Fault = answer.status >= 500 ? WrapperFaultError : RetryableError
    throw new Fault(`the wrapper answered ${answer.status} to ${method} ${path}`)
  }

  const askSession = (url: string): Promise<Answer> => ask(url, '/v1/session', { mostBytes: mostSessionBytes }, [200])

  return {
    contractVersion: async (url) => {
      const answered = parse((await askSession(url)).body)
      return Check(Versioned, answered) ? answered.contractVersion : null
    },
    session: async (url) => read(Session, await askSession(url)),
    hindrance: async (url) => {
      const answered = parse((await askSession(url)).body)
      return Check(Hindered, answered) ? answered.hindrance : undefined
    },
    submit: async (url, { key, text, handoff }) => {
      const asked = { method: 'POST', body: { text, handoff }, headers: { 'idempotency-key': key } }
      const answer = await ask(url, '/v1/messages', asked, [202, 409, 410])
      if (answer.status === 409) return { kind: 'conflict' }
      if (answer.status === 410) return { kind: 'expired' }
      return { kind: 'accepted', turnId: read(MessageAccepted, answer).turnId }
    },
    turns: async (url) => read(TurnList, await ask(url, '/v1/messages', {}, [200])).items,
    turn: async (url, turnId) => {
      const answer = await ask(url, `/v1/messages/${encodeURIComponent(turnId)}`, {}, [200, 404])
      return answer.status === 404 ? undefined : read(TurnResult, answer)
    },
    probe: async (url, probeId, text) =>
      (await ask(url, '/v1/probe', { method: 'POST', body: { probeId, text } }, [202, 409])).status === 202,
    interrupt: async (url) => (await ask(url, '/v1/interrupt', { method: 'POST' }, [202, 503])).status === 202,
    stop: async (url) => {
      await ask(url, '/v1/session', { method: 'DELETE' }, [202, 404])
    },
  }
}

/** @throws RangeError for a longer one */
async function textOf(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new RangeError(`the answer has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function read<S extends TSchema>(schema: S, { body }: Answer): Static<S> {
  const value = parse(body)
  const faults = faultsOf(schema, value)
  if (faults.length > 0)
    throw new RetryableError(`the wrapper's answer breaks its schema: ${faults[0]?.path} ${faults[0]?.message}`)
  return value as Static<S>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RetryableError('the wrapper answered something that is not JSON', { cause })
  }
}
