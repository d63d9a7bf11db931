import { expect, test } from 'vitest'
import { faultsOf } from '../../../http/problems/validation.ts'
import type { BundleThread } from '../bundle/input.ts'
import { renderBundle } from '../bundle/render.ts'
import { platformTools } from './tools/platform.ts'
import { scmTools } from './tools/scm.ts'

function threads(repository: string): readonly BundleThread[] {
  const comments = [{ externalId: '1', author: 'rita', at: 0, bot: false, body: 'c'.repeat(9000) }]
  return Array.from({ length: 200 }, (_, n) => ({
    repository,
    number: n + 1,
    state: 'open',
    status: 'refined',
    url: '',
    title: 'Fails',
    author: 'rita',
    body: 'b'.repeat(9000),
    comments,
  }))
}

/** What a call in words means: numbers and booleans are themselves. */
function plain(value: string): unknown {
  return /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value
}

test('every call that a bundle names for what it left out is taken as it is written (BUNDLE-BUDGET-13)', () => {
  const head = { ci: 'success', mergeable: 'true', headBranch: 'platform/x', headSha: 'abc' }
  const input = {
    task: 'implement-lib-7-abcde',
    kind: 'implement',
    stage: 'implementing',
    agent: 'implement',
    project: 'demo',
    issues: [...threads('lib'), ...threads('app')],
    mergeRequests: threads('lib').map((thread) => ({ ...thread, ...head })),
    events: [],
    notes: [{ agent: 'implement', at: 0, kind: 'note', source: 'agent' as const, body: 'n' }],
    notesTotal: 2,
    earlier: [],
  }
  const texts = [50_000, 1_000_000, 6_000_000].map(
    (maxBytes) => renderBundle(input, { maxBytes, eventsInside: true }).text,
  )
  const calls = [...new Set(texts.join('').match(/(scm_read|task_context)\([^)]*\)/g))]
  expect(calls).toEqual(
    expect.arrayContaining([
      'scm_read(kind=issues, repo=lib)',
      'scm_read(kind=issues, repo=app)',
      'scm_read(kind=mr, repo=lib)',
      'scm_read(kind=mr, repo=lib, number=200)',
      'scm_read(kind=comments, repo=lib, number=200, is_pr=true)',
      'task_context(task=implement-lib-7-abcde, notes=all)',
    ]),
  )
  for (const call of calls) {
    const [, name, given = ''] = /^(\w+)\((.*)\)$/.exec(call)!
    const values = given.split(', ').map((pair) => pair.split('=') as [string, string])
    const args = Object.fromEntries(values.map(([key, value]) => [key, plain(value)]))
    const tool = [...scmTools, ...platformTools].find((one) => one.name === name)!
    expect([call, ...faultsOf(tool.input, args), ...(tool.faults?.(args, 'implement') ?? [])]).toEqual([call])
  }
})
