import { expect, it } from 'vitest'
import type { AgentKind } from '../../../machines/task/events.ts'
import { ok, text, withPod } from './testing/fixture.ts'

type Arguments = Readonly<Record<string, unknown>>

async function called(kind: AgentKind, name: string, given: Arguments): Promise<{ said: string; sent: number }> {
  return withPod(kind, ok, async (client, asked) => {
    const result = await client.callTool({ name, arguments: { ...given } })
    return { said: result.isError === true ? text(result) : '', sent: asked.length }
  })
}

const absent = (name: string): string => `- /${name} is required`
const missing = (name: string): string => `- /${name} is required for`
const notAllowed = (name: string, op: string): string => `- /${name} is not allowed with op=${op}`

it.each<[row: string, kind: AgentKind, tool: string, given: Arguments, faults: readonly string[]]>([
  ['TOOL-ISSUE-3', 'implement', 'issue_write', { action: 'create', repo: 'lib' }, [missing('title'), missing('body')]],
  ['TOOL-ISSUE-3', 'implement', 'issue_write', { action: 'edit', repo: 'lib', title: 't' }, [missing('number')]],
  [
    'TOOL-ISSUE-3',
    'implement',
    'issue_write',
    { action: 'comment', repo: 'lib' },
    [missing('number'), missing('body')],
  ],
  [
    'TOOL-TAKEOVER-1',
    'review',
    'mr_takeover_request',
    {},
    [absent('repo'), absent('number'), absent('comment_external_id')],
  ],
  [
    'TOOL-TAKEOVER-1',
    'review',
    'mr_takeover_request',
    { repo: 1, number: '1', comment_external_id: 1 },
    ['/repo', '/number', '/comment_external_id'],
  ],
  ['TOOL-CODE-2', 'implement', 'code_context', { id: 'a' }, [absent('repo'), absent('rel')]],
  [
    'TOOL-CODE-5',
    'implement',
    'code_context',
    { repo: 'lib', rel: 'callers', id: 'a', depth: 0 },
    ['/depth must be >= 1'],
  ],
  [
    'TOOL-CODE-5',
    'implement',
    'code_context',
    { repo: 'lib', rel: 'callers', id: 'a', depth: 5 },
    ['/depth must be <= 4'],
  ],
  [
    'TOOL-CODE-5',
    'implement',
    'code_context',
    { repo: 'lib', rel: 'cross_repo', id: 'a', depth: 2 },
    ['/depth is not allowed with rel=cross_repo'],
  ],
  ['TOOL-CODE-8', 'implement', 'code_graph', {}, [absent('repo'), absent('op')]],
  ['TOOL-CODE-15', 'implement', 'code_search', { repo: 'lib', q: 'a', limit: 0 }, ['/limit must be >= 1']],
  ['TOOL-CODE-15', 'implement', 'code_search', { repo: 'lib', q: 'a', limit: 501 }, ['/limit must be <= 500']],
  [
    'TOOL-CODE-15',
    'implement',
    'code_context',
    { repo: 'lib', rel: 'callers', id: 'a', limit: 501 },
    ['/limit must be <= 500'],
  ],
  ['TOOL-CODE-15', 'implement', 'code_graph', { repo: 'lib', op: 'stats', limit: 501 }, ['/limit must be <= 500']],
  ['TOOL-MEMORY-1', 'implement', 'memory_query', { top_k: 3 }, [absent('mode'), absent('text')]],
  ['TOOL-MEMORY-1', 'implement', 'memory_describe', { top_k: 3 }, [absent('mode'), absent('text')]],
  ['TOOL-MEMORY-1', 'implement', 'memory_query', { mode: 'naive', text: 'a', kinds: ['songs'] }, ['/kinds/0']],
  ['TOOL-MEMORY-2', 'implement', 'memory_query', { mode: 'mix', text: 'a' }, ['/mode']],
  ['TOOL-MEMORY-2', 'implement', 'memory_describe', { mode: 'mix', text: 'a' }, ['/mode']],
  ['TOOL-MEMORY-6', 'incident', 'memory_entity', { op: 'get' }, [missing('id')]],
  ['TOOL-MEMORY-6', 'incident', 'memory_entity', { op: 'patch' }, [missing('id'), missing('patch')]],
  ['TOOL-MEMORY-7', 'incident', 'memory_entity', { op: 'search' }, [missing('q')]],
  ['TOOL-MEMORY-7', 'incident', 'memory_entity', { op: 'get', id: 'e', limit: 3 }, [notAllowed('limit', 'get')]],
  [
    'TOOL-MEMORY-7',
    'incident',
    'memory_entity',
    { op: 'patch', id: 'e', patch: {}, limit: 3 },
    [notAllowed('limit', 'patch')],
  ],
  [
    'TOOL-MEMORY-10',
    'incident',
    'memory_edges',
    { op: 'create' },
    [missing('from'), missing('to'), missing('relation')],
  ],
  [
    'TOOL-MEMORY-10',
    'incident',
    'memory_edges',
    { op: 'delete', from: 'a' },
    [missing('id'), notAllowed('from', 'delete')],
  ],
  ['TOOL-MEMORY-10', 'incident', 'memory_edges', { op: 'list', id: 'e' }, [notAllowed('id', 'list')]],
])('(%s) %s’s %s refuses %j and sends nothing', async (_row, kind, tool, given, faults) => {
  const { said, sent } = await called(kind, tool, given)
  for (const fault of faults) expect(said).toContain(fault)
  expect(said.split('\n')).toHaveLength(faults.length + 1)
  expect(sent).toBe(0)
})

it.each<[kind: AgentKind, tool: string, given: Arguments]>([
  ['implement', 'issue_write', { action: 'create', repo: 'lib', title: 't', body: 'b' }],
  ['implement', 'issue_write', { action: 'edit', repo: 'lib', number: 1, title: 't' }],
  ['implement', 'issue_write', { action: 'comment', repo: 'lib', number: 1, body: 'b' }],
  ['review', 'mr_takeover_request', { repo: 'lib', number: 1, comment_external_id: '1' }],
  ['implement', 'code_context', { repo: 'lib', rel: 'callers', id: 'a', depth: 1, limit: 1 }],
  ['implement', 'code_context', { repo: 'lib', rel: 'callers', id: 'a', depth: 4, limit: 500 }],
  ['implement', 'memory_query', { mode: 'local', text: 'a' }],
  ['implement', 'memory_query', { mode: 'global', text: 'a', top_k: 3, kinds: ['files', 'notes'] }],
  ['implement', 'memory_describe', { mode: 'hybrid', text: 'a', top_k: 3 }],
  ['implement', 'memory_describe', { mode: 'naive', text: 'a' }],
  ['incident', 'memory_entity', { op: 'search', q: 'a', limit: 3 }],
  ['incident', 'memory_entity', { op: 'patch', id: 'e', patch: { description: 'd' } }],
  ['incident', 'memory_edges', { op: 'list' }],
  ['incident', 'memory_edges', { op: 'list', from: 'a', to: 'b', relation: 'r', limit: 3 }],
  ['incident', 'memory_edges', { op: 'create', from: 'a', to: 'b', relation: 'r' }],
  ['incident', 'memory_edges', { op: 'delete', id: 'e' }],
])(
  '%s’s %s takes %j (TOOL-CODE-5, TOOL-CODE-15, TOOL-MEMORY-1, TOOL-MEMORY-2, TOOL-MEMORY-10)',
  async (kind, tool, given) => {
    expect(await called(kind, tool, given)).toEqual({ said: '', sent: 1 })
  },
)

it.each<[kind: AgentKind, scope: string]>([
  ['brainstorm', 'brainstorm'],
  ['incident', 'incident'],
  ['implement', 'all'],
  ['review', 'all'],
  ['refine', 'all'],
  ['documentation', 'all'],
  ['upgrade', 'all'],
])(
  'index=true of %s reads the index of the Project in the scope %s, and no bundle (TOOL-TASK-6, TOOL-TASK-7)',
  async (kind, scope) => {
    await withPod(
      kind,
      () => new Response('<task_index/>'),
      async (client, asked) => {
        const answer = await client.callTool({ name: 'task_context', arguments: { index: true, task: 'other' } })
        expect(text(answer)).toBe('<task_index/>')
        expect(asked.map(({ url }) => url)).toEqual([`http://broker/operator/projects/demo/task-index?scope=${scope}`])
      },
    )
  },
)
