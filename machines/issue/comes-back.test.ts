import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assign, type AnyStateMachine } from 'xstate'
import { drive, sent, types, type Drive } from '../drive.ts'
import { aTaskConfig as config } from '../testing/a-project.ts'
import { issueDefinition, issueMachine } from './machine.ts'

const id = 'default/lib-1'
const clock = 1_000_000_000
const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 1,
  state: 'open',
  title: 'Slugs lose digits',
  author: 'ann',
  url: 'u',
  bodyHash: 'body-1',
  editedByOther: false,
  selfProposed: false,
  humanCommented: true,
  wanted: true,
  unwantedByMaintainer: false,
  approvals: [] as object[],
  unclear: [],
  labels: { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd' },
  config,
}
const approval = (commentId: string, at: number) => ({ commentId, author: 'maya', bodyHash: `hash-${commentId}`, at })
const old = { approvals: [approval('c1', clock + 60_000)] }
const closed = { ...old, state: 'closed', closedBy: 'bot' }
const observe = (issue: Drive, more: object = {}, retry?: boolean) =>
  issue.send({ type: 'issue.observed', facts: { ...facts, ...more }, ...(retry ? { retry } : {}) })
const retry = (issue: Drive, state?: string) =>
  issue.send({ type: 'issue.command', command: 'retry', by: 'maya', ...(state ? { state } : {}) })
const plan = (issue: Drive, task: string) =>
  issue.send({ type: 'plan.written', task, noteId: 'n', planHash: 'plan-1', body: 'do it' })
const claim = (issue: Drive, task: string, commentId: string, planHash = 'plan-1') =>
  sent(
    issue.send({
      type: 'approval.claimed',
      task,
      planHash,
      claim: {
        issue: id,
        citation: { commentId, author: 'maya', quote: '/approve', span: '/approve', bodyHash: `hash-${commentId}` },
      },
    }),
    'task',
  ).map(({ type, reason = '' }) => `${String(type)} ${String(reason)}`)
const mint = (issue: Drive) => (issue.context.mint?.task ?? '') as string

/** Approved, granted and delivered by its first Task. */
function delivered(): { issue: Drive; first: string } {
  const issue = drive(issueMachine, id, clock)
  observe(issue)
  const first = mint(issue)
  issue.send({ type: 'issue.owned', task: first })
  plan(issue, first)
  issue.pass(120_000)
  observe(issue, old)
  expect(claim(issue, first, 'c1')).toEqual(['approval.granted '])
  issue.send({ type: 'task.delivered', task: first })
  observe(issue, closed)
  expect(issue.value).toEqual({ live: 'done' })
  return { issue, first }
}

function reopened(): { issue: Drive; first: string } {
  const it = delivered()
  it.issue.pass(60_000)
  observe(it.issue, old)
  return it
}

describe('an issue that comes back after its delivery (ISSUE-9)', () => {
  const ways: readonly (readonly [string, (issue: Drive) => ReturnType<typeof retry>])[] = [
    ["a maintainer's /retry", (issue) => retry(issue)],
    ['the trigger label, set anew by a maintainer', (issue) => observe(issue, old, true)],
  ]
  test.each(ways)('Issue done/asked: reopened, %s mints a new Task under a name of its own', (_name, ask) => {
    const { issue, first } = reopened()
    const effects = ask(issue)
    const [entry] = sent(effects, 'queue')
    expect(entry).toMatchObject({
      type: 'queue.enqueue',
      sort: 'mint',
      priority: 20,
      seed: { issues: [{ issue: id }] },
    })
    expect(entry?.['task']).not.toBe(first)
    expect(entry?.['entry']).toBe(`mint/${mint(issue)}`)
    expect(issue.value).toEqual({ live: 'refined' })
    expect(issue.context).toMatchObject({ labels: ['b'], deliveredBy: first })
    expect(sent(retry(issue), 'queue')).toEqual([])
  })

  test.each(ways)('LAW-25: after %s no plan and no approval of before counts, whatever is claimed', (_name, ask) => {
    const { issue } = reopened()
    ask(issue)
    const second = mint(issue)
    issue.send({ type: 'issue.owned', task: second })
    expect(claim(issue, second, 'c1')).toEqual(['approval.refused comment-approves'])
    expect(types(plan(issue, second))).toContain('postComment')
    expect(claim(issue, second, 'c1')).toEqual(['approval.refused comment-approves'])
    // Heard late, or edited: it is of before all the same.
    observe(issue, { approvals: [approval('c0', clock + 50_000), approval('c1', clock + 900_000)] })
    expect(claim(issue, second, 'c0')).toEqual(['approval.refused comment-approves'])
    expect(claim(issue, second, 'c1')).toEqual(['approval.refused comment-approves'])
    expect(issue.context).toMatchObject({ accepted: null, grant: null, status: 'refined' })
    issue.pass(1_000_000)
    observe(issue, { approvals: [...old.approvals, approval('c9', clock + 1_100_000)] })
    expect(claim(issue, second, 'c9')).toEqual(['approval.granted '])
    expect(types(issue.send({ type: 'task.delivered', task: second }))).toContain('closeIssue')
    expect(issue.context).toMatchObject({ status: 'done', deliveredBy: second })
  })

  test('Issue done/shown: reopened by anybody it says once how to go on, and asks for no Task', () => {
    const { issue } = delivered()
    const effects = observe(issue, old)
    expect(types(effects)).toEqual(['postComment'])
    expect(effects[0]?.params.body).toMatch(/maintainer.*`\/retry`/s)
    const words = { commentId: 'c7', author: 'ann', maintainer: false, text: '/retry' }
    expect(issue.send({ type: 'issue.commented', ...words })).toEqual([])
    expect(observe(issue, { ...old, title: 'Still there' })).toEqual([])
    expect(issue.send({ type: 'issue.offered' })).toEqual([])
    expect(issue.value).toEqual({ live: 'done' })
  })

  test('Issue done/shown: it is closed and reopened another time: shown another time', () => {
    const { issue } = reopened()
    expect(observe(issue, closed)).toEqual([])
    expect(types(observe(issue, old))).toEqual(['postComment'])
  })

  test.each([
    ['a maintainer’s /retry', (issue: Drive) => retry(issue)],
    ['the label', (issue: Drive) => observe(issue, closed, true)],
    [
      'a reporter’s /retry',
      (issue: Drive) =>
        issue.send({ type: 'issue.commented', commentId: 'c7', author: 'ann', maintainer: false, text: '/retry' }),
    ],
  ])('Issue done/shown: while it is closed %s is shown the way, once, also over the reopening', (_name, ask) => {
    const { issue } = delivered()
    expect(types(ask(issue))).toEqual(['postComment'])
    expect(ask(issue)).toEqual([])
    expect(observe(issue, old)).toEqual([])
    expect(sent(retry(issue), 'queue')).toHaveLength(1)
  })

  test('thanks on a delivered issue are answered by nobody', () => {
    const { issue } = delivered()
    const thanks = {
      commentId: 'c7',
      author: 'ann',
      maintainer: false,
      text: 'Thanks! The /retry of yesterday did it.',
    }
    expect(issue.send({ type: 'issue.commented', ...thanks })).toEqual([])
  })

  test('without the trigger label a /retry is shown the way: the label mints then', () => {
    const { issue } = delivered()
    observe(issue, { ...old, wanted: false })
    expect(sent(retry(issue), 'queue')).toEqual([])
    expect(sent(observe(issue, old, true), 'queue')).toHaveLength(1)
  })

  test('its Project is gone: nothing is minted, and in its next life the issue comes back as any', () => {
    const { issue } = reopened()
    issue.send({ type: 'issue.projectDeleted' })
    expect(sent(retry(issue), 'queue')).toEqual([])
    expect(sent(issue.send({ type: 'issue.projectApplied' }), 'queue')).toHaveLength(1)
  })

  test('what the Task of before says late changes nothing', () => {
    const { issue, first } = reopened()
    retry(issue)
    const before = issue.context
    issue.send({ type: 'task.ended', task: first, stage: 'failed', reason: 'late' })
    plan(issue, first)
    issue.send({ type: 'task.delivered', task: first })
    expect(issue.context).toEqual(before)
  })
})

/** What an Issue grants on that was said before a maintainer asked for its newest Task; remembered outside the machine. */
function grantedOfBefore(machine: AnyStateMachine, rounds: readonly { late: boolean; plan: string; waits: number }[]) {
  const issue = drive(machine, id, clock)
  let at = clock
  let heard: ReturnType<typeof approval>[] = []
  const breaches: string[] = []
  for (const [round, { late, plan: planHash, waits }] of rounds.entries()) {
    observe(issue, { approvals: late ? [] : heard })
    retry(issue, 'open')
    observe(issue, { approvals: heard })
    const task = mint(issue)
    issue.send({ type: 'issue.owned', task })
    issue.send({ type: 'plan.written', task, noteId: 'n', planHash, body: 'x' })
    for (const { commentId } of heard)
      if (claim(issue, task, commentId, planHash)[0]?.startsWith('approval.granted'))
        breaches.push(`${task} is granted on ${commentId}`)
    issue.pass(waits)
    at += waits
    heard = [...heard, approval(`c${round}`, at)]
    observe(issue, { approvals: heard })
    expect(claim(issue, task, `c${round}`, planHash)).toEqual(['approval.granted '])
    issue.send({ type: 'task.delivered', task })
    issue.pass(waits)
    at += waits
    observe(issue, { approvals: heard, state: 'closed', closedBy: 'bot' })
  }
  return breaches
}

describe('LAW-25 over histories of deliveries', () => {
  const rounds = fc.array(
    fc.record({
      late: fc.boolean(),
      plan: fc.constantFrom('plan-1', 'plan-2'),
      waits: fc.integer({ min: 1000, max: 90_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  test('no Task is granted on a word of before', () => {
    fc.assert(
      fc.property(rounds, (history) => {
        expect(grantedOfBefore(issueMachine, history)).toEqual([])
      }),
      { numRuns: 60, seed: 20261129 },
    )
  })
  test('an Issue that forgets which approvals are spent is found out', () => {
    const owns = ({ event }: { event: { task: string } }) => event.task
    const forgetful = issueMachine.provide({
      actions: { own: assign({ owner: owns, mint: null, boundPlans: {}, cameBackAt: undefined } as never) as never },
    })
    const same = { late: false, plan: 'plan-1', waits: 5000 }
    expect(grantedOfBefore(forgetful, [same, same])).toEqual([expect.stringContaining('is granted on c0')])
  })
})

test('R10: an Issue that was done in version 5 is closed as far as it knows, and comes back by a /retry on the open issue', () => {
  const { issue } = delivered()
  const { wayShown: _shown, deliveredBy: _by, ...context } = issue.context
  const stored = { value: { live: 'done' }, context: { ...context, facts: { ...context.facts, state: 'open' } } }
  expect(issueDefinition.upgrades[5]?.(stored)).toMatchObject({ context: { facts: { state: 'closed' } } })
  const live = { context: { delivered: false, facts: { state: 'open' } } }
  expect(issueDefinition.upgrades[5]?.(live)).toEqual(live)
  expect(sent(retry(issue, 'open'), 'queue')).toHaveLength(1)
})
