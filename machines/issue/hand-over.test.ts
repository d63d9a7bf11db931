import { describe, expect, test } from 'vitest'
import { drive, sent, type Drive } from '../drive.ts'
import { issueDefinition, issueMachine } from './machine.ts'

const id = 'default/lib-1'
const task = 'default/implement-lib-1-aaaaa'
const heir = 'default/implement-fold-2-bbbbb'
const handed = { type: 'issue.handedOver', task, to: heir, entry: `mint/${heir}` }
const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 1,
  state: 'open',
  title: 'Slugs lose digits',
  author: 'ann',
  url: 'u',
  bodyHash: 'b',
  editedByOther: false,
  selfProposed: false,
  humanCommented: true,
  wanted: true,
  unwantedByMaintainer: false,
  approvals: [],
  unclear: [],
  labels: { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd', priority: 'p' },
  config: { project: 'default/demo', autoApproveMaxSignificance: 'off' },
}
const observe = (issue: Drive, more: object = {}) =>
  issue.send({ type: 'issue.observed', facts: { ...facts, ...more } })

function owned(): Drive {
  const issue = drive(issueMachine, id)
  observe(issue)
  issue.send({ type: 'issue.owned', task })
  return issue
}

describe('handed over', () => {
  test('Issue handedOver/owner: it waits for the heir, and asks for no Task of its own', () => {
    const issue = owned()
    expect(sent(issue.send(handed), 'queue')).toEqual([])
    expect([issue.context.owner, issue.context.mint]).toEqual(['', { task: heir, entry: `mint/${heir}`, shared: true }])
    expect(sent(observe(issue, { title: 'Other' }), 'queue')).toEqual([])
  })

  test('Issue handedOver/owner: the word of a Task that does not own it changes nothing', () => {
    const issue = owned()
    issue.send({ ...handed, task: 'default/other' })
    expect(issue.context.owner).toBe(task)
  })

  test('Issue handedOver/closed: closed meanwhile, the entry stays, for others wait for it; the heir is told', () => {
    const issue = owned()
    issue.send(handed)
    expect(sent(observe(issue, { state: 'closed', closedBy: 'human' }), 'queue')).toEqual([])
    expect(sent(issue.send({ type: 'issue.owned', task: heir }), 'task')).toEqual([
      expect.objectContaining({ type: 'issue.closed' }),
    ])
  })

  test('the heir owns it once it is minted, and a grant of the old owner does not stand for it', () => {
    const issue = owned()
    issue.send(handed)
    issue.send({ type: 'issue.owned', task: heir })
    expect([issue.context.owner, issue.context.mint, issue.context.grant]).toEqual([heir, null, null])
  })
})

describe('retired', () => {
  test('Issue retired/owner: its owner learns that it is over, and no other Task is asked for', () => {
    const issue = owned()
    expect(sent(issue.send({ type: 'issue.retired', reason: 'done in #2' }), 'task')).toEqual([
      expect.objectContaining({ type: 'issue.closed', issue: id }),
    ])
    expect(issue.value).toEqual({ live: 'closed' })
    expect(sent(observe(issue, { state: 'closed', closedBy: 'bot' }), 'task')).toEqual([])
  })

  test('Issue retired/reopened: a human who reopens it takes that back', () => {
    const issue = owned()
    issue.send({ type: 'issue.retired', reason: 'done' })
    observe(issue, { state: 'closed', closedBy: 'bot' })
    expect(sent(observe(issue), 'task')).toEqual([expect.objectContaining({ type: 'issue.reopened' })])
    expect(issue.value).toEqual({ live: 'refined' })
  })

  test('an issue that nobody has told of is known as retired from then on', () => {
    expect(issueDefinition.createdBy).toContain('issue.retired')
    const issue = drive(issueMachine, id)
    issue.send({ type: 'issue.retired', reason: 'done' })
    expect(sent(observe(issue, { state: 'closed', closedBy: 'bot' }), 'queue')).toEqual([])
    expect(issue.value).toEqual({ live: 'closed' })
  })
})

test('ISSUE-7: the priority label stands while a person speaks for an issue in work, and goes with its end (LABELS-8)', () => {
  const issue = drive(issueMachine, id)
  observe(issue, { humanCommented: false })
  expect(issue.context.labels).toEqual(['b'])
  expect(observe(issue)).toContainEqual(
    expect.objectContaining({
      type: 'writeLabels',
      params: expect.objectContaining({ labels: ['b', 'p'], managed: ['b', 'a', 'i', 'd', 'p'] }),
    }),
  )
  expect(issue.context.labels).toEqual(['b', 'p'])
  observe(issue, { state: 'closed', closedBy: 'human' })
  expect(issue.context.labels).toEqual([])
})

test('R10: a version 1 snapshot knows of no retirement', () => {
  expect(issueDefinition.upgrades[1]?.({ value: 'x', context: { id } })).toEqual({
    value: 'x',
    context: { id, retired: false },
  })
})
