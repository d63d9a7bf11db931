import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { systemClock } from '../../../../runtime/clock.ts'
import type { AgentCalls, RefusedPush, ToolRunner } from '../../../../wrapper/tools/port.ts'
import { brokeredBackend, type BackendOptions } from '../backend.ts'
import { createMcpServer } from '../server.ts'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

export interface More extends Partial<BackendOptions> {
  readonly ask?: AgentCalls['ask']
  readonly runner?: ToolRunner
  readonly refusedPushes?: readonly RefusedPush[]
}

/** A client of the tools' server, whose backend answers as `answer` says. */
export async function withPod<T>(
  profile: string,
  answer: (asked: Asked) => Response,
  run: (client: Client, asked: Asked[], reported: unknown[]) => Promise<T>,
  { ask, runner, refusedPushes = [], ...more }: More = {},
): Promise<T> {
  const reported: unknown[] = []
  const asked: Asked[] = []
  const options = {
    pod: { task: 'implement-lib-1-abcde', project: 'demo', profile, repositories: ['lib', 'docs'] },
    hasMemory: true,
    timeoutMs: 1000,
    patienceMs: 1000,
    clock: systemClock,
    newId: randomUUID,
    ...more,
  }
  const calls: AgentCalls = {
    ask:
      ask ??
      (async (service, path, { method, body }) => {
        const one = {
          method,
          url: `http://broker/${service}/${path}`,
          body: body === undefined ? undefined : JSON.parse(body),
        }
        asked.push(one)
        return answer(one)
      }),
    reportIssue: (report) => void reported.push(report),
    push: async () => (asked.push({ method: 'push', url: '', body: undefined }), refusedPushes),
  }
  const server = createMcpServer({
    profile,
    version: '0.0.0',
    clock: options.clock,
    runner: runner ?? { perform: (_asked, perform) => perform(calls) },
    backend: (given, call) => brokeredBackend(options, given, call),
  })
  const client = new Client({ name: 'test', version: '0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  try {
    return await run(client, asked, reported)
  } finally {
    await client.close()
    await server.close()
  }
}

export const ok = (): Response => Response.json({ status: 'ok' })
export const text = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''
