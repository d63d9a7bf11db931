import { expect, test } from 'vitest'
import type { JsonObject } from '../../machines/definition.ts'
import type { Effect } from '../../runtime/runtime.ts'
import { brokenLaws } from './laws.ts'
import type { Moment, Snapshot, Stepped, Trace } from './world/trace.ts'

function broken(number: number, trace: Trace): readonly string[] {
  return brokenLaws(trace, (law) => law === number)
}

function stepped(
  actor: Stepped['actor'],
  type: string,
  after: Partial<Snapshot>,
  some: Partial<Stepped> = {},
): Stepped {
  return {
    ...{ kind: 'stepped', actor, seq: 1, event: { type, at: 1 }, causedBy: 'people', before: undefined },
    ...{ after: { value: {}, status: 'active', context: {}, ...after }, effects: [], outstanding: [], timers: [] },
    ...some,
  }
}

const task = 'task:default/refine-demo-1'
const settled: Snapshot = { status: 'done', value: { stage: 'delivered' }, context: { pod: { ordinal: 1 } } }

function settles(...effects: readonly Effect[]): Stepped {
  return stepped(task, 'pod.final', settled, { before: { ...settled, status: 'active' }, effects })
}

test('what reaches a Task after its end, and is answered, ends it no second time', () => {
  const late = stepped(task, 'outcome', settled, { before: settled, effects: [{ type: 'answer', params: { task } }] })
  expect(broken(5, [settles({ type: 'deleteWorkspace', params: { task } }), late])).toEqual([])
})

test('a Task that ends and keeps its volume breaks LAW-5', () => {
  expect(broken(5, [settles()])).toEqual([`LAW-5: settled and kept its volume, by ${task}`])
})

const issue = 'issue:default/lib-1'

function writing(...labels: readonly string[]): Effect {
  return { type: 'writeLabels', params: { labels: [...labels] } }
}

function labelled(status: string, effects: readonly Effect[], outstanding: readonly string[]): Moment {
  return stepped(issue, 'issue.observed', { context: { status, implementRan: false } }, { effects, outstanding })
}

function performed({ params }: Effect): Moment {
  const effect = { key: `${issue}/1/0`, actor: issue, type: 'writeLabels', params } as const
  return { kind: 'performed', effect, result: 'done', actors: new Map() }
}

const [planning, approved] = [writing('planning'), writing('approved')]
const both: Trace = [
  labelled('refined', [planning], ['writeLabels']),
  labelled('approved', [approved], ['writeLabels', 'writeLabels']),
  performed(planning),
]
const later = labelled('approved', [], [])

test('labels that the forge refuses for good are asked of nobody, though earlier ones were written since they were asked for', () => {
  expect(broken(10, [...both, later])).toEqual([])
})

test('labels that were written and are not those of the Issue break LAW-10', () => {
  const breach = 'LAW-10: an issue that is refined has the labels "approved"'
  expect(broken(10, [...both, performed(approved), later])).toEqual([])
  expect(broken(10, [...both, performed(approved), labelled('refined', [], [])])).toEqual([breach])
})

test('an older writing that comes after a newer one breaks LAW-10', () => {
  const breach = 'LAW-10: an issue that is approved has the labels "planning"'
  expect(broken(10, [...both.slice(0, 2), performed(approved), performed(planning), later])).toEqual([breach])
})

const [member, refine] = ['task:default/implement-a', 'task:default/refine'] as const
const [older, newer] = [8, 9].map((number) => ({ repository: 'lib', number, mergeRequest: `default/lib-mr-${number}` }))

function folding(actor: Stepped['actor'], forge: object, sent: readonly JsonObject[], status = 'active'): Stepped {
  const context = { stage: {}, forge: { issues: [], mergeRequests: [], folds: [], foldsClosed: null, ...forge } }
  const effects = sent.map((params) => ({ type: 'deliver', params }))
  return stepped(actor, 'some', { status, context }, { effects, heardAs: `${member}/1/0` })
}

const answer = { type: 'fold.accepted', task: 'default/implement-a', issues: [], mergeRequests: [newer!] }
const gives = folding(member, { mergeRequests: [{ ...newer, state: 'handedOver' }] }, [{ to: refine, event: answer }])

function collects(foldsClosed: string | null, sent: readonly JsonObject[]): Stepped {
  const folds = [{ task: 'default/implement-a', answer: { accepted: true, issues: [], mergeRequests: [newer] } }]
  return folding(refine, { folds, foldsClosed }, sent)
}

const released = { to: `merge-request:${newer!.mergeRequest}`, event: { type: 'mr.released', reason: 'folded' } }

function mintsHeirWith(mergeRequests: readonly JsonObject[]): Stepped {
  const event = { type: 'queue.enqueue', seed: { issues: [], mergeRequests } }
  return collects(null, [{ to: 'queue:default/demo', event }, released])
}

const ended = folding(refine, {}, [])

test('a merge request that is released because an older one of its repository goes on is not lost', () => {
  expect(broken(23, [gives, mintsHeirWith([older!]), ended])).toEqual([])
})

test('a merge request that is released while none of its repository goes on breaks LAW-23', () => {
  const breach = `LAW-23: merge request ${newer!.mergeRequest} is given back, and was to go on, by ${refine}`
  expect(broken(23, [gives, mintsHeirWith([]), ended])).toEqual([breach])
  expect(broken(23, [gives, mintsHeirWith([{ ...older!, repository: 'app' }]), ended])).toEqual([breach])
})

test('what a closed refine Task collected is not lost where it is told that its heir never comes (OWNERSHIP-9)', () => {
  const over = folding(refine, {}, [], 'done')
  expect(broken(23, [gives, collects('by maya', [released]), over])).toEqual([])
  expect(broken(23, [gives, collects('by maya', []), over])).toHaveLength(1)
  expect(broken(23, [gives, collects(null, [released]), over])).toHaveLength(1)
})
