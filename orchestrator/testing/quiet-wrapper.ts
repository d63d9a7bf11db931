/**
 * A wrapper without an agent, for tests: it serves the wrapper's API, keeps what it is told, and a turn ends when a
 * test says so by POST /_end {finalText, outputTokens, failure}. A hand-off turn ends by itself. What a test posts to
 * /_session is in every session from then on. Run as the program of a pod.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { signHmac } from '../../http/auth/hmac.ts'
import { openSpanExporter } from '../../http/tracing/exporter.ts'
import { createPodTrace, noTrace } from '../../wrapper/pod-trace.ts'

/** How a turn fails, as the wrapper's contract has it. */
interface Failure {
  readonly stopReason: string
  readonly error: { readonly code: string; readonly message: string; readonly resetsAt?: string }
}

interface Turn {
  readonly turnId: string
  readonly text: string
  readonly idempotencyKey: string
  readonly handoff: boolean
  readonly startedAt: string
  completedAt?: string
  finalText?: string
  outputTokens: number
  failure?: Failure
}

/** Nobody waits longer for a test than this; what a killed test leaves behind ends by itself. */
const lifetimeMs = 180_000

const env = process.env
const turns: Turn[] = []
const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
const spans = endpoint === '' ? undefined : await openSpanExporter({ service: 'wrapper', version: '0', endpoint })
const identity = { task: env['PLATFORM_TASK'] ?? '', pod: Number(env['PLATFORM_POD']) }
const trace = spans ? createPodTrace(spans, env['TRACEPARENT'], identity) : noTrace
let addedToSession: object = {}
const startedAt = new Date().toISOString()
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, byModel: {} }

function summaryOf({ turnId, idempotencyKey, handoff, startedAt: at, completedAt, failure }: Turn): object {
  const state = completedAt === undefined ? 'running' : failure === undefined ? 'completed' : 'failed'
  return { turnId, idempotencyKey, handoff, startedAt: at, state }
}

function resultOf(turn: Turn): object {
  const { completedAt, finalText, outputTokens, failure } = turn
  if (completedAt === undefined) return summaryOf(turn)
  const usage = { ...noUsage, outputTokens }
  const ended = { completedAt, finalText, usage, stopReason: 'end_turn', pushed: [], failed: [] }
  return { ...summaryOf(turn), ...ended, ...failure }
}

async function end(turn: Turn, finalText: string): Promise<void> {
  turn.completedAt = new Date().toISOString()
  turn.finalText = finalText
  const { handoff: _handoff, ...result } = resultOf(turn) as { readonly handoff: boolean }
  const body = JSON.stringify({ ...result, task: env['PLATFORM_TASK'], pod: Number(env['PLATFORM_POD']) })
  trace.turnEnded(turn.turnId, Date.parse(turn.startedAt), Date.now(), 'end_turn')
  const traceparent = trace.traceparentOf(turn.turnId)
  const secret = readFileSync(env['CALLBACK_HMAC_SECRET_FILE'] ?? '', 'utf8')
  await fetch(env['CALLBACK_URL'] ?? '', {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-platform-signature': signHmac(secret, body),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
  })
}

function session(): object {
  const running = turns.some((turn) => turn.completedAt === undefined)
  const turnsCompleted = turns.filter((turn) => turn.completedAt !== undefined).length
  return {
    state: running ? 'busy' : 'idle',
    turnsCompleted,
    model: '',
    repo: '',
    contractVersion: 4,
    sessionId: 's',
    startedAt,
    lastActivityAt: new Date().toISOString(),
    ...addedToSession,
  }
}

async function answer(
  request: IncomingMessage,
  body: {
    readonly text?: string
    readonly handoff?: boolean
    readonly finalText?: string
    readonly outputTokens?: number
    readonly failure?: Failure
  },
): Promise<[number, object]> {
  const path = request.url ?? ''
  if (request.method === 'DELETE') {
    setTimeout(() => void leave(), 20)
    return [202, {}]
  }
  if (path === '/readyz') return [200, {}]
  if (path === '/v1/session') return [200, session()]
  if (path === '/_session') return [200, (addedToSession = body)]
  if (path === '/_turns') return [200, { items: turns }]
  if (path === '/_end') {
    const open = turns.find((turn) => turn.completedAt === undefined)
    if (open === undefined) return [409, {}]
    open.outputTokens = body.outputTokens ?? 0
    if (body.failure !== undefined) open.failure = body.failure
    await end(open, body.finalText ?? 'done')
    return [200, { turnId: open.turnId }]
  }
  if (path === '/v1/messages' && request.method === 'POST') {
    const handoff = body.handoff === true
    const turn = {
      turnId: `turn-${turns.length}`,
      text: body.text ?? '',
      idempotencyKey: String(request.headers['idempotency-key']),
      handoff,
      startedAt: new Date().toISOString(),
      outputTokens: 0,
    }
    turns.push(turn)
    trace.accepted(turn.turnId, request.headers['traceparent'])
    if (handoff) setTimeout(() => void end(turn, 'handed off'), 20)
    return [202, { turnId: turn.turnId }]
  }
  if (path === '/v1/messages') return [200, { items: turns.map(summaryOf) }]
  const turn = turns.find(({ turnId }) => path === `/v1/messages/${turnId}`)
  return turn === undefined ? [404, {}] : [200, resultOf(turn)]
}

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  let text = ''
  request.on('data', (chunk: Buffer) => (text += chunk.toString()))
  request.on('end', () => {
    void answer(request, JSON.parse(text || '{}') as object).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
})

const [host = '', wantedPort = '0'] = (env['HTTP_ADDR'] ?? '127.0.0.1:0').split(':')
server.listen(Number(wantedPort), host, () => {
  trace.booted(Date.parse(startedAt), Date.now())
  const { port } = server.address() as AddressInfo
  writeFileSync(join(env['STATE_DIR'] ?? '', 'endpoint.json'), JSON.stringify({ url: `http://${host}:${port}` }))
})
setTimeout(() => process.exit(0), lifetimeMs).unref()
process.once('SIGTERM', () => void leave())

async function leave(): Promise<void> {
  await spans?.stop()
  process.exit(0)
}
