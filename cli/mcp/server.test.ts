import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, it } from 'vitest'
import { profiles } from '../../edges/agents/profiles.ts'
import { agentKinds } from '../../machines/task/events.ts'
import { systemClock } from '../../runtime/clock.ts'
import { httpBackend } from './backend.ts'
import { createMcpServer, toolsFor } from './server.ts'

interface Asked {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

async function withPod<T>(
  profile: string,
  answer: (asked: Asked) => Response,
  run: (client: Client, asked: Asked[]) => Promise<T>,
): Promise<T> {
  const asked: Asked[] = []
  const backend = httpBackend({
    pod: { task: 'implement-lib-1-abcde', project: 'demo', profile },
    operatorUrl: 'http://broker/operator',
    memoryUrl: '',
    internalUrl: 'http://broker',
    timeoutMs: 1000,
    patienceMs: 1000,
    clock: systemClock,
    fetch: async (url, init) => {
      const one = {
        method: init?.method ?? 'GET',
        url: String(url),
        body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
      }
      asked.push(one)
      return answer(one)
    },
  })
  const server = createMcpServer(toolsFor(profile, { operator: true, memory: false }), backend, '0.0.0')
  const client = new Client({ name: 'test', version: '0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  try {
    return await run(client, asked)
  } finally {
    await client.close()
    await server.close()
  }
}

const ok = (): Response => Response.json({ status: 'ok' })
const text = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

describe('the tools of a pod', () => {
  it('are counted as document 2 counts them, per profile', () => {
    const counts = Object.fromEntries(agentKinds.map((kind) => [kind, profiles[kind].length]))
    expect(counts).toEqual({
      brainstorm: 17,
      incident: 18,
      implement: 18,
      review: 16,
      refine: 13,
      documentation: 18,
      upgrade: 16,
    })
  })

  it('are only those of the profile, and without a memory service only those that need none', async () => {
    await withPod('review', ok, async (client) => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name).toSorted()).toEqual(
        [
          'mr_takeover_request',
          'mr_write',
          'project_get',
          'repo_list',
          'report_internal_issue',
          'scm_read',
          'submit_outcome',
          'task_context',
          'task_get',
          'task_note',
        ].toSorted(),
      )
    })
  })

  it('of an unknown profile are the always-on set, with no terminal tool', async () => {
    await withPod('clarify', ok, async (client) => {
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names).not.toContain('submit_outcome')
      expect(names).toHaveLength(6)
    })
  })

  it('that a profile lacks cannot be called', async () => {
    await withPod('review', ok, async (client, asked) => {
      const result = await client.callTool({
        name: 'issue_write',
        arguments: { action: 'comment', repo: 'lib', number: 1, body: 'x' },
      })
      expect(result.isError).toBe(true)
      expect(asked).toEqual([])
    })
  })

  it('tell every fault of a call at once and send nothing', async () => {
    await withPod('implement', ok, async (client, asked) => {
      const result = await client.callTool({
        name: 'submit_outcome',
        arguments: { action: 'merge', extra: 1, approval_citations: [{ id: 'x' }] },
      })
      expect(result.isError).toBe(true)
      for (const path of ['/action', '/extra', '/approval_citations/0/quote']) expect(text(result)).toContain(path)
      expect(asked).toEqual([])
    })
  })

  it('send the outcome under the kind of the profile', async () => {
    await withPod('implement', ok, async (client, asked) => {
      await client.callTool({ name: 'submit_outcome', arguments: { action: 'discuss', reason: 'unclear' } })
      expect(asked).toEqual([
        {
          method: 'POST',
          url: 'http://broker/operator/tasks/implement-lib-1-abcde/outcome',
          body: { kind: 'implement', payload: { action: 'discuss', reason: 'unclear' } },
        },
      ])
    })
  })

  it('turn a refusal into words the model can act on', async () => {
    const refused = (): Response =>
      Response.json(
        {
          code: 'invalid-input',
          detail: 'two faults',
          errors: [{ path: '/payload/title', message: 'is required when submitted' }],
        },
        { status: 400 },
      )
    await withPod('implement', refused, async (client) => {
      const result = await client.callTool({ name: 'submit_outcome', arguments: { action: 'submitted' } })
      expect(result.isError).toBe(true)
      expect(text(result)).toContain('/payload/title is required when submitted')
    })
  })

  it('wait for an orchestrator that restarts, and then say what it said', async () => {
    let asked = 0
    const restarting = (): Response =>
      (asked += 1) < 3 ? Response.json({ code: 'upstream-failed' }, { status: 502 }) : ok()
    await withPod('implement', restarting, async (client) => {
      const result = await client.callTool({ name: 'task_note', arguments: { kind: 'note', body: 'x' } })
      expect(result.isError).toBeFalsy()
      expect(asked).toBe(3)
    })
  })

  it('give a missing approval as a normal result with its guidance', async () => {
    const refused = (): Response =>
      Response.json({ code: 'approval-required', issues: [{ detail: 'needs-maintainer-comment' }] }, { status: 409 })
    await withPod('implement', refused, async (client) => {
      const result = await client.callTool({
        name: 'mr_write',
        arguments: { action: 'open', repo: 'lib', title: 't', body: 'b' },
      })
      expect(result.isError).toBeFalsy()
      expect(text(result)).toContain('needs-maintainer-comment')
    })
  })
})
