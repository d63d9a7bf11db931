/**
 * The scripted model: a loopback server that speaks the Messages API and plays a scenario. It decides from each
 * request alone; only faults are counted, and what was played is remembered for `turns()`.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Value } from 'typebox/value'
import type { Scenario } from '../scenarios/format.ts'
import { loadScenario } from '../scenarios/load.ts'
import { readBundle } from './bundle.ts'
import { readConversation, type PlayedCall } from './conversation.ts'
import { MessagesRequest } from './messages.ts'
import { play, type Move, type Played } from './play.ts'
import { sendAnswer, sendError, sendFault, sendJson, type Exchange } from './send.ts'
import { tokensOf } from './wire.ts'

export interface ModelOptions {
  readonly scenario?: Scenario
  readonly scenarioFile?: string
  readonly port?: number
  /** Default 127.0.0.1, as in its `url`. */
  readonly listen?: string
  /** Of its `url`, where others know it by a name or another address. Default 127.0.0.1. */
  readonly host?: string
  readonly apiKey: string
  readonly log?: (line: ModelLogLine) => void
}

export interface ModelLogLine extends Partial<Played> {
  readonly message: string
}

export interface RequestSummary {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly model?: string
  readonly turnToken?: string
}

export interface PlayedTurn {
  readonly task: string
  readonly agent: string
  readonly turnToken: string
  readonly entry: string
  /** One item a request: the tool called, or how the turn ended. */
  readonly steps: readonly string[]
}

/** What a turn was told and what its tools answered, read from its newest request. */
export interface TurnInput {
  readonly turnToken: string
  /** Texts of the events that are new to the agent in this turn. */
  readonly events: readonly string[]
  /** Texts of the comments that the bundle lists, old and new. */
  readonly comments: readonly string[]
  readonly calls: readonly PlayedCall[]
}

export interface Model {
  readonly url: string
  close(): Promise<void>
  requests(): readonly RequestSummary[]
  turns(): readonly PlayedTurn[]
  /** One for each turn of `turns()`. */
  inputs(): readonly TurnInput[]
}

/** 32 MiB is the API's own limit of a request. */
const bodyLimit = 32 * 1024 * 1024

/** @throws ScenarioInvalid when the file is none; an error when neither scenario nor file is given. */
export async function startModel(options: ModelOptions): Promise<Model> {
  const scenario = options.scenario ?? (await fromFile(options.scenarioFile))
  const stage = new Stage(scenario, options)
  const server = createServer((request, response) => void stage.serve(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.listen ?? '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${port}`,
    close: () => close(server),
    requests: () => stage.requests,
    turns: () => [...stage.turns.values()],
    inputs: () => [...stage.inputs.values()],
  }
}

async function fromFile(file: string | undefined): Promise<Scenario> {
  if (file === undefined) throw new TypeError('startModel needs a scenario or a scenarioFile')
  return loadScenario(file)
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

class Stage {
  readonly requests: RequestSummary[] = []
  readonly turns = new Map<string, PlayedTurn>()
  readonly inputs = new Map<string, TurnInput>()
  readonly #faults = new Map<string, number>()
  readonly #scenario: Scenario
  readonly #options: ModelOptions

  constructor(scenario: Scenario, options: ModelOptions) {
    this.#scenario = scenario
    this.#options = options
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = `req_${String(this.requests.length + 1).padStart(6, '0')}`
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const about: { model?: string; turnToken?: string } = {}
    response.once('close', () =>
      this.requests.push({ id: requestId, method: request.method ?? '', path, status: response.statusCode, ...about }),
    )
    try {
      await this.#route(request, response, { path, requestId, about })
    } catch (error) {
      this.#log({ message: `the request failed: ${String(error)}` })
      if (!response.headersSent)
        sendError(
          response,
          { status: 500, type: 'api_error', message: 'the scripted model failed; its log says why' },
          requestId,
        )
      else response.destroy()
    }
  }

  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    at: { path: string; requestId: string; about: { model?: string; turnToken?: string } },
  ): Promise<void> {
    const { path, requestId, about } = at
    if (path === '/' && ['GET', 'HEAD'].includes(request.method ?? '')) return sendJson(response, 200, { ok: true })
    if (!isAllowed(request, this.#options.apiKey))
      return sendError(response, { status: 401, type: 'authentication_error', message: 'invalid x-api-key' }, requestId)
    if (request.method !== 'POST' || !['/v1/messages', '/v1/messages/count_tokens'].includes(path)) {
      return sendError(
        response,
        { status: 404, type: 'not_found_error', message: `${request.method} ${path} is not served` },
        requestId,
      )
    }
    const body = await readBody(request)
    const faults = body === undefined ? ['the body is not JSON'] : faultsOf(body)
    if (faults.length > 0)
      return sendError(response, { status: 400, type: 'invalid_request_error', message: faults.join('; ') }, requestId)
    const message = body as MessagesRequest
    if (path.endsWith('/count_tokens'))
      return sendJson(response, 200, {
        input_tokens: tokensOf([message.system ?? '', message.tools ?? [], message.messages]),
      })
    about.model = message.model
    const move = play(message, this.#scenario, (key) => this.#faults.get(key) ?? 0)
    if (move.played !== undefined) {
      about.turnToken = move.played.turnToken
      this.inputs.set(move.played.turnToken, inputOf(message, move.played.turnToken))
    }
    await this.#perform(move, { request: message, response, requestId, accountUsage: this.#scenario.accountUsage })
  }

  async #perform(move: Move, exchange: Exchange): Promise<void> {
    this.#note(move)
    if (move.kind === 'answer') return sendAnswer(exchange, move.answer)
    this.#faults.set(move.key, (this.#faults.get(move.key) ?? 0) + 1)
    if (move.fault.fault !== 'slow') return sendFault(exchange, move.fault)
    const after = play(exchange.request, this.#scenario, (key) => this.#faults.get(key) ?? 0)
    this.#note(after)
    return after.kind === 'answer'
      ? sendAnswer(exchange, after.answer, move.fault.seconds ?? 1)
      : sendFault(exchange, after.fault)
  }

  #note(move: Move): void {
    const { played } = move
    if (played === undefined) return
    const step = move.kind === 'fault' ? `fault ${move.fault.fault}` : (played.tool ?? played.failure ?? 'end')
    const before = this.turns.get(played.turnToken)?.steps ?? []
    const { task, agent, turnToken, entry } = played
    this.turns.set(turnToken, { task, agent, turnToken, entry, steps: [...before, step] })
    this.#log({ message: played.failure ?? `plays ${step}`, ...played })
  }

  #log(line: ModelLogLine): void {
    this.#options.log?.(line)
  }
}

function inputOf(request: MessagesRequest, turnToken: string): TurnInput {
  const turn = readConversation(request).turns.findLast(({ token }) => token === turnToken)
  const bundle = readBundle(turn?.prompt ?? '')
  const threads = [...(bundle?.issues ?? []), ...(bundle?.mergeRequests ?? [])]
  return {
    turnToken,
    events: (bundle?.events ?? []).map(({ text }) => text),
    comments: threads.flatMap(({ comments }) => comments.map(({ body }) => body)),
    calls: turn?.calls ?? [],
  }
}

function isAllowed(request: IncomingMessage, apiKey: string): boolean {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return [request.headers['x-api-key'], bearer].some((given) => typeof given === 'string' && isSame(given, apiKey))
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyLimit) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function faultsOf(body: unknown): readonly string[] {
  return Value.Errors(MessagesRequest, body).map((error) => `${error.instancePath || '/'}: ${error.message}`)
}
