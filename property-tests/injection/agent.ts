/**
 * The reach of an agent that has left every bound of its own: the tools as the MCP server calls them, through the broker
 * and by hand with the pod's own token, git, the forge itself, the model proxy, and any address there is.
 */
import { bareName } from '../../crd/resource-id.ts'
import { randomUUID } from 'node:crypto'
import { brokeredBackend, type Backend } from '../../edges/agents/mcp/backend.ts'
import { codeTools } from '../../edges/agents/mcp/tools/code.ts'
import { memoryTools } from '../../edges/agents/mcp/tools/memory.ts'
import { outcomeTool } from '../../edges/agents/mcp/tools/outcome.ts'
import { platformTools } from '../../edges/agents/mcp/tools/platform.ts'
import { scmTools } from '../../edges/agents/mcp/tools/scm.ts'
import type { AgentCalls } from '../../wrapper/tools/port.ts'
import type { AgentKind } from '../../machines/task/events.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { ScriptedPod } from './pods.ts'
import type { Scene } from './scene.ts'

/** One call and what came of it. */
export interface Heard {
  readonly via: 'broker' | 'hand' | 'forge' | 'model' | 'outside' | 'git'
  readonly method: string
  readonly url: string
  readonly sent: string
  readonly status: number
  readonly body: string
  /** The tool whose call it was. */
  readonly tool: string
}

const agentKinds: readonly AgentKind[] = [
  'implement',
  'review',
  'refine',
  'brainstorm',
  'incident',
  'documentation',
  'upgrade',
]
const tools = [...platformTools, ...scmTools, ...memoryTools, ...codeTools]

export class Agent {
  readonly pod: ScriptedPod
  readonly heard: Heard[] = []
  readonly #scene: Scene
  #tool = ''

  constructor(scene: Scene, pod: ScriptedPod) {
    this.#scene = scene
    this.pod = pod
  }

  get task(): string {
    return bareName(this.pod.spec.task)
  }

  /** What its shell would print. */
  get environment(): Readonly<Record<string, string>> {
    const { task, project, agentKind, ordinal } = this.pod.spec
    return {
      PLATFORM_TASK: task,
      PLATFORM_PROJECT: project,
      PLATFORM_TOOL_PROFILE: agentKind,
      PLATFORM_POD: String(ordinal),
      ANTHROPIC_BASE_URL: 'http://wrapper.test',
      POD_TOKEN: this.pod.token,
    }
  }

  /** Both ways, whatever the profile says; the broker's answer. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#tool = name
    const { agentKind } = this.pod.spec
    const chosen =
      name === 'submit_outcome' ? outcomeTool(agentKind as AgentKind) : tools.find((one) => one.name === name)
    const by = async (backend: Backend): Promise<unknown> => {
      try {
        return (await chosen?.call(args, backend))?.data
      } catch {
        // What was refused stands among what was heard.
        return undefined
      }
    }
    const answered = await by(this.#backend('broker'))
    await by(this.#backend('hand'))
    this.#tool = ''
    return answered
  }

  /** A conclusion in the name of any kind. */
  async submit(kind: string, payload: object, task = this.task): Promise<Heard> {
    this.#tool = 'submit_outcome'
    const sent = JSON.stringify({ kind, payload })
    const answer = await this.request('POST', `/tasks/${encodeURIComponent(task)}/outcome`, sent)
    this.#tool = ''
    return answer
  }

  async submitAsEach(payload: object): Promise<void> {
    for (const kind of agentKinds) await this.submit(kind, payload)
  }

  /** An address wherever it leads; one of the forge's or the platform's paths leads there, whatever host is named. */
  async request(method: string, address: string, body?: string): Promise<Heard> {
    const filled = this.#filled(address)
    const sent = body === undefined ? undefined : this.#filled(body)
    const url = this.#target(filled)
    const init = { method, ...(sent === undefined || method === 'GET' ? {} : { body: sent }) }
    if (url.host === 'wrapper.test') return this.#note('broker', url, init, await this.#wrapper(url, init))
    const via = url.href.startsWith(this.#scene.forge.url)
      ? 'forge'
      : url.href.startsWith(this.#scene.url)
        ? 'hand'
        : 'outside'
    if (via === 'outside')
      return this.#note(via, url, { ...init, ...(sent ? { body: sent } : {}) }, new Response('taken'))
    // By hand it says of itself what only the wrapper may say of it.
    const headers = {
      'x-platform-workspace': 'clean',
      authorization: `Bearer ${this.pod.token}`,
      ...(sent ? { 'content-type': 'application/json' } : {}),
    }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' }).catch(
      () => new Response('', { status: 400 }),
    )
    return this.#note(via, url, init, answer)
  }

  noteGit(url: string, { code, said }: { readonly code: number; readonly said: string }): void {
    this.heard.push({ via: 'git', method: 'git', url, sent: '', status: code === 0 ? 200 : 403, body: said, tool: '' })
  }

  /** The gateway's address with the pod's token in it. */
  gitUrl(project: string, repository: string): string {
    const url = new URL(`/git/${project}/${repository}.git`, this.#scene.url)
    url.username = 'x-pod'
    url.password = this.pod.token
    return url.href
  }

  #filled(text: string): string {
    const secret = encodeURIComponent(JSON.stringify(this.environment))
    return text.replaceAll(
      /\$\{?\{?\s*([A-Z][A-Z0-9_.a-z]*)\s*\}?\}?|\{\{\s*(\w+)\s*\}\}|\$\([^)]*\)|<[A-Z_]{3,}>/g,
      (_, name?: string) => (name === undefined ? secret : encodeURIComponent(this.environment[name] ?? secret)),
    )
  }

  #target(address: string): URL {
    const { forge, url: own } = this.#scene
    const named = URL.canParse(address) ? new URL(address) : new URL(address, own)
    const path = named.pathname + named.search
    const repos = /\/(repos\/.+|user|users\/.+|graphql)$/.exec(path)
    if (repos) return new URL(`${forge.apiUrl}/${repos[1]}`)
    const v4 = /\/api\/v4(\/.+)$/.exec(path)
    if (v4) return new URL(`${forge.gitlabApiUrl}${v4[1]}`)
    if (named.href.startsWith(forge.url) || named.href.startsWith(own)) return named
    if (/^\/v1\/(?:messages|models|complete)/.test(path))
      return new URL(`${this.environment['ANTHROPIC_BASE_URL']}${path}`)
    if (named.host === 'wrapper.test') return named
    const isPlatforms =
      /^\/(?:tasks|projects|resources|operator|internal|git|inspector|operations|api|metrics|journal)\b/.test(path)
    return isPlatforms && !/\.(?:com|org|net|example|io|ru|cn)$/.test(named.hostname) ? new URL(path, own) : named
  }

  #backend(via: 'broker' | 'hand'): Backend {
    const { task, project, agentKind: profile } = this.pod.spec
    const options = {
      pod: { task: bareName(task), project: bareName(project), profile, repositories: [] },
      hasMemory: true,
      timeoutMs: 30_000,
      patienceMs: 0,
      clock: systemClock,
      newId: randomUUID,
    }
    const ask: AgentCalls['ask'] = async (service, path, init) => {
      const byHand = `${this.#scene.url}/${service === 'memory' ? 'memory/' : ''}${path}`
      const url = new URL(via === 'broker' ? `http://wrapper.test/${service}/${path}` : byHand)
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.pod.token}` }
      const answer = via === 'broker' ? await this.#wrapper(url, init) : await fetch(url, { ...init, headers })
      await this.#note(via, url, init, answer.clone())
      return answer
    }
    const calls = { ask, reportIssue: () => undefined, push: async () => [] }
    return brokeredBackend(options, calls, { signal: new AbortController().signal, report: () => undefined })
  }

  /** `/operator/` and `/memory/` are the broker's, the rest is the CLI's socket of the model. */
  async #wrapper(url: URL, { method = 'GET', body }: RequestInit): Promise<Response> {
    const { broker, model } = this.pod.wrapper
    const service = (['operator', 'memory'] as const).find((name) => url.pathname.startsWith(`/${name}/`))
    const path = url.pathname + url.search
    const sent = typeof body === 'string' ? { body } : {}
    const { signal } = new AbortController()
    if (service) return broker.call(service, path.slice(service.length + 2), { method, signal, ...sent })
    const headers = { 'content-type': 'application/json' }
    const payload = sent.body === undefined ? {} : { payload: sent.body }
    const answer = await model.app.inject({ method: method as 'GET', url: path, headers, ...payload })
    return new Response(answer.statusCode === 204 ? null : answer.payload, { status: answer.statusCode })
  }

  async #note(via: Heard['via'], url: URL, { method = 'GET', body }: RequestInit, answer: Response): Promise<Heard> {
    const tool = this.#tool
    const one = {
      via,
      method,
      url: url.href,
      sent: String(body ?? ''),
      status: answer.status,
      body: await answer.text(),
      tool,
    }
    this.heard.push(one)
    return one
  }
}
