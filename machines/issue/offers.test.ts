/** Issues that nobody asked for wait for a sweep, where the Project has sweeps (PROJECT-9, ISSUE-8). */
import { describe, expect, test } from 'vitest'
import { drive, sent, types, type Drive, type DrivenEffect } from '../drive.ts'
import type { IssueContext } from './context.ts'
import { issueMachine } from './machine.ts'
import { awaitsOffer } from './settle.ts'

const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 1,
  state: 'open',
  title: 'A proposal',
  author: 'bot',
  url: 'u',
  bodyHash: 'b',
  editedByOther: false,
  selfProposed: true,
  humanCommented: false,
  wanted: true,
  swept: true,
  unwantedByMaintainer: false,
  approvals: [],
  unclear: [],
  labels: { brainstorming: '', approved: '', implementation: '', declined: '' },
  config: { project: 'default/demo', repositories: [] },
}
function observed(more: object = {}): { readonly issue: Drive; readonly effects: readonly DrivenEffect[] } {
  const issue = drive(issueMachine, 'default/lib-1')
  return { issue, effects: issue.send({ type: 'issue.observed', facts: { ...facts, ...more } }) }
}
const waits = (issue: Drive): boolean => awaitsOffer(issue.context as IssueContext)
const offer = { type: 'issue.offered' }

test('it asks for no Task until a sweep offers it, then for one (ISSUE-8)', () => {
  const { issue, effects } = observed()
  expect([types(effects), waits(issue)]).toEqual([[], true])
  const asked = issue.send(offer)
  expect(sent(asked, 'queue')).toMatchObject([{ type: 'queue.enqueue', kind: 'implement', priority: 80 }])
  expect([waits(issue), types(issue.send(offer))]).toEqual([false, []])
})

test('without sweeps, and for what a person labelled, it asks at once', () => {
  const { swept: _swept, ...plain } = facts
  const issue = drive(issueMachine, 'default/lib-1')
  expect(types(issue.send({ type: 'issue.observed', facts: plain }))).toEqual(['queue<queue.enqueue'])
})

describe('a person who speaks for it waits for no sweep', () => {
  test('by a comment', () => {
    const { issue } = observed()
    expect(
      types(issue.send({ type: 'issue.observed', facts: { ...facts, humanCommented: true, swept: false } })),
    ).toEqual(['queue<queue.enqueue'])
  })
  test('by /retry', () => {
    const { issue } = observed()
    expect(types(issue.send({ type: 'issue.command', command: 'retry', by: 'maya' }))).toEqual(['queue<queue.enqueue'])
  })
})

test('one that waits in the queue stays there when sweeps are switched on', () => {
  const { issue } = observed({ swept: false })
  expect(types(issue.send({ type: 'issue.observed', facts }))).toEqual([])
})

test('an offer to one that is owned, closed or held changes nothing', () => {
  const { issue } = observed()
  issue.send({ type: 'issue.owned', task: 'default/implement-x' })
  expect(types(issue.send(offer))).toEqual([])
  const closed = observed({ state: 'closed', closedBy: 'human' }).issue
  expect([types(closed.send(offer)), waits(closed)]).toEqual([[], false])
  const held = observed().issue
  held.send({ type: 'issue.command', command: 'cancel', by: 'maya' })
  expect([types(held.send(offer)), waits(held)]).toEqual([[], false])
})

test('an offer counts for one Task: when it ended and the issue is reopened, it waits for a sweep again', () => {
  const { issue } = observed()
  issue.send(offer)
  const task = issue.context.mint.task as string
  issue.send({ type: 'issue.owned', task })
  issue.send({ type: 'issue.observed', facts: { ...facts, state: 'closed', closedBy: 'human' } })
  issue.send({ type: 'task.ended', task, stage: 'rejected', reason: 'issue-closed' })
  expect(types(issue.send({ type: 'issue.observed', facts }))).not.toContain('queue<queue.enqueue')
  expect(waits(issue)).toBe(true)
})
