/** Which of a head's checks count (CI-RULE-1, TOOL-CI-9), from the lists that GitHub answers with. */
import { expect, test } from 'vitest'
import { mergeWhenKnown, openChange } from '../outbound/testing/merges.ts'
import { withForgeEdge } from '../testing/fixture.ts'
import { ciReportOf } from './ci.ts'

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

test('of one app and name the newest run counts, as a required check is judged by it', () => {
  const [cancelled, green, red] = [suiteAndRun(1, 'cancelled'), suiteAndRun(2, 'success'), suiteAndRun(3, 'failure')]
  expect(reported(cancelled, green)).toEqual(['success', [['test', 'success']]])
  expect(reported(cancelled, green, red)).toEqual(['failure', [['test', 'failure']]])
  expect(reported(cancelled)).toEqual(['cancelled', [['test', 'cancelled']]])
})

test('a run of another name or app, and a suite of which no run is listed, are superseded by nothing', () => {
  const [cancelled, green] = [suiteAndRun(1, 'cancelled', 'lint'), suiteAndRun(2, 'success')]
  expect(reported(cancelled, green)[0]).toBe('cancelled')
  const ofAnother = { ...suiteAndRun(1, 'failure').run, app: { slug: 'linter' } }
  expect(ciReportOf('s', [], [ofAnother, green.run], []).status).toBe('failure')
  expect(ciReportOf('s', [cancelled.suite, green.suite], [green.run], []).status).toBe('cancelled')
})

test.each(['success', 'failure'] as const)(
  'a suite that still runs counts as running after a job that is %s',
  (job) => {
    const { suite, run } = suiteAndRun(1, job)
    const report = ciReportOf('s', [{ ...suite, status: 'in_progress', conclusion: null }], [run], [])
    expect(report).toMatchObject({ status: 'running', unfinished: true })
  },
)

/** GitHub gives at most 100 statuses a page. */
const firstPage = Array.from({ length: 100 }, (_, at) => `ci/job-${String(at).padStart(3, '0')}`)

test.each([
  ['failure', ['mr.ciRed']],
  ['pending', ['mr.ciPending']],
  ['success', []],
] as const)('a required commit status of the second page that is %s is heard', async (state, expected) => {
  const repository = { protection: { main: { requiredChecks: ['zzz/last'] } } }
  await withForgeEdge({ repository }, async (fixture) => {
    const change = await openChange(fixture)
    const { repos } = fixture.octokit('bot')
    const post = (context: string, is: 'success' | typeof state): Promise<unknown> =>
      repos.createCommitStatus({ owner: 'acme', repo: 'library', sha: change.sha, state: is, context })
    for (const context of firstPage) await post(context, 'success')
    await post('zzz/last', state)
    expect((await mergeWhenKnown(fixture, change)).map(({ event }) => event.type)).toEqual(expected)
  })
})
