import type { KubeConfig } from '@kubernetes/client-node'
import { createHash } from 'node:crypto'
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici'
import { errorOf, KubeError, withoutSecrets, type Status } from './answers.ts'
import type { KubeClient, Method, Question, WatchEvent } from './api.ts'
import { credentialsOf, loadKubeConfig, type Credentials } from './credentials.ts'
import { codeOf } from '../../../runtime/errors.ts'

interface KubeClientOptions {
  /** Path of a kubeconfig; absent: the service account of this pod. */
  readonly kubeconfig?: string | undefined
  /** Whom to impersonate, for example `system:serviceaccount:platform:statewright`; absent: nobody. */
  readonly as?: string
  /** Milliseconds until the head of an answer, and between two parts of its body. */
  readonly timeoutMs?: number
  /** Milliseconds a watch may be silent: its bookmarks come each minute. */
  readonly watchSilenceMs?: number
}

/**
 * Asks an API server with the credentials of a kubeconfig or a pod, over one pool of sockets.
 * @throws where the kubeconfig cannot be read.
 */
export function createKubeClient({
  kubeconfig,
  as,
  timeoutMs = 30_000,
  watchSilenceMs = 90_000,
}: KubeClientOptions = {}): KubeClient {
  const load = (): KubeConfig => {
    const config = loadKubeConfig(kubeconfig)
    const user = config.getCurrentUser()
    if (as !== undefined && user !== null) Object.assign(user, { impersonateUser: as })
    return config
  }
  return new PooledClient(load, { timeoutMs, watchSilenceMs })
}

type Timeouts = Required<Pick<KubeClientOptions, 'timeoutMs' | 'watchSilenceMs'>>

interface Answer {
  readonly response: Dispatcher.ResponseData
  readonly secrets: readonly string[]
}

class PooledClient implements KubeClient {
  readonly #load: () => KubeConfig
  readonly #timeouts: Timeouts
  readonly #pool = new Pool()
  #config: KubeConfig
  /** A dispatcher that is closing ends no request that is under way. */
  readonly #closing = new AbortController()

  constructor(load: () => KubeConfig, timeouts: Timeouts) {
    this.#load = load
    this.#timeouts = timeouts
    this.#config = load()
  }

  async ask<Body>(method: Method, path: string, question: Question = {}): Promise<Body> {
    const { response, secrets } = await this.#send(method, path, question, this.#timeouts.timeoutMs)
    const text = await response.body.text().catch((error: unknown) => {
      throw lost(method, path, error, this.#signalOf(question))
    })
    if (question.isText === true && response.statusCode < 300) return text as Body
    const body = parsed(text)
    if (response.statusCode >= 300) throw refused(response, body, secrets)
    if (body === undefined) throw noAnswer(`${method} ${path}: the answer is not JSON`)
    return body as Body
  }

  async *watch(path: string, question: Question): AsyncGenerator<WatchEvent> {
    const signal = this.#signalOf(question)
    try {
      const asked = { ...question, query: { ...question.query, watch: true } }
      const { response, secrets } = await this.#send('GET', path, asked, this.#timeouts.watchSilenceMs)
      if (response.statusCode >= 300) throw refused(response, parsed(await response.body.text()), secrets)
      for await (const line of linesOf(response.body)) yield eventOf(path, line)
    } catch (error) {
      if (question.signal?.aborted) return
      throw error instanceof KubeError ? error : lost('GET', path, error, signal)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#pool.destroy()
  }

  /** Refused as unknown, it asks once more as whoever the configuration then names: certificates and plugins rotate. */
  async #send(method: Method, path: string, question: Question, silenceMs: number): Promise<Answer> {
    const first = await this.#sendOnce(method, path, question, silenceMs)
    if (first.response.statusCode !== 401) return first
    await first.response.body.dump()
    this.#reload()
    return this.#sendOnce(method, path, question, silenceMs)
  }

  /** A file that is being written keeps the configuration that was there. */
  #reload(): void {
    try {
      this.#config = this.#load()
    } catch {
      return
    }
  }

  async #sendOnce(method: Method, path: string, question: Question, silenceMs: number): Promise<Answer> {
    const { query = {}, body, type = 'application/json' } = question
    const signal = this.#signalOf(question)
    if (signal.aborted) throw aborted(method, path)
    const credentials = await this.#credentials()
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
    )
    try {
      const response = await request(`${credentials.server}${path}${search.size === 0 ? '' : `?${search}`}`, {
        method,
        dispatcher: this.#pool.for(credentials),
        headers: {
          ...credentials.headers,
          accept: 'application/json',
          'user-agent': 'statewright',
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: this.#timeouts.timeoutMs,
        bodyTimeout: silenceMs,
        signal,
      })
      return { response, secrets: [...credentials.secrets, ...secretValues(body)] }
    } catch (error) {
      throw lost(method, path, error, signal)
    }
  }

  #signalOf({ signal }: Question): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, signal])
  }

  async #credentials(): Promise<Credentials> {
    try {
      return await credentialsOf(this.#config)
    } catch (error) {
      // What a plugin printed, and was no JSON, may be a token: the parser's message repeats it.
      const why = error instanceof SyntaxError ? 'its answer is not JSON' : messageOf(error)
      throw new KubeError({ code: 0, reason: 'NoCredentials', message: `no credentials: ${why}` })
    }
  }
}

/**
 * One dispatcher for all requests, another once certificates are others. A new one for each request, as the typed client
 * has it, is a TLS handshake each and half the throughput (https://github.com/kubernetes-client/javascript/issues/2893).
 */
class Pool {
  #key = ''
  #dispatcher: Agent | ProxyAgent | undefined

  for({ tls, proxy }: Credentials): Dispatcher {
    const { ca, cert, key, servername, rejectUnauthorized } = tls
    const parts = [ca, cert, key, servername, rejectUnauthorized, proxy].map(String)
    const print = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    if (this.#dispatcher === undefined || print !== this.#key) {
      // What is asked over the earlier one ends there, a watch too.
      this.#dispatcher?.close().catch(() => undefined)
      this.#dispatcher = dispatcherOf(tls, proxy)
      this.#key = print
    }
    return this.#dispatcher
  }

  async destroy(): Promise<void> {
    await this.#dispatcher?.destroy()
  }
}

function dispatcherOf(tls: Credentials['tls'], proxy: string | undefined): Agent | ProxyAgent {
  const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined))
  const connect = { ...given, timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 }
  // HTTP/1.1: over HTTP/2 one dead socket would silence every watch. The server closes an idle socket after 90 s.
  const options = { allowH2: false, keepAliveTimeout: 60_000 }
  if (proxy === undefined) return new Agent({ ...options, connect })
  return new ProxyAgent({ ...options, uri: proxy, requestTls: connect })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function eventOf(path: string, line: string): WatchEvent {
  const event = parsed(line)
  if (event === undefined) throw noAnswer(`GET ${path}: the watch ended within a document`)
  return event as WatchEvent
}

function refused(
  { statusCode, headers }: Dispatcher.ResponseData,
  body: unknown,
  secrets: readonly string[],
): KubeError {
  const status = (typeof body === 'object' && body !== null ? body : {}) as Status
  const { message } = status
  const shown = typeof message === 'string' ? { message: withoutSecrets(message, secrets) } : {}
  const retryAfter = headers['retry-after']
  return errorOf(statusCode, { ...status, ...shown }, typeof retryAfter === 'string' ? retryAfter : undefined)
}

/** Of a Secret that is written: what a refusal might repeat. */
function secretValues(body: unknown): readonly string[] {
  const { data = {}, stringData = {} } = (body ?? {}) as { readonly data?: object; readonly stringData?: object }
  return [...Object.values(data), ...Object.values(stringData)].filter((value) => typeof value === 'string')
}

function aborted(method: Method, path: string): KubeError {
  return new KubeError({ code: 0, reason: 'Aborted', message: `${method} ${path}: aborted` })
}

function lost(method: Method, path: string, error: unknown, signal: AbortSignal): KubeError {
  if (signal.aborted) return aborted(method, path)
  const code = codeOf(error)
  return noAnswer(`${method} ${path}: ${code === undefined ? '' : `${code}, `}${messageOf(error)}`)
}

function noAnswer(message: string): KubeError {
  return new KubeError({ code: 0, reason: 'NoAnswer', message })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'an unknown fault'
}

/** The lines of a stream; the last one counts without its line break too. Empty lines are left out. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of others) {
      const line = parts.join('')
      parts = [next]
      if (line.trim() !== '') yield line
    }
  }
  const last = parts.join('') + decoder.decode()
  if (last.trim() !== '') yield last
}
