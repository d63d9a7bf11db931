/** Which of a head's checks count (CI-RULE-1, TOOL-CI-9), from the lists that GitHub answers with. */
import { expect, test } from 'vitest'
import { mergeWhenKnown, openChange } from '../outbound/testing/merges.ts'
import { withForgeEdge } from '../testing/fixture.ts'
import { ciReportOf, statusesOf } from './ci.ts'

type Conclusion = 'success' | 'failure' | 'cancelled'

/** One suite with one run of GitHub's own CI; the number is the id of both. */
function suiteAndRun(id: number, conclusion: Conclusion, name = 'test') {
  const ended = { id, status: 'completed', conclusion, app: { slug: 'github-actions' } }
  return { suite: { ...ended, latest_check_runs_count: 1 }, run: { ...ended, name, check_suite: { id } } }
}

function reported(...found: readonly ReturnType<typeof suiteAndRun>[]): readonly unknown[] {
  const suites = found.map(({ suite }) => suite)
  const { status, checks } = ciReportOf('s', suites, found.map(({ run }) => run).toReversed(), [])
  return [status, checks.map((check) => [check.name, check.status])]
}

test('a suite that a newer one cancelled counts no more, and what the newer one came to counts', () => {
  const [cancelled, green, red] = [suiteAndRun(1, 'cancelled'), suiteAndRun(2, 'success'), suiteAndRun(3, 'failure')]
  expect(reported(cancelled, green)).toEqual(['success', [['test', 'success']]])
  expect(reported(cancelled, red)).toEqual(['failure', [['test', 'failure']]])
  expect(reported(cancelled)).toEqual(['cancelled', [['test', 'cancelled']]])
})

test('a newer red run of a name counts beside an older green one', () => {
  const [status, checks] = reported(suiteAndRun(1, 'success'), suiteAndRun(2, 'failure'))
  expect(status).toBe('failure')
  expect(checks).toContainEqual(['test', 'failure'])
})

test.each([
  ['it failed: jobs of two workflows may have one name', suiteAndRun(1, 'failure'), {}, {}],
  ['the newer run has another name', suiteAndRun(1, 'cancelled', 'lint'), {}, {}],
  ['the newer run is of another app', suiteAndRun(1, 'cancelled'), { app: { slug: 'linter' } }, {}],
  ['the newer run is of the same suite', suiteAndRun(2, 'cancelled'), { id: 3 }, {}],
  ['not all of its runs are listed', suiteAndRun(1, 'cancelled'), {}, { latest_check_runs_count: 2 }],
  ['only its conclusion is red', { ...suiteAndRun(1, 'success'), suite: suiteAndRun(1, 'cancelled').suite }, {}, {}],
])('an older suite counts where %s', (_why, older, change, ofSuite) => {
  const { suite, run } = suiteAndRun(2, 'success')
  const { status } = ciReportOf('s', [{ ...older.suite, ...ofSuite }, suite], [{ ...run, ...change }, older.run], [])
  expect(status).toBe(older.suite.conclusion)
})

test.each(['success', 'failure'] as const)(
  'a suite that still runs counts as running after a job that is %s',
  (job) => {
    const { suite, run } = suiteAndRun(1, job)
    const report = ciReportOf('s', [{ ...suite, status: 'in_progress', conclusion: null }], [run], [])
    expect(report).toMatchObject({ status: 'running', unfinished: true })
  },
)

test('what GitHub counts and lists on no page counts as all of its statuses together', () => {
  const [one, other] = ['a', 'b'].map((context) => ({ context, state: 'success' }))
  const pages = (state: string, total: number) => [
    { state: 'success', statuses: [one!, other!], total_count: 2 },
    { state, statuses: [other!], total_count: total },
  ]
  const statusOf = (state: string, total: number): string =>
    ciReportOf('s', [], [], statusesOf(pages(state, total))).status
  expect(statusOf('success', 2)).toBe('success')
  expect(statusOf('failure', 3)).toBe('failure')
  expect(statusOf('pending', 3)).toBe('pending')
})

/** GitHub gives at most 100 statuses a page. */
const firstPage = Array.from({ length: 100 }, (_, at) => `ci/job-${String(at).padStart(3, '0')}`)

test.each([
  ['failure', [{ type: 'mr.ciRed', reason: 'zzz/last: failure' }]],
  ['pending', [{ type: 'mr.ciPending', reason: 'zzz/last: pending' }]],
  ['success', []],
] as const)('a required commit status of the second page that is %s is heard', async (state, expected) => {
  const repository = { protection: { main: { requiredChecks: ['zzz/last'] } } }
  await withForgeEdge({ repository }, async (fixture) => {
    const change = await openChange(fixture)
    const { repos } = fixture.octokit('maintainer')
    const post = (context: string, is: 'success' | typeof state): Promise<unknown> =>
      repos.createCommitStatus({ owner: 'acme', repo: 'library', sha: change.sha, state: is, context })
    for (const context of firstPage) await post(context, 'success')
    await post('zzz/last', state)
    expect((await mergeWhenKnown(fixture, change)).map(({ event }) => event)).toMatchObject(expected)
  })
})
