import { describe, expect, test } from 'vitest'
import { drive, sent, types, type Drive, type DrivenEffect } from '../drive.ts'
import { mergeRequestMachine } from './machine.ts'

const id = 'default/lib-mr-7'
const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 7,
  state: 'open',
  title: 'Keep digits',
  author: 'ann',
  url: 'http://forge/lib/pull/7',
  draft: false,
  headSha: 'sha-1',
  headBranch: 'digits',
  baseBranch: 'main',
  base: 'main',
  ci: 'success',
  mergeable: true,
  headByBot: false,
  pushedBy: 'ann',
  pushedByGated: true,
  wanted: false,
  config: { project: 'default/demo' },
}
const observe = (mr: Drive, more: object = {}) => mr.send({ type: 'mr.observed', facts: { ...facts, ...more } })
const task = 'default/implement-lib-1-abcde'

function seen(more: object = {}): Drive {
  const mr = drive(mergeRequestMachine, id)
  observe(mr, more)
  return mr
}
function owned(more: object = {}): Drive {
  const mr = seen(more)
  mr.send({ type: 'mr.owned', task })
  return mr
}
function withVerdict(): Drive {
  const mr = owned()
  mr.send({ type: 'verdict.posted', task, sha: 'sha-1', verdict: 'approve' })
  return mr
}
function merging(): Drive {
  const mr = withVerdict()
  mr.send({ type: 'merge.asked', task, sha: 'sha-1' })
  return mr
}
const toTask = (effects: readonly DrivenEffect[]) => sent(effects, 'task')

describe('ownership', () => {
  test('a human’s merge request that is wanted and owned by nobody: one review Task is asked for, and its goal has no title (BUNDLE-TEXT-11)', () => {
    const mr = drive(mergeRequestMachine, id)
    const effects = observe(mr, { wanted: true })
    const [entry] = sent(effects, 'queue')
    expect(entry).toMatchObject({ type: 'queue.enqueue', sort: 'mint', kind: 'review', class: 'normal' })
    expect(entry?.['task']).toMatch(/^default\/review-lib-7-[a-z0-9]{5}$/)
    expect(entry?.['seed']).toMatchObject({
      kind: 'review',
      goal: 'Review of lib!7',
      mergeRequests: [{ repository: 'lib', number: 7, mergeRequest: id, headSha: 'sha-1' }],
      issues: [],
    })
    expect(observe(mr, { wanted: true })).toEqual([])
  })
  test('not wanted: nobody is asked', () => {
    expect(observe(drive(mergeRequestMachine, id))).toEqual([])
  })
  test('a merge asked for on a head that has moved: the owner is told the head again, and nothing merges', () => {
    const mr = withVerdict()
    observe(mr, { headSha: 'sha-2' })
    expect(toTask(mr.send({ type: 'merge.asked', task, sha: 'sha-1' }))).toMatchObject([
      { type: 'mr.headMoved', sha: 'sha-2' },
    ])
    expect(mr.value).toBe('open')
    expect(toTask(mr.send({ type: 'merge.asked', task: 'default/other', sha: 'sha-1' }))).toEqual([])
  })
  test('a head that moved before its Task could say that it owns it is told with the ownership', () => {
    const mr = seen()
    expect(toTask(observe(mr, { headSha: 'sha-2' }))).toEqual([])
    expect(toTask(mr.send({ type: 'mr.owned', task }))).toMatchObject([{ type: 'mr.headMoved', sha: 'sha-2' }])
    expect(toTask(mr.send({ type: 'mr.owned', task }))).toEqual([])
  })
  test.each([
    ['closed', { wanted: true, state: 'closed' }],
    ['merged', { wanted: true, state: 'merged' }],
    ['no longer wanted', { wanted: false }],
  ])('%s before the review was minted: the entry is withdrawn', (_name, more) => {
    const mr = seen({ wanted: true })
    const { entry } = mr.context.mint
    expect(sent(observe(mr, more), 'queue')).toEqual([{ type: 'queue.withdraw', entry }])
  })
  test('MergeRequest owner/one: taken by another Task: the entry is withdrawn, exactly one owner (LAW-7, LAW-23)', () => {
    const mr = seen({ wanted: true })
    expect(sent(mr.send({ type: 'mr.owned', task }), 'queue').map(({ type }) => type)).toEqual(['queue.withdraw'])
    expect(mr.context).toMatchObject({ owner: task, mint: null })
  })
  test('a review that waited learns of the head it did not see', () => {
    const mr = seen({ wanted: true })
    const review = mr.context.mint.task
    observe(mr, { wanted: true, headSha: 'sha-2' })
    expect(toTask(mr.send({ type: 'mr.owned', task: review }))).toMatchObject([{ type: 'mr.headMoved', sha: 'sha-2' }])
  })
  test('released: no new Task until a person pushes, comments or asks', () => {
    for (const wake of [
      { type: 'mr.observed', facts: { ...facts, wanted: true, headSha: 'sha-2' } },
      { type: 'mr.commented', commentId: 'c', author: 'ann', maintainer: false, text: 'please', kind: 'mr_comment' },
      { type: 'mr.command', command: 'retry', by: 'maya', headSha: 'sha-1' },
    ]) {
      const mr = owned({ wanted: true })
      expect(sent(mr.send({ type: 'mr.released', task, reason: 'failed' }), 'queue')).toEqual([])
      expect(observe(mr, { wanted: true, title: 'x' })).toEqual([])
      expect(sent(mr.send(wake), 'queue').map(({ type }) => type)).toEqual(['queue.enqueue'])
    }
  })
  test('released by a Task that does not own it: nothing', () => {
    const mr = owned()
    mr.send({ type: 'mr.released', task: 'default/other', reason: 'failed' })
    expect(mr.context.owner).toBe(task)
  })
  test('the bot’s own push after a release wakes nobody (LAW-4)', () => {
    const mr = owned({ wanted: true })
    mr.send({ type: 'mr.released', task, reason: 'failed' })
    expect(observe(mr, { wanted: true, headSha: 'sha-2', headByBot: true })).toEqual([])
  })
})

describe('what the owner hears', () => {
  test.each([
    [
      'a new head',
      { headSha: 'sha-2' },
      { type: 'mr.headMoved', sha: 'sha-2', base: 'main', byOwnPod: false, gated: true, author: 'ann' },
    ],
    ['a new head by its own pod', { headSha: 'sha-2', headByBot: true }, { type: 'mr.headMoved', byOwnPod: true }],
    ['merged', { state: 'merged', mergeCommit: 'm1' }, { type: 'mr.merged', sha: 'sha-1', mergeCommit: 'm1' }],
    ['closed', { state: 'closed' }, { type: 'mr.closed' }],
    ['red CI', { ci: 'failure' }, { type: 'forge.event', kind: 'ci' }],
    ['a conflict', { mergeable: false }, { type: 'forge.event', kind: 'merge_conflict' }],
  ])('%s, once', (_name, more, event) => {
    const mr = owned()
    expect(toTask(observe(mr, more))).toMatchObject([{ ...event, repository: 'lib', number: 7 }])
    expect(observe(mr, more)).toEqual([])
  })
  test('nothing without an owner', () => {
    expect(observe(seen(), { headSha: 'sha-2', ci: 'failure' })).toEqual([])
  })
  test('red CI while a merge is asked is the merge’s own answer', () => {
    expect(observe(merging(), { ci: 'failure' })).toEqual([])
  })
  test('MergeRequest reopened/owner: reopened: the owner is asked', () => {
    const mr = owned()
    observe(mr, { state: 'closed' })
    expect(toTask(observe(mr))).toEqual([
      { type: 'mr.reopened', repository: 'lib', number: 7, sha: 'sha-1', base: 'main' },
    ])
    expect(mr.value).toBe('open')
  })
  test.each([
    ['merged', 'mr.merged'],
    ['closed', 'mr.closed'],
  ])('an owner who comes after it was %s is told (OWNERSHIP-3)', (state, type) => {
    const mr = seen({ state })
    expect(toTask(mr.send({ type: 'mr.owned', task }))).toMatchObject([{ type }])
  })
  test('owned before it was ever seen: the first sight tells head or end', () => {
    const mr = drive(mergeRequestMachine, id)
    mr.send({ type: 'mr.owned', task })
    expect(toTask(observe(mr, { headByBot: true }))).toMatchObject([{ type: 'mr.headMoved', byOwnPod: true }])
    const late = drive(mergeRequestMachine, id)
    late.send({ type: 'mr.owned', task })
    expect(toTask(observe(late, { state: 'merged' }))).toMatchObject([{ type: 'mr.merged' }])
  })
  test('comments, events and commands reach the owner', () => {
    const mr = owned()
    expect(
      toTask(
        mr.send({
          type: 'mr.commented',
          commentId: 'c',
          author: 'ann',
          maintainer: true,
          text: 'ok',
          kind: 'mr_review',
        }),
      ),
    ).toEqual([
      {
        type: 'human.commented',
        repository: 'lib',
        number: 7,
        author: 'ann',
        kind: 'mr_review',
        maintainer: true,
        on: 'mr',
        text: 'ok',
      },
    ])
    expect(toTask(mr.send({ type: 'mr.event', kind: 'push', author: 'ann', text: 't' }))).toMatchObject([
      { type: 'forge.event', kind: 'push', text: 't' },
    ])
    const said = { kind: 'mr_review', text: 'B please' }
    expect(
      toTask(mr.send({ type: 'mr.command', command: 'goAhead', by: 'maya', headSha: 'sha-1', ...said })),
      'OUTCOME-IMPLEMENT-20',
    ).toEqual([
      { type: 'mr.goAhead', by: 'maya', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }], ...said },
    ])
    expect(toTask(mr.send({ type: 'mr.command', command: 'goAhead', by: 'maya', headSha: 'sha-1' }))).toEqual([
      { type: 'mr.goAhead', by: 'maya', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }] },
    ])
    const budget = { type: 'mr.command', command: 'budget', by: 'maya', headSha: '', amount: 500 }
    expect(toTask(mr.send(budget))).toEqual([{ type: 'budget.refused', by: 'maya', amount: 500, left: 0 }])
    expect(toTask(mr.send({ type: 'mr.command', command: 'cancel', by: 'maya', headSha: '' }))).toMatchObject([
      { type: 'task.close', by: 'maya' },
    ])
    expect(toTask(mr.send({ type: 'mr.command', command: 'retry', by: 'maya', headSha: '' }))).toEqual([
      { type: 'task.retry', by: 'maya' },
    ])
  })
})

describe('verdict and merge', () => {
  test('MergeRequest verdict/posted: a verdict on the head that stands, by the owner (MERGE-REQUEST-RESOURCE-4)', () => {
    const mr = withVerdict()
    expect(mr.value).toBe('verdictPosted')
    expect(mr.context.verdict).toMatchObject({ task, sha: 'sha-1', value: 'approve' })
  })
  test.each([
    ['another head', { task, sha: 'sha-0' }],
    ['another Task', { task: 'default/other', sha: 'sha-1' }],
  ])('a verdict of %s is none', (_name, more) => {
    const mr = owned()
    mr.send({ type: 'verdict.posted', verdict: 'approve', ...more })
    expect(mr.value).toBe('open')
  })
  test.each([
    ['a new head', { headSha: 'sha-2' }],
    ['a new base', { baseBranch: 'next' }],
    ['a draft', { draft: true }],
  ])('MergeRequest open/voided: %s voids the verdict, in verdictPosted and in merging (HEAD-1)', (_name, more) => {
    for (const make of [withVerdict, merging]) {
      const mr = make()
      observe(mr, more)
      expect(mr.value).toBe('open')
      expect(mr.context.verdict).toBeNull()
    }
  })
  test('a draft is never merged (HEAD-1)', () => {
    const mr = owned({ draft: true })
    mr.send({ type: 'merge.asked', task, sha: 'sha-1' })
    expect(mr.value).toBe('open')
  })
  test('MergeRequest merging/left: merge refused or left: open', () => {
    const mr = merging()
    mr.send({ type: 'merge.left', task, reason: 'refused' })
    expect(mr.value).toBe('open')
  })
  test('a new owner starts without a verdict; the same one again changes nothing', () => {
    const mr = withVerdict()
    mr.send({ type: 'mr.owned', task })
    expect(mr.value).toBe('verdictPosted')
    mr.send({ type: 'mr.owned', task: 'default/other' })
    expect(mr.value).toBe('open')
    expect(mr.context.verdict).toBeNull()
  })
  test('MergeRequest merged/absorbs: merged absorbs (MERGE-REQUEST-RESOURCE-4)', () => {
    const mr = merging()
    expect(types(observe(mr, { state: 'merged', mergeCommit: 'm' }))).toEqual(['task<mr.merged'])
    expect(mr.value).toBe('merged')
    expect(observe(mr, { headSha: 'sha-9' })).toEqual([])
    expect(mr.value).toBe('merged')
  })
  test('a merge that a human did is believed too', () => {
    const mr = seen()
    expect(observe(mr, { state: 'merged' })).toEqual([])
    expect(mr.value).toBe('merged')
  })
})

describe('facts of an older telling, which come last where two orchestrators work side by side', () => {
  const states = { open: owned, verdictPosted: withVerdict, merging }

  test.each(Object.entries(states))('%s: change nothing', (state, begin) => {
    const mr = begin()
    observe(mr, { revision: 7 })
    for (const older of [{ headSha: 'sha-0' }, { state: 'closed' }, { state: 'merged' }, { draft: true }])
      expect(observe(mr, { revision: 6, ...older })).toEqual([])
    expect(mr.value).toBe(state)
    expect(mr.context).toMatchObject({ facts: { headSha: 'sha-1', revision: 7 } })
  })

  test('closed: do not reopen it (MERGE-REQUEST-RESOURCE-4)', () => {
    const mr = owned()
    observe(mr, { state: 'closed', revision: 7 })
    expect(observe(mr, { revision: 6 })).toEqual([])
    expect(mr.value).toBe('closed')
  })
})

describe('handed over', () => {
  const heir = 'default/implement-lib-7-heir0'
  const handed = { type: 'mr.handedOver', task, to: heir, entry: `mint/${heir}` }

  test.each([
    ['open', owned],
    ['verdictPosted', withVerdict],
    ['merging', merging],
  ] as const)(
    'MergeRequest handedOver/open: in %s it waits for the heir, the verdict void, and asks for no review',
    (_state, make) => {
      const mr = make()
      expect(sent(mr.send(handed), 'queue')).toEqual([])
      expect([mr.value, mr.context.owner, mr.context.verdict, mr.context.mint?.task]).toEqual(['open', '', null, heir])
      expect(sent(observe(mr, { wanted: true, headSha: 'sha-2' }), 'queue')).toEqual([])
    },
  )

  test('MergeRequest handedOver/heir: it is told of a head that moved while it waited for its slot', () => {
    const mr = owned()
    mr.send(handed)
    observe(mr, { headSha: 'sha-2' })
    const told = toTask(mr.send({ type: 'mr.owned', task: heir }))
    expect(told).toEqual([expect.objectContaining({ type: 'mr.headMoved', sha: 'sha-2' })])
    expect(mr.context.owner).toBe(heir)
  })

  test('MergeRequest handedOver/heir: closed meanwhile, the entry is not taken back, and the heir is told', () => {
    const mr = owned()
    mr.send(handed)
    expect(sent(observe(mr, { state: 'closed' }), 'queue')).toEqual([])
    expect(toTask(mr.send({ type: 'mr.owned', task: heir }))).toEqual([expect.objectContaining({ type: 'mr.closed' })])
  })

  test('the word of a Task that does not own it changes nothing', () => {
    const mr = withVerdict()
    mr.send({ ...handed, task: 'default/other' })
    expect([mr.value, mr.context.owner]).toEqual(['verdictPosted', task])
  })

  test('OWNERSHIP-10: /takeover goes to the owner, with the comment that says it', () => {
    const command = { type: 'mr.command', command: 'takeover', by: 'ann', headSha: 'sha-1', commentId: 'c9' }
    expect(toTask(owned().send(command))).toEqual([
      expect.objectContaining({ type: 'takeover.accepted', repository: 'lib', number: 7, by: 'ann', commentId: 'c9' }),
    ])
    expect(seen().send(command)).toEqual([])
  })
})
