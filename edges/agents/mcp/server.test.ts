import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, it, vi } from 'vitest'
import { ImplementOutcome } from '../outcome/schemas.ts'
import { profiles, toolsOf } from '../profiles.ts'
import { toolNames } from '../../../machines/turn/tools.ts'
import { IssueWrite } from '../routes/issues.ts'
import { agentKinds } from '../../../machines/task/events.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import {
  CallRefused,
  countedTools,
  type AgentCalls,
  type AskedCall,
  type ToolRunner,
} from '../../../wrapper/tools/port.ts'
import { ok, text, withPod } from './testing/fixture.ts'

describe('the tools of a pod', () => {
  it('are counted as GATING-19 counts them, per profile', () => {
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

  it.each(agentKinds)(
    'of %s are its column of the gating table, each with its title, schemas and hints (TOOLS-3, TOOLS-4, TOOLS-5, TOOLS-6, TOOLS-8, GATING-2)',
    async (kind) => {
      await withPod(kind, ok, async (client) => {
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name).toSorted()).toEqual(toolsOf(kind).toSorted())
        for (const tool of tools) {
          expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false })
          expect(tool.annotations, tool.name).toMatchObject({
            title: expect.stringMatching(/\w/),
            readOnlyHint: expect.any(Boolean),
            destructiveHint: expect.any(Boolean),
            idempotentHint: expect.any(Boolean),
          })
          expect(tool.description, tool.name).toContain('Example: {')
          // What task_context answers is quoted from, so it stays text.
          expect(tool.outputSchema === undefined, tool.name).toBe(tool.name === 'task_context')
        }
      })
    },
  )

  it('have a label each in the wrapper’s counter of tool calls (WRAPPER-METRICS-18)', () => {
    expect(countedTools.toSorted()).toEqual(toolNames.toSorted())
  })

  it('publish the schemas that validate, unchanged', async () => {
    await withPod('implement', ok, async (client) => {
      const { tools } = await client.listTools()
      const schema = (name: string): unknown => tools.find((tool) => tool.name === name)?.inputSchema
      expect(schema('submit_outcome')).toEqual(JSON.parse(JSON.stringify(ImplementOutcome)))
      expect(schema('issue_write')).toEqual(JSON.parse(JSON.stringify(IssueWrite)))
    })
  })

  it('of an unknown profile are the always-on set, with no terminal tool (GATING-5)', async () => {
    await withPod('clarify', ok, async (client) => {
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names).not.toContain('submit_outcome')
      expect(names).toHaveLength(6)
    })
  })

  it('that a profile lacks cannot be called (GATING-3)', async () => {
    await withPod('review', ok, async (client, asked) => {
      const result = await client.callTool({
        name: 'issue_write',
        arguments: { action: 'comment', repo: 'lib', number: 1, body: 'x' },
      })
      expect(result.isError).toBe(true)
      expect(asked).toEqual([])
    })
  })

  it('tell every fault of a call at once and send nothing (TOOLS-19)', async () => {
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

  it('send the outcome under the kind of the profile (TOOLS-10, OUTCOME-1, AGENT-API-16)', async () => {
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

  it('tell which argument goes with which, before anything is sent (TOOL-ISSUE-4, TOOL-CODE-7, TOOL-CODE-10, TOOL-CODE-11)', async () => {
    await withPod('implement', ok, async (client, asked) => {
      const faultsOfCall = async (name: string, given: Record<string, unknown>): Promise<string> => {
        const result = await client.callTool({ name, arguments: given })
        expect(result.isError, name).toBe(true)
        return text(result)
      }
      expect(await faultsOfCall('submit_outcome', { action: 'submitted' })).toContain(
        '/title is required when submitted',
      )
      expect(await faultsOfCall('scm_read', { kind: 'ci', repo: 'lib', labels: 'x' })).toMatch(
        /labels[^]*number is req/,
      )
      expect(await faultsOfCall('issue_write', { action: 'close', repo: 'lib' })).toMatch(/number[^]*comment is req/)
      expect(await faultsOfCall('mr_write', { action: 'reply', repo: 'lib', number: 1, body: 'x' })).toContain(
        'in_reply_to',
      )
      expect(await faultsOfCall('code_context', { repo: 'lib', rel: 'callers', direction: 'in' })).toMatch(
        /\/id is required[^]*\/direction is only allowed with rel=neighbors/,
      )
      expect(await faultsOfCall('code_graph', { repo: 'lib', op: 'path', community: 1 })).toMatch(
        /\/from is required[^]*\/to is required[^]*\/community is only allowed/,
      )
      expect(asked).toEqual([])
    })
  })

  it('take a word that every object knows for a wrong one, and say so (TOOL-ISSUE-1, TOOL-MR-1)', async () => {
    await withPod('implement', ok, async (client, asked) => {
      for (const [name, given] of [
        ['issue_write', { action: 'constructor', repo: 'lib' }],
        ['mr_write', { action: 'toString', repo: 'lib' }],
        ['scm_read', { kind: 'constructor', repo: 'lib' }],
        ['submit_outcome', { action: '__proto__' }],
      ] as const) {
        const result = await client.callTool({ name, arguments: given })
        expect([result.isError, text(result)], name).toEqual([
          true,
          expect.stringContaining('breaks the tool’s schema'),
        ])
      }
      expect(asked).toEqual([])
    })
  })

  it('let refine only comment on a merge request (GATING-20)', async () => {
    await withPod('refine', ok, async (client, asked) => {
      const denied = await client.callTool({
        name: 'mr_write',
        arguments: { action: 'open', repo: 'lib', title: 't', body: 'b' },
      })
      expect([denied.isError, text(denied)]).toEqual([true, expect.stringContaining('refine may only comment')])
      await client.callTool({ name: 'mr_write', arguments: { action: 'comment', repo: 'lib', number: 3, body: 'b' } })
      expect(asked).toHaveLength(1)
    })
  })

  const code = 'http://broker/memory/code'
  it.each([
    ['code_search', { repo: 'lib', q: 'parse', limit: 3 }, 'GET', `${code}/entities?repo=lib&q=parse&limit=3`],
    ['code_context', { repo: 'lib', rel: 'entity', id: 'a#b' }, 'GET', `${code}/entity?repo=lib&id=a%23b`],
    ['code_context', { repo: 'lib', rel: 'entity', id: 'a', limit: 3 }, 'GET', `${code}/entity?repo=lib&id=a`],
    ['code_graph', { repo: 'lib', op: 'stats', limit: 3 }, 'GET', `${code}-graph/stats?repo=lib`],
    ['code_graph', { repo: 'lib', op: 'bridges', limit: 3 }, 'GET', `${code}-graph/bridges?repo=lib&limit=3`],
    [
      'code_context',
      { repo: 'lib', rel: 'neighbors', id: 'a', direction: 'in', depth: 2 },
      'GET',
      `${code}/neighbors?repo=lib&direction=in&depth=2&id=a`,
    ],
    [
      'code_context',
      { repo: 'lib', rel: 'file_imports', id: 'src/a.ts' },
      'GET',
      `${code}/file-imports?repo=lib&path=src%2Fa.ts`,
    ],
    [
      'code_context',
      { repo: 'lib', rel: 'related', id: 'a' },
      'GET',
      `${code}-graph/related?repo=lib&max_depth=1&id=a`,
    ],
    [
      'code_context',
      { repo: 'lib', rel: 'related', id: 'a', depth: 3, limit: 5 },
      'GET',
      `${code}-graph/related?repo=lib&max_depth=3&limit=5&id=a`,
    ],
    ['code_context', { repo: 'lib', rel: 'cross_repo', id: 'a' }, 'GET', `${code}/cross-repo?repo=lib&id=a`],
    ['code_graph', { repo: 'lib', op: 'path', from: 'a', to: 'b' }, 'GET', `${code}-graph/path?repo=lib&from=a&to=b`],
    ['code_graph', { repo: 'lib', op: 'communities' }, 'GET', `${code}-graph/communities?repo=lib`],
    [
      'code_graph',
      { repo: 'lib', op: 'communities', community: 4 },
      'GET',
      `${code}-graph/community?repo=lib&community=4`,
    ],
    ['code_graph', { repo: 'lib', op: 'hyperedges' }, 'GET', `${code}-graph/hyperedges?repo=lib`],
    ['code_graph', { repo: 'lib', op: 'hyperedges', id: 'h' }, 'GET', `${code}-graph/hyperedge?repo=lib&id=h`],
    ['code_graph', { repo: 'lib', op: 'resource_graph', id: 'r' }, 'GET', `${code}/resource-graph?repo=lib&id=r`],
    ['code_explain', { repo: 'lib', id: 'a' }, 'GET', `${code}-graph/explain?repo=lib&id=a`],
    ['memory_query', { mode: 'naive', text: 'x', top_k: 2 }, 'POST', 'http://broker/memory/queries'],
    ['memory_describe', { mode: 'global', text: 'x' }, 'POST', 'http://broker/memory/queries:describe'],
    ['memory_write', { text: 'x', metadata: { a: 'b' } }, 'POST', 'http://broker/memory/memories'],
    ['memory_entity', { op: 'search', q: 'x' }, 'GET', 'http://broker/memory/entities?q=x'],
    ['memory_entity', { op: 'get', id: 'a/b' }, 'GET', 'http://broker/memory/entities/a%2Fb'],
    [
      'memory_entity',
      { op: 'patch', id: 'e', patch: { description: 'x' } },
      'PATCH',
      'http://broker/memory/entities/e',
    ],
    ['memory_edges', { op: 'list', from: 'a' }, 'GET', 'http://broker/memory/edges?from=a'],
    ['memory_edges', { op: 'create', from: 'a', to: 'b', relation: 'r' }, 'POST', 'http://broker/memory/edges'],
    ['memory_edges', { op: 'delete', id: 'e' }, 'DELETE', 'http://broker/memory/edges/e'],
  ] as const)(
    'reach the memory service: %s %j (TOOL-CODE-1, TOOL-CODE-3, TOOL-CODE-4, TOOL-CODE-5, TOOL-CODE-6, TOOL-CODE-7, TOOL-CODE-9, TOOL-CODE-12, TOOL-CODE-13, TOOL-CODE-14, TOOL-CODE-16, TOOL-MEMORY-3, TOOL-MEMORY-4, TOOL-MEMORY-5, TOOL-MEMORY-8, TOOL-MEMORY-11, TOOL-MEMORY-12, TOOL-RULE-2)',
    async (name, given, method, url) => {
      await withPod('incident', ok, async (client, asked) => {
        const result = await client.callTool({ name, arguments: given })
        expect(result.isError, text(result)).toBeFalsy()
        const { op: _op, id: _id, patch, ...rest } = given as Record<string, unknown>
        const body = method === 'POST' ? rest : method === 'PATCH' ? patch : undefined
        if (url.includes('queries')) Object.assign(rest, { repos_first: ['lib', 'docs'] })
        expect(asked).toEqual([{ method, url, body }])
      })
    },
  )

  it('name no Repositories where the Task has more than a question may name (TOOL-MEMORY-12)', async () => {
    const named = async (count: number): Promise<unknown> => {
      const repositories = Array.from({ length: count }, (_, at) => `lib-${at}`)
      const pod = { task: 'refine-1', project: 'demo', profile: 'refine', repositories }
      return withPod(
        'refine',
        ok,
        async (client, asked) => {
          await client.callTool({ name: 'memory_query', arguments: { mode: 'hybrid', text: 'x' } })
          return asked.map(({ body }) => (body as { repos_first?: readonly string[] }).repos_first?.length)
        },
        { pod },
      )
    }
    expect([await named(64), await named(65)]).toEqual([[64], [undefined]])
  })

  it('take no note that an ingest would hold for its own, and say what to name instead (TOOL-MEMORY-13)', async () => {
    await withPod('incident', ok, async (client, asked) => {
      const metadata = { repo: 'lib', file: 'src/a.ts', commit: 'c' }
      const result = await client.callTool({ name: 'memory_write', arguments: { text: 'x', metadata } })
      expect([result.isError, text(result)]).toEqual([
        true,
        expect.stringMatching(/\/metadata\/file [^]*metadata\.about[^]*\/metadata\/commit/),
      ])
      for (const about of ['./src/a.ts', '/work/lib/src/a.ts', '../a.ts', ' a.ts', 'a.ts ', '']) {
        const odd = await client.callTool({ name: 'memory_write', arguments: { text: 'x', metadata: { about } } })
        expect([about, odd.isError, text(odd)]).toEqual([
          about,
          true,
          expect.stringContaining('/metadata/about is a path'),
        ])
      }
      expect(asked).toEqual([])
    })
  })

  it('say that there is no memory service where the project has none (TOOLS-22)', async () => {
    const without = { hasMemory: false }
    await withPod(
      'review',
      ok,
      async (client, asked) => {
        const result = await client.callTool({ name: 'memory_query', arguments: { mode: 'naive', text: 'x' } })
        expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('no memory service')])
        expect(asked).toEqual([])
      },
      without,
    )
  })

  it('report an internal issue to the wrapper and to nobody else (TOOL-REPORT-5, TOOL-REPORT-6)', async () => {
    await withPod('', ok, async (client, asked, reported) => {
      const report = { category: 'auth', description: 'no token' }
      const result = await client.callTool({ name: 'report_internal_issue', arguments: report })
      expect([result.isError ?? false, JSON.parse(text(result))]).toEqual([false, { recorded: true }])
      expect([asked, reported]).toEqual([[], [report]])
    })
  })

  it('hand each call with its id to the runner, and say what it refuses without doing it', async () => {
    const handed: AskedCall[] = []
    const runner: ToolRunner = {
      perform: (asked) => {
        handed.push(asked)
        return Promise.reject(new CallRefused('call-refused: the model did not make this call'))
      },
    }
    await withPod(
      'implement',
      ok,
      async (client, asked) => {
        const call = { name: 'task_note', arguments: { kind: 'note', body: 'b' } }
        const result = await client.callTool({ ...call, _meta: { 'claudecode/toolUseId': 'toolu_1' } })
        expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('call-refused')])
        await client.callTool({ name: 'no_tool' })
        expect(handed).toEqual([
          { id: 'toolu_1', tool: 'task_note', arguments: { kind: 'note', body: 'b' } },
          { id: undefined, tool: 'no_tool', arguments: undefined },
        ])
        expect(asked).toEqual([])
      },
      { runner },
    )
  })

  it('do not repeat what is refused because its turn is over', async () => {
    let times = 0
    const over = async (): Promise<Response> => {
      times += 1
      throw new CallRefused('call-refused: its turn is over')
    }
    await withPod(
      'implement',
      ok,
      async (client) => {
        const result = await client.callTool({ name: 'task_get', arguments: {} })
        expect([result.isError, text(result), times]).toEqual([true, 'call-refused: its turn is over', 1])
      },
      { ask: over },
    )
  })

  it('tell of a long call that it goes on, and stop asking when the client gives it up', async () => {
    const clock = simulatedClock(0)
    const hanging = new AbortController()
    let given: AbortSignal | undefined
    const neverAnswers: AgentCalls['ask'] = (_service, _path, { signal }) =>
      new Promise((_resolve, reject) => {
        given = signal
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    await withPod(
      'implement',
      ok,
      async (client) => {
        const told: unknown[] = []
        const call = client.callTool({ name: 'task_get', arguments: {} }, undefined, {
          signal: hanging.signal,
          onprogress: (progress) => void told.push(progress),
        })
        call.catch(() => undefined)
        await vi.waitFor(() => expect(given).toBeDefined(), 15_000)
        await clock.advance(11_000)
        await vi.waitFor(() => expect(told).toHaveLength(2), 15_000)
        expect(told).toMatchObject([{ progress: 1 }, { progress: 2, message: 'waiting for the platform' }])
        hanging.abort()
        await expect(call).rejects.toThrow()
        await vi.waitFor(() => expect(given?.aborted).toBe(true), 15_000)
      },
      { ask: neverAnswers, clock },
    )
  })

  it('turn a refusal into words the model can act on', async () => {
    const refused = (): Response =>
      Response.json(
        { code: 'head-moved', detail: 'read it again', errors: [{ path: '/payload/reviewed_shas', message: 'moved' }] },
        { status: 409 },
      )
    await withPod('review', refused, async (client) => {
      const reviewed_shas = [{ repo: 'lib', number: 1, sha: 'abcdef1' }]
      const result = await client.callTool({
        name: 'submit_outcome',
        arguments: { verdict: 'approve', reviewed_shas },
      })
      expect(result.isError).toBe(true)
      expect(text(result)).toMatch(/head-moved: read it again\n- \/payload\/reviewed_shas moved/)
    })
  })

  it('wait for an orchestrator that restarts, and then say what it said (TOOLS-20)', async () => {
    let asked = 0
    const restarting = (): Response =>
      (asked += 1) < 3 ? Response.json({ code: 'upstream-failed' }, { status: 502 }) : ok()
    await withPod('implement', restarting, async (client) => {
      const result = await client.callTool({ name: 'task_note', arguments: { kind: 'note', body: 'x' } })
      expect(result.isError).toBeFalsy()
      expect(asked).toBe(3)
    })
  })

  it('repeat a call under one request id, and make another call under another (OUTCOME-20)', async () => {
    const ids: (string | undefined)[] = []
    const losing: AgentCalls['ask'] = async (_service, _path, { requestId }) =>
      ids.push(requestId) % 2 === 1 ? Response.json({ code: 'upstream-failed' }, { status: 502 }) : ok()
    const callTwice = async (client: Client): Promise<void> => {
      for (const body of ['x', 'y']) await client.callTool({ name: 'task_note', arguments: { kind: 'note', body } })
    }
    await withPod('implement', ok, callTwice, { ask: losing })
    expect(new Set(ids).size).toBe(2)
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]])
    expect(ids[0]).toMatch(/^[\w-]{8,}$/)
  })

  it('give a missing approval as a normal result with its guidance (TOOL-OPEN-10)', async () => {
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
