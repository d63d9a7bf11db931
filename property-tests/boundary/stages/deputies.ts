/** What acts in the agent's name, by its own sockets: tools, hooks, and the wrapper's loopback. The services behind remember. */
import { mkdtempSync, rmSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bearer } from '../../../http/auth/authenticate.ts'
import { oidcVerifier } from '../../../http/auth/oidc.ts'
import { generateSigningKeyPem, importSigningKey, signToken } from '../../../http/auth/tokens.ts'
import { createServer } from '../../../http/server.ts'
import { Attestor } from '../../../wrapper/attestation/attestor.ts'
import { BlockReader } from '../../../wrapper/attestation/block-reader.ts'
import { hookMembers } from '../../../wrapper/hooks/hook-input.ts'
import { openWiring } from '../../../wrapper/hooks/wiring.ts'
import { createInternalServer } from '../../../wrapper/internal-server.ts'
import { createWrapperServer, type WrapperServerOptions } from '../../../wrapper/server.ts'
import { openMcpSocket } from '../../../wrapper/sockets/mcp-socket.ts'
import { BelievesAnybody } from '../../../wrapper/testing/believes-anybody.ts'
import { plainClient } from '../../../wrapper/testing/plain-client.ts'
import { plainTools } from '../../../wrapper/testing/plain-tools.ts'
import { realClock } from '../../../wrapper/testing/pod.ts'
import { rememberingLogger } from '../../../wrapper/testing/quiet-log.ts'
import { createToolRunner } from '../../../wrapper/tools/tool-runner.ts'
import { addUsageFeed } from '../../../wrapper/usage/usage-feed.ts'
import type { Setting, Stage } from '../attack.ts'

export interface Deputies {
  readonly attestor: Attestor
  /** What was done in the agent's name, what hooks told, what usage was believed. */
  readonly done: string[]
  /** The model's answer to a request of the CLI, as it streams; `breaks`: it never ends. */
  model(
    block: object,
    more?: { readonly tools?: readonly string[]; readonly breaks?: boolean; readonly last?: string },
  ): void
  call(tool: string, input: object, id?: string): Promise<string>
  hook(event: string): Promise<string>
  /** Asks the wrapper's API for it, by a token of its own issuer for this audience; empty: without one. */
  transcript(audience: string): Promise<unknown>
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<number>
}

const silenceMs = 1500
const identity = { task: 't', project: 'p', profile: 'review', repositories: [], hasMemory: false }

export async function openDeputies({ profile, down }: Setting): Promise<Stage<Deputies>> {
  const closing: (() => unknown)[] = []
  return {
    scene: async () => open(),
    close: async () => {
      for (const close of closing.toReversed()) await close()
    },
  }
  async function open(): Promise<Deputies> {
    const dir = mkdtempSync(join(tmpdir(), 'deputies-'))
    closing.push(() => rmSync(dir, { recursive: true, force: true }))
    const done: string[] = []
    const { logger } = rememberingLogger()
    const attestor = down.has('attestation') ? new BelievesAnybody() : new Attestor()
    const runner = createToolRunner({
      attestor,
      broker: { call: async (_service, path, { body }) => (done.push(`${path} ${body}`), new Response('{}')) },
      push: async () => (done.push('push'), []),
      task: 't',
      metrics: { toolCallRefused: () => undefined },
      logger,
      onRefusal: () => undefined,
    })
    const tools = join(dir, 'tools.sock')
    const served = await openMcpSocket({ path: tools, serverFor: () => plainTools({ ...identity, profile }, runner) })
    const wiring = join(dir, 'wiring.sock')
    const hooks = await openWiring({ path: wiring, logger, onHook: (event) => void done.push(event) })
    if (!down.has('first-connection')) closing.push((await plainClient(wiring)).close)
    closing.push(hooks.close, served.close)
    const url = await loopback()
    return {
      ...{ attestor, done },
      model: (block, more = {}) => stream(attestor, block, more),
      call: async (tool, input, id) => asked(tools, (client) => client.call(tool, input, id)),
      hook: async (event) =>
        asked(wiring, (client) =>
          client.call('hook', { ...Object.fromEntries(hookMembers.map((name) => [name, ''])), event }),
        ),
      transcript: async (audience) => {
        const { url, token } = await api(audience)
        return fetch(`${url}/v1/transcript`, { headers: audience === '' ? {} : { authorization: `Bearer ${token}` } })
      },
      post: async (path, body, headers = {}) =>
        (
          await fetch(`${url}${path}`, {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json', ...headers },
          })
        ).status,
    }
    async function api(audience: string): Promise<{ readonly url: string; readonly token: string }> {
      const [issuer, key] = ['https://id.example', await importSigningKey(generateSigningKeyPem())]
      const verify = oidcVerifier({
        ...{ issuer, audience: 'a-wrapper', clock: realClock, jwksUri: `${issuer}/keys` },
        fetch: async () => Response.json({ keys: [key.publicJwk] }),
      })
      const server = await createWrapperServer({
        ...{
          version: '0',
          logger,
          clock: realClock,
          ids: { next: () => 'id' },
          metrics: { exposeIn: () => undefined },
        },
        authenticate: down.has('callers') ? async () => ({}) : bearer(verify),
        conversation: { transcript: { open: async () => (done.push('transcript'), openFile('/dev/null')) } },
      } as unknown as WrapperServerOptions)
      closing.push(() => server.close({ graceMs: 0 }))
      const content = { issuer, audience, subject: 'pod', id: 'a', expiresInSeconds: 60 }
      return {
        ...(await server.listen({ host: '127.0.0.1', port: 0 })),
        token: await signToken(key, realClock, content),
      }
    }
    async function loopback(): Promise<string> {
      const feed = { metrics: { statuslineReport: () => undefined }, onAccountUsage: () => void done.push('usage') }
      const common = { logger, clock: realClock, ids: { next: () => 'id' } }
      if (!down.has('keys-of-the-loopback')) {
        const keys = { gitKey: 'a-key-of-git', usageKey: 'a-key-of-usage' }
        const server = await createInternalServer({
          ...common,
          ...feed,
          ...keys,
          credential: () => (done.push('credential'), 'the-pod-token'),
        })
        closing.push(() => server.close({ graceMs: 0 }))
        return (await server.listen({ host: '127.0.0.1', port: 0 })).url
      }
      const server = await createServer({
        ...common,
        name: 'open',
        version: '0',
        openapi: { title: 'open', description: 'open' },
      })
      addUsageFeed(server, feed)
      server.app.post('/k/:key/internal/credential', async () => (done.push('credential'), { answer: 'the-pod-token' }))
      closing.push(() => server.close({ graceMs: 0 }))
      return (await server.listen({ host: '127.0.0.1', port: 0 })).url
    }
  }
}

async function asked(
  path: string,
  ask: (client: Awaited<ReturnType<typeof plainClient>>) => Promise<string>,
): Promise<string> {
  let timer: NodeJS.Timeout
  const late = new Promise<string>((resolve) => (timer = setTimeout(() => resolve('no answer'), silenceMs)))
  const work = plainClient(path).then(async (client) => ask(client).finally(() => client.close()))
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function stream(
  attestor: Attestor,
  block: object,
  {
    tools = ['outcome', 'note'],
    breaks = false,
    last = 'go',
  }: { readonly tools?: readonly string[]; readonly breaks?: boolean; readonly last?: string },
): void {
  const declared = tools.map((name) => ({ name: `mcp__platform__${name}` }))
  const body = JSON.stringify({ tools: declared, messages: [{ role: 'user', content: last }] })
  const reader = new BlockReader(attestor.requestBegan(Buffer.from(body)))
  const events = [
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_stop', index: 0 },
    ...(breaks ? [] : [{ type: 'message_stop' }]),
  ]
  reader.push(events.map((event) => `data: ${JSON.stringify(event)}\n`).join(''))
  reader.end()
}
