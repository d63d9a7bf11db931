import { describe, expect, it } from 'vitest'
import { withChanges, type TaskContext, type TaskPatch } from '../../../machines/task/context.ts'
import { aMergeRequest } from '../../../machines/testing/a-task.ts'
import { aTask, noon } from '../testing/fixture.ts'
import { budgetOf } from './size.ts'
import { renderTaskIndex } from './task-index.ts'
import { tokensAtMost } from './tokens.ts'

function startedAt(at: number, change: TaskPatch = {}): TaskContext {
  return aTask(withChanges({ stage: { history: [{ stage: 'minted', at, reason: null }] } }, change))
}

const byHand = { kind: 'human', ref: 'uid' }
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe('the index of a Project’s Tasks', () => {
  it('is rendered byte for byte as the contract gives it, newest first (INDEX-5, INDEX-6) (INDEX-5, INDEX-6, INDEX-9)', () => {
    const older = startedAt(noon - 3 * day, {
      id: 'default/upgrade-app-2-bbbbb',
      kind: 'upgrade',
      stage: { name: 'delivered' },
      goal: 'Upgrade <left-pad> & co\nto the next major',
      origin: { kind: 'cron', ref: 'upgrade/1' },
      forge: {
        issues: [],
        mergeRequests: [{ ...aMergeRequest('app', 'sha-2', 8), state: 'merged', mergeCommit: 'm' }],
      },
    })
    expect(renderTaskIndex([older, startedAt(noon - 90 * minute)], 'demo', 'all', noon)).toBe(
      `<task_index project="demo" count="2" scope="all">
<task name="implement-lib-1-x7k2p" kind="implement" stage="implementing" age="1h">
<title>issue lib#1</title>
<body>issue lib#1</body>
<issues>lib#1</issues>
</task>
<task name="upgrade-app-2-bbbbb" kind="upgrade" stage="delivered" age="3d">
<title>Upgrade &lt;left-pad&gt; &amp; co</title>
<body>Upgrade &lt;left-pad&gt; &amp; co
to the next major</body>
<mrs>app#8</mrs>
</task>
</task_index>
`,
    )
  })

  it('of an empty Project is empty', () => {
    expect(renderTaskIndex([], 'demo', 'incident', noon)).toBe(
      '<task_index project="demo" count="0" scope="incident">\n</task_index>\n',
    )
  })

  it('shows a brainstorm its brainstorms and an incident its incidents (INDEX-1, INDEX-5)', () => {
    const tasks = (['brainstorm', 'incident', 'implement'] as const).map((kind) =>
      startedAt(noon, { id: `default/${kind}-x`, kind }),
    )
    const names = (scope: 'all' | 'brainstorm' | 'incident'): string[] =>
      [...renderTaskIndex(tasks, 'demo', scope, noon).matchAll(/name="([^"]*)"/g)].map(([, name]) => name ?? '')
    expect([names('brainstorm'), names('incident'), names('all').length]).toEqual([['brainstorm-x'], ['incident-x'], 3])
  })

  it('holds at most the 100 newest, and 500 characters of each goal, counted as people count them (INDEX-4, INDEX-8)', () => {
    const tasks = Array.from({ length: 120 }, (_, n) =>
      startedAt(noon + n, { id: `default/t-${n}`, goal: '🙂'.repeat(600), origin: byHand }),
    )
    const text = renderTaskIndex(tasks, 'demo', 'all', noon + day)
    expect([
      text.match(/<task /g)?.length,
      text.includes('name="t-119"'),
      text.includes('name="t-20"'),
      text.includes('name="t-19"'),
    ]).toEqual([100, true, true, false])
    expect(/<body>(.*?)<\/body>/.exec(text)?.[1]).toBe('🙂'.repeat(500))
  })

  it('stays within its bytes, the newest first, though a goal is one line of a megabyte (INDEX-3)', () => {
    const tasks = Array.from({ length: 120 }, (_, n) =>
      startedAt(noon + n, { id: `default/t-${n}`, goal: '<&>'.repeat(350_000), origin: byHand }),
    )
    const text = renderTaskIndex(tasks, 'demo', 'all', noon, budgetOf(20_000))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000)
    const names = [...text.matchAll(/name="([^"]*)"/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(1)
    expect(names).toEqual(Array.from({ length: names.length }, (_, n) => `t-${119 - n}`))
  })

  it('stays within its tokens too, the newest first (INDEX-3, BUNDLE-BUDGET-15)', () => {
    const tasks = Array.from({ length: 100 }, (_, n) =>
      startedAt(noon + n, { id: `default/t-${n}`, goal: '{7}'.repeat(200), origin: byHand }),
    )
    const text = renderTaskIndex(tasks, 'demo', 'all', noon, { bytes: 400_000, tokens: 5000 })
    expect(tokensAtMost(text)).toBeLessThanOrEqual(5000)
    const names = [...text.matchAll(/name="([^"]*)"/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(1)
    expect(names).toEqual(Array.from({ length: names.length }, (_, n) => `t-${99 - n}`))
  })

  it.each([
    [-5 * minute, '0m'],
    [59 * minute, '59m'],
    [60 * minute, '1h'],
    [48 * hour - 1, '47h'],
    [48 * hour, '2d'],
  ])('says the age coarsely: %d ms is %s (INDEX-7)', (age, said) => {
    expect(renderTaskIndex([startedAt(noon - age)], 'demo', 'all', noon)).toContain(`age="${said}"`)
  })
})
