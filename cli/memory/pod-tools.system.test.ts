/** A pod's tool, the broker of its wrapper, and the memory service: real processes and HTTP, each with the token it has in life. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programDir } from '../program.ts'
import { startPodSide, type PodSide } from '../../property-tests/tools/pod-side.ts'
import { memoryAudience, memoryHost, type MemoryHost, type MemoryProcess } from './testing/host.ts'

const text = 'The DurationParser rounds half to even, because the LedgerTable does.'

let host: MemoryHost
let memory: MemoryProcess
const ends: (() => Promise<void>)[] = []

beforeAll(async () => {
  host = await memoryHost('')
  memory = await host.start()
}, 120_000)
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await host?.close()
})

/** The tools of one pod as its agent's command line has them, and what stands between them and the service. */
async function pod(profile: string): Promise<{ readonly tools: Client; readonly side: PodSide }> {
  const credential = { ...host.client, tokenUrl: host.identity.tokenUrl, audience: memoryAudience }
  const side = await startPodSide(
    { task: `${profile}-lib-1-abcde`, profile, token: 'pod-token' },
    'http://127.0.0.1:1',
    { url: memory.url, credential, ask: () => Promise.reject(new Error('nothing asks past the broker')) },
  )
  ends.push(() => side.close())
  const tools = new Client({ name: 'agent', version: '0' })
  await tools.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(programDir, 'wrapper', 'hooks', 'relay.mjs'), await side.socket(profile)],
      env: { PATH: process.env['PATH'] ?? '' },
    }),
  )
  ends.push(() => tools.close())
  return { tools, side }
}

interface Called {
  readonly isError: boolean
  readonly said: string
  readonly data: Record<string, unknown>
}

async function call(tools: Client, name: string, input: Record<string, unknown>): Promise<Called> {
  const answer = await tools.callTool({ name, arguments: input }, undefined, { timeout: 120_000 })
  const content = answer.content as readonly { readonly text?: string }[]
  return {
    isError: answer.isError === true,
    said: content.map((each) => each.text ?? '').join('\n'),
    data: (answer.structuredContent ?? {}) as Record<string, unknown>,
  }
}

function contents({ data }: Called): readonly unknown[] {
  return ((data['results'] ?? []) as readonly { readonly content: string }[]).map(({ content }) => content)
}

test('what one pod writes another one finds; no pod sees the token, and the profile is asked before the service (KNOWLEDGE-14, TOOLS-21, GATING-22, TOOL-MEMORY-4)', async () => {
  const [writer, reader] = [await pod('incident'), await pod('review')]
  const written = await call(writer.tools, 'memory_write', { text, metadata: { topic: 'durations' } })
  expect(written).toMatchObject({ isError: false, data: { track_id: expect.stringMatching(/./) as string } })
  const question = { mode: 'naive', text: 'how does the DurationParser round', top_k: 3 }
  await expect
    .poll(async () => contents(await call(reader.tools, 'memory_query', question)), { timeout: 60_000, interval: 100 })
    .toEqual([text])
  const described = await call(reader.tools, 'memory_describe', question)
  expect(String(described.data['summary'])).toContain('rounds half to even')

  expect((await reader.tools.listTools()).tools.map(({ name }) => name)).not.toContain('memory_write')
  // By a tool that the profile has not: the broker has a token that could.
  const byHand = await reader.side.broker.call('memory', 'memories', {
    method: 'POST',
    body: JSON.stringify({ text: 'written past the tools' }),
    signal: new AbortController().signal,
  })
  expect(byHand.status).toBe(403)
  expect(
    contents(await call(writer.tools, 'memory_query', { mode: 'naive', text: 'past the tools', top_k: 3 })),
  ).toEqual([])
  const bare = await fetch(`${memory.url}/memories`, { method: 'POST', body: '{}' })
  expect(bare.status).toBe(401)
  const heard = JSON.stringify([written, described, await byHand.text(), writer.side.log(), reader.side.log()])
  for (const secret of [host.client.secret, 'pod-token', await host.token()]) expect(heard).not.toContain(secret)
}, 180_000)

test('a question that comes while the service is away is answered when it is back', async () => {
  const { tools, side } = await pod('review')
  const { port } = new URL(memory.url)
  await memory.kill()
  const { signal } = new AbortController()
  const away = await side.broker.call('memory', 'queries', { method: 'POST', body: '{}', signal })
  expect(away.status).toBe(502)
  const question = { mode: 'naive', text: 'DurationParser', top_k: 1 }
  const asked = call(tools, 'memory_query', question)
  memory = await host.start({ HTTP_ADDR: `127.0.0.1:${port}` })
  expect(contents(await asked)).toEqual([text])
}, 180_000)
