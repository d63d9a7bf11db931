/** What the runs of the four blocks do. */
import { describe, expect, test } from 'vitest'
import { sent, types, type DrivenEffect } from '../drive.ts'
import {
  anIssue,
  type AProject,
  backlogWith,
  everyTen,
  hour,
  liveTask,
  minute,
  planned,
  settingsWith,
} from '../testing/a-project.ts'
import type { Backlog, ScheduleSettings } from './events.ts'

const scanning = (given: Partial<ScheduleSettings> = {}): ScheduleSettings =>
  settingsWith({ issueScan: { schedule: everyTen, maxPerRepo: 9 }, ...given })

const enqueued = (effects: readonly DrivenEffect[]) =>
  sent(effects, 'queue').filter(({ type }) => type === 'queue.enqueue')
const offered = (effects: readonly DrivenEffect[]): readonly string[] =>
  effects
    .filter(({ type, params }) => type === 'deliver' && /^(issue|merge-request):/.test(params.to))
    .map(({ params }) => params.to)

/** At the first reading of a scan. */
function scan(settings: ScheduleSettings = scanning()): AProject {
  const project = planned('issueScan', settings)
  project.it.fire('issueScan')
  project.resynced('issueScan')
  return project
}

/** The backlog was refined once: from here on it is handed out at the first reading. */
function sweep(backlog: Backlog, settings: ScheduleSettings = scanning()): readonly DrivenEffect[] {
  const project = scan(settings)
  const [refine] = enqueued(project.read('issueScan', backlog))
  if (!refine) throw new Error('no refine')
  project.ended(String(refine['task']))
  return project.read('issueScan', backlog)
}

describe('the pre-step', () => {
  test('Project sweep/order: SCHEDULE-6: the mirror is refreshed, then refined, then handed out (PROJECT-CRON-3, SERVICE-1, CRON-2, CRON-4, SCHEDULE-8)', () => {
    const project = planned('issueScan', scanning())
    expect(project.it.fire('issueScan')).toEqual([
      { type: 'resyncMirror', params: { project: 'default/demo', run: 'issueScan/1' } },
    ])
    expect(types(project.resynced('issueScan'))).toEqual(['readBacklog'])
    const backlog = backlogWith({ issues: [anIssue(1)] })
    const refine = enqueued(project.read('issueScan', backlog))
    expect(refine).toMatchObject([
      { kind: 'refine', sort: 'mint', class: 'normal', priority: 80, seed: { repositories: ['lib', 'docs'] } },
    ])
    expect(types(project.ended(String(refine[0]?.['task'])))).toEqual(['readBacklog'])
    expect(offered(project.read('issueScan', backlog))).toEqual(['issue:default/lib-1'])
  })

  test('another resync is no answer: only the one that the run asked for', () => {
    const project = planned('issueScan', scanning())
    project.it.fire('issueScan')
    project.it.send({ type: 'project.resynced' })
    expect(project.at('issueScan')).toEqual({ running: 'refreshing' })
  })

  test('a forge that cannot be read back for good does not end the run', () => {
    const project = planned('issueScan', scanning())
    project.it.fire('issueScan')
    project.it.send({ type: 'effect.failed', effect: 'resyncMirror', reason: '403', key: 'k' })
    expect([project.at('issueScan'), project.block('issueScan').trouble]).toEqual([{ running: 'reading' }, '403'])
  })

  test('Project sweep/refine-skipped: SCHEDULE-7: skipped, and counted as done, when no owned or new issue changed since (CRON-4)', () => {
    const backlog = backlogWith({ issues: [anIssue(1), anIssue(2)] })
    const project = scan()
    project.ended(String(enqueued(project.read('issueScan', backlog))[0]?.['task']))
    project.read('issueScan', backlog)
    const refinedAt = project.it.context.scheduled.refine.last
    const again = (next: Backlog): readonly DrivenEffect[] => {
      project.plan('issueScan', everyTen, 10 * minute)
      project.it.fire('issueScan')
      project.resynced('issueScan')
      return enqueued(project.read('issueScan', next)) as never
    }
    // One that is over now is no change.
    expect(again(backlogWith({ issues: [anIssue(2)] }))).toEqual([])
    expect(project.it.context.scheduled.refine.last).toBeGreaterThan(refinedAt)
    expect(again(backlogWith({ issues: [anIssue(2), anIssue(3)] })).length).toBe(1)
  })

  test('an issue that came while the refine ran is refined before the next scan', () => {
    const project = scan()
    const [refine] = enqueued(project.read('issueScan', backlogWith({ issues: [anIssue(1)] })))
    project.ended(String(refine?.['task']))
    project.read('issueScan', backlogWith({ issues: [anIssue(1), anIssue(2)] }))
    expect(project.it.context.scheduled.refine.seen).toEqual(['lib1'])
  })

  test.each(['failed', 'rejected'])('a refine that ended %s is not begun again for the same issues', (stage) => {
    const project = scan()
    const backlog = backlogWith({ issues: [anIssue(1)] })
    project.ended(String(enqueued(project.read('issueScan', backlog))[0]?.['task']), stage)
    expect(offered(project.read('issueScan', backlog))).toEqual(['issue:default/lib-1'])
    expect(project.it.context.scheduled.refine).toMatchObject({ seen: ['lib1'], last: null })
  })

  test('Project sweep/refine-held: SCHEDULE-6: held, the scan goes on after 30 minutes and says so', () => {
    const project = scan()
    const backlog = backlogWith({ issues: [anIssue(1)] })
    project.read('issueScan', backlog)
    expect(project.it.timers()['refineWait']).toBe(30 * minute)
    project.it.fire('refineWait')
    expect(offered(project.read('issueScan', backlog))).toEqual(['issue:default/lib-1'])
    expect(project.block('issueScan').trouble).toBe('the refine before it did not end in 30 minutes')
  })

  test('a refine that lives is waited for, not doubled; its end is kept when nobody waits any more', () => {
    const project = scan()
    const backlog = backlogWith({ issues: [anIssue(1)] })
    const task = String(enqueued(project.read('issueScan', backlog))[0]?.['task'])
    project.it.fire('refineWait')
    const living = { ...backlog, tasks: [liveTask('refine', { task })] }
    project.read('issueScan', living)
    project.plan('issueScan', everyTen, 10 * minute)
    project.it.fire('issueScan')
    project.resynced('issueScan')
    expect(enqueued(project.read('issueScan', living))).toEqual([])
    expect(project.at('issueScan')).toEqual({ running: 'refining' })
    project.it.fire('runEnds')
    project.ended(task)
    expect(project.it.context.scheduled.refine).toMatchObject({ task: '', seen: ['lib1'] })
  })
})

describe('the sweep', () => {
  const many = (count: number): Backlog['issues'] => Array.from({ length: count }, (_, index) => anIssue(index + 1))

  test('Project sweep/new: at most maxNewTasksPerSweep, oldest first (PROJECT-9)', () => {
    const effects = sweep(backlogWith({ issues: many(9) }), scanning({ maxNewTasksPerSweep: 2 }))
    expect(offered(effects)).toEqual(['issue:default/lib-1', 'issue:default/lib-2'])
  })

  const tasks = [
    liveTask('review', { task: 'a' }),
    liveTask('implement', { task: 'b', repositories: ['other'] }),
    liveTask('implement', { task: 'c', open: false }),
  ]
  const sweepOf = (count: number, given: Partial<ScheduleSettings>): number =>
    offered(sweep(backlogWith({ issues: many(count), tasks }), scanning(given))).length

  test('Project sweep/open: PROJECT-11: a sweep that would exceed maxOpenTasks hands out nothing in that pass', () => {
    const caps = { maxNewTasksPerSweep: 3, maxOpenTasks: 5 }
    expect([sweepOf(3, caps), sweepOf(9, caps)]).toEqual([3, 3])
    expect([sweepOf(3, { ...caps, maxOpenTasks: 4 }), sweepOf(2, { ...caps, maxOpenTasks: 4 })]).toEqual([0, 2])
    expect(sweepOf(9, { maxOpenTasks: 1 })).toBe(0)
  })

  test('SCHEDULE-9: maxOpenTasks counts live and unminted Tasks, not parked ones and none that merges', () => {
    expect([sweepOf(1, { maxOpenTasks: 3 }), sweepOf(1, { maxOpenTasks: 2 })]).toEqual([1, 0])
  })

  test('PROJECT-11: a sweep over the cap offers no merge request either, and offers its head once there is room', () => {
    const mergeRequests = [1, 2].map((number) => ({
      mergeRequest: `default/lib-mr-${number}`,
      repository: 'lib',
      headSha: `s${number}`,
    }))
    const backlog = backlogWith({ mergeRequests, tasks })
    const project = scan(scanning({ maxOpenTasks: 3 }))
    expect(offered(project.read('issueScan', backlog))).toEqual([])
    project.plan('issueScan', everyTen, 10 * minute)
    project.it.fire('issueScan')
    project.resynced('issueScan')
    expect(offered(project.read('issueScan', { ...backlog, tasks: [] }))).toEqual([
      'merge-request:default/lib-mr-1',
      'merge-request:default/lib-mr-2',
    ])
  })

  test('PROJECT-11: a sweep is never larger than maxOpenTasks, so that a small cap still hands out', () => {
    const backlog = backlogWith({ issues: many(9) })
    expect(offered(sweep(backlog, scanning({ maxNewTasksPerSweep: 5, maxOpenTasks: 2 }))).length).toBe(2)
  })

  test('Project sweep/lane: each repository has its lane (PROJECT-CRON-4)', () => {
    const issues = [anIssue(1), anIssue(2), anIssue(3, 'app'), anIssue(4, 'app')]
    const settings = scanning({ issueScan: { schedule: everyTen, maxPerRepo: 1 } })
    expect(offered(sweep(backlogWith({ issues }), settings))).toEqual(['issue:default/lib-1', 'issue:default/app-3'])
    const tasks = [liveTask('implement', { repositories: ['lib'] })]
    expect(offered(sweep(backlogWith({ issues, tasks }), settings))).toEqual(['issue:default/app-3'])
  })

  test('an issue that waits for no sweep is not offered', () => {
    expect(offered(sweep(backlogWith({ issues: [anIssue(1, 'lib', false)] })))).toEqual([])
  })

  test('Project sweep/re-review: what room is left goes to open merge requests that nobody looks at, each head once (CRON-2, CRON-5)', () => {
    const mergeRequests = [1, 2].map((number) => ({
      mergeRequest: `default/lib-mr-${number}`,
      repository: 'lib',
      headSha: `s${number}`,
    }))
    const project = scan(scanning({ maxNewTasksPerSweep: 2 }))
    const backlog = backlogWith({ issues: [anIssue(1)], mergeRequests })
    project.ended(String(enqueued(project.read('issueScan', backlog))[0]?.['task']))
    const effects = project.read('issueScan', backlog)
    expect(offered(effects)).toEqual(['issue:default/lib-1', 'merge-request:default/lib-mr-1'])
    expect(sent(effects, 'merge-request')).toEqual([{ type: 'mr.offered', headSha: 's1' }])
    const next = (): readonly string[] => {
      project.plan('issueScan', everyTen, 10 * minute)
      project.it.fire('issueScan')
      project.resynced('issueScan')
      return offered(project.read('issueScan', { ...backlog, issues: [] }))
    }
    expect(next()).toEqual(['merge-request:default/lib-mr-2'])
    expect(next()).toEqual([])
  })

  test('nothing to do is a run that is done', () => {
    const project = scan()
    project.read('issueScan')
    expect(project.block('issueScan').last).toBe(project.it.context.at)
  })
})

describe('the brainstorm', () => {
  const dreaming = (given: Partial<ScheduleSettings['brainstorm']> = {}): ScheduleSettings =>
    settingsWith({
      brainstorm: {
        schedule: everyTen,
        targetOpenProposals: 3,
        minSessionIntervalMs: 12 * minute,
        guidance: '',
        ...given,
      },
    })
  function session(settings: ScheduleSettings = dreaming(), backlog: Backlog = backlogWith()) {
    const project = planned('brainstorm', settings)
    project.it.fire('brainstorm')
    project.resynced('brainstorm')
    const [entry] = enqueued(project.read('brainstorm', backlog))
    return { project, entry, task: String(entry?.['task']) }
  }

  test('Project brainstorm/refill: one Task towards the target, which the guidance closes verbatim (PROJECT-SCM-14, PROJECT-CRON-6, SERVICE-1, CRON-6, CRON-7)', () => {
    const { entry, project, task } = session(dreaming({ guidance: 'Prefer <small> things.' }))
    expect(entry).toMatchObject({ kind: 'brainstorm', priority: 100, seed: { origin: { kind: 'cron' } } })
    expect((entry?.['seed'] as { goal: string } | undefined)?.goal).toMatch(/\n\nPrefer <small> things\.$/)
    expect(project.at('brainstorm')).toEqual({ running: 'working' })
    project.ended('default/another')
    expect(project.at('brainstorm')).toEqual({ running: 'working' })
    project.ended(task)
    expect(project.block('brainstorm').last).toBe(project.it.context.at)
  })

  test('Project brainstorm/full: a full backlog begins no session, and closes nothing to come down to the target (PROJECT-CRON-8)', () => {
    const { project, entry } = session(dreaming(), backlogWith({ openProposals: 5 }))
    expect([entry, project.at('brainstorm')]).toEqual([undefined, 'planning'])
    expect(project.block('brainstorm').last).not.toBeNull()
  })

  test('Project brainstorm/floor: the next session waits for the floor, and is not dropped (PROJECT-CRON-12)', () => {
    const { project, task } = session()
    project.it.pass(minute)
    project.ended(task)
    project.plan('brainstorm', everyTen, 4 * minute)
    project.it.fire('brainstorm')
    expect([project.at('brainstorm'), project.it.timers()['brainstorm']]).toEqual(['resting', 7 * minute])
    project.it.fire('brainstorm')
    expect(project.at('brainstorm')).toEqual({ running: 'refreshing' })
  })

  test('without a floor the next session follows at once', () => {
    const { project, task } = session(dreaming({ minSessionIntervalMs: 0 }))
    project.ended(task)
    project.plan('brainstorm', everyTen, 0)
    project.it.fire('brainstorm')
    expect(project.at('brainstorm')).toEqual({ running: 'refreshing' })
  })

  test('a session that failed is no completion, and says why', () => {
    const { project, task } = session()
    project.ended(task, 'failed')
    expect(project.block('brainstorm')).toMatchObject({ last: null, trouble: 'its Task ended failed: failed' })
  })

  test('a scan that waits for the same refine goes on with it (CRON-4)', () => {
    const both = settingsWith({ ...dreaming(), issueScan: { schedule: everyTen, maxPerRepo: 1 } })
    const project = planned('issueScan', both)
    project.plan('brainstorm', everyTen, 10 * minute)
    project.it.fire('issueScan')
    project.resynced('issueScan')
    const backlog = backlogWith({ issues: [anIssue(1)] })
    const task = String(enqueued(project.read('issueScan', backlog))[0]?.['task'])
    project.it.fire('brainstorm')
    project.resynced('brainstorm')
    expect(enqueued(project.read('brainstorm', { ...backlog, tasks: [liveTask('refine', { task })] }))).toEqual([])
    project.ended(task)
    expect([project.at('issueScan'), project.at('brainstorm')]).toEqual([
      { running: 'rereading' },
      { running: 'rereading' },
    ])
  })
})

describe('documentation and upgrades', () => {
  const nightly = settingsWith({ documentation: { schedule: '0 3 * * *', maxPerRepo: 1 } })
  const upgrading = settingsWith({ upgrade: { schedule: '0 4 * * *', maxOpenUpgrades: 2 } })
  function tick(name: 'documentation' | 'upgrade', settings: ScheduleSettings, backlog: Backlog) {
    const project = planned(name, settings)
    project.it.pass(30 * hour)
    project.it.fire(name)
    return { project, entries: enqueued(project.read(name, backlog)) }
  }

  test('Project documentation/batch: one Task a night for the last 24 hours, in the repository of the documentation (PROJECT-CRON-15, SERVICE-1, CRON-9)', () => {
    const { entries, project } = tick('documentation', nightly, backlogWith({ documentation: 'docs' }))
    expect(entries).toMatchObject([{ kind: 'documentation', seed: { repositories: ['docs'] } }])
    const since = new Date(project.it.context.at - 24 * hour).toISOString()
    expect((entries[0]?.['seed'] as { goal: string } | undefined)?.goal).toContain(since)
  })

  test('Project documentation/lane: none while maxPerRepo of them live there (PROJECT-CRON-15)', () => {
    const tasks = [liveTask('documentation', { repositories: ['docs'], open: false })]
    expect(tick('documentation', nightly, backlogWith({ documentation: 'docs', tasks })).entries).toEqual([])
  })

  test('documentation that is enrolled nowhere is said', () => {
    const { project, entries } = tick('documentation', nightly, backlogWith())
    expect([entries, project.block('documentation').trouble]).toEqual([
      [],
      'documentation.repo is not enrolled as a Repository',
    ])
  })

  test('Project upgrade/one: each due tick mints at most one (PROJECT-CRON-18, SERVICE-1, CRON-10)', () => {
    const { entries } = tick('upgrade', upgrading, backlogWith({ tasks: [liveTask('upgrade')] }))
    expect(entries.map(({ kind }) => kind)).toEqual(['upgrade'])
  })

  test('Project upgrade/cap: maxOpenUpgrades counts live ones, parked or not, and unminted ones (CRON-10)', () => {
    const tasks = [liveTask('upgrade', { task: 'a', open: false }), liveTask('upgrade', { task: 'b' })]
    expect(tick('upgrade', upgrading, backlogWith({ tasks })).entries).toEqual([])
  })

  test.each([
    ['documentation', nightly],
    ['upgrade', upgrading],
  ] as const)(
    'PROJECT-STATUS-11: the %s is complete when its Task is delivered, not when it is minted',
    (name, settings) => {
      const { project, entries } = tick(name, settings, backlogWith({ documentation: 'docs' }))
      expect(project.block(name).last).toBeNull()
      project.it.pass(hour)
      project.ended('default/another')
      expect(project.block(name).last).toBeNull()
      project.ended(String(entries[0]?.['task']))
      expect(project.block(name)).toMatchObject({ last: project.it.context.at, trouble: '' })
    },
  )

  test('PROJECT-STATUS-11: a Task that failed completes nothing, and says why', () => {
    const { project, entries } = tick('upgrade', upgrading, backlogWith())
    project.ended(String(entries[0]?.['task']), 'failed')
    expect(project.block('upgrade')).toMatchObject({ last: null, trouble: 'its Task ended failed: failed' })
  })

  test('PROJECT-STATUS-11: each of several Tasks that live completes its run, also after a later run began', () => {
    const project = planned('upgrade', upgrading)
    const mint = (): string => {
      project.it.fire('upgrade')
      const [entry] = enqueued(project.read('upgrade'))
      project.plan('upgrade', '0 4 * * *', hour)
      return String(entry?.['task'])
    }
    const [first, second] = [mint(), mint()]
    project.ended(first)
    expect(project.block('upgrade').last).toBe(project.it.context.at)
    project.it.pass(hour)
    project.ended(second)
    const { last } = project.block('upgrade')
    expect(last).toBe(project.it.context.at)
    project.it.pass(hour)
    project.ended(second)
    expect(project.block('upgrade').last).toBe(last)
  })

  test('each run names its Task anew', () => {
    const project = planned('upgrade', upgrading)
    const names = [1, 2].map(() => {
      project.it.fire('upgrade')
      const [entry] = enqueued(project.read('upgrade'))
      project.plan('upgrade', '0 4 * * *', minute)
      return entry?.['task']
    })
    expect(new Set(names).size).toBe(2)
  })
})

test.each([
  ['issueScan', { issueScan: { schedule: everyTen, maxPerRepo: 1 } }],
  ['brainstorm', { brainstorm: { schedule: everyTen, targetOpenProposals: 3, minSessionIntervalMs: 0, guidance: '' } }],
  ['documentation', { documentation: { schedule: everyTen, maxPerRepo: 1 } }],
  ['upgrade', { upgrade: { schedule: everyTen, maxOpenUpgrades: 1 } }],
] as const)('%s: a Project to which no Repository belongs yet mints nothing, and says why', (name, scheduled) => {
  const project = planned(name, settingsWith(scheduled))
  project.it.fire(name)
  if (name === 'issueScan' || name === 'brainstorm') project.resynced(name)
  const bare = backlogWith({ issues: [anIssue(1)], documentation: 'docs', repositories: [] })
  expect(enqueued(project.read(name, bare))).toEqual([])
  expect(project.at(name)).toBe('planning')
  expect(project.block(name)).toMatchObject({ trouble: 'no Repository is enrolled', mintedAt: null, last: null })
})
