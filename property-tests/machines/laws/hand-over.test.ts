import { expect, test } from 'vitest'
import type { JsonObject } from '../../../machines/definition.ts'
import type { Stepped } from '../world/trace.ts'
import { law23 } from './hand-over.ts'

const [member, refine] = ['task:default/implement-a', 'task:default/refine'] as const
const [older, newer] = [8, 9].map((number) => ({ repository: 'lib', number, mergeRequest: `default/lib-mr-${number}` }))

function stepped(
  actor: Stepped['actor'],
  event: Stepped['event'],
  forge: object,
  sent: readonly JsonObject[],
): Stepped {
  return {
    ...{ kind: 'stepped', actor, event, causedBy: 'people', before: undefined },
    after: {
      value: {},
      status: 'active',
      context: { forge: { issues: [], mergeRequests: [], folds: [], foldsClosed: null, ...forge } },
    },
    effects: sent.map((params) => ({ type: 'deliver', params })),
    ...{ outstanding: [], timers: [], isQuiet: true },
  }
}

const answer = { type: 'fold.accepted', task: 'default/implement-a', issues: [], mergeRequests: [newer!] }
const gives = stepped(
  member,
  { type: 'fold.requested', at: 1 },
  { mergeRequests: [{ ...newer, state: 'handedOver' }] },
  [{ to: refine, event: answer }],
)

function mintsHeirWith(mergeRequests: readonly object[]): Stepped {
  const folds = [{ task: 'default/implement-a', answer: { accepted: true, issues: [], mergeRequests: [newer] } }]
  return stepped(refine, { ...answer, at: 2 }, { folds }, [
    { to: 'queue:default/demo', event: { type: 'queue.enqueue', seed: { issues: [], mergeRequests } } } as JsonObject,
    { to: `merge-request:${newer!.mergeRequest}`, event: { type: 'mr.released', reason: 'folded' } },
  ])
}

const ended: Stepped = stepped(refine, { type: 'pod.final', at: 3 }, {}, [])

test('a merge request that is released because an older one of its repository goes on is not lost', () => {
  expect(law23.breaches([gives, mintsHeirWith([older!]), ended])).toEqual([])
})

test('a merge request that is released while none of its repository goes on breaks LAW-23', () => {
  const breach = `merge request ${newer!.mergeRequest}, given up by default/implement-a, is owned by nobody and carried by nothing`
  expect(law23.breaches([gives, mintsHeirWith([]), ended])).toEqual([breach])
  expect(law23.breaches([gives, mintsHeirWith([{ ...older, repository: 'app' }]), ended])).toEqual([breach])
})

/** The last answer of one that was closed meanwhile. */
function endsClosed(foldsClosed: string | null, told: readonly JsonObject[]): Stepped {
  const folds = [{ task: 'default/implement-a', answer: { accepted: true, issues: [], mergeRequests: [newer] } }]
  return stepped(refine, { ...answer, at: 2 }, { folds, foldsClosed }, told)
}

test('what a closed refine Task collected is not lost where it is told that its heir never comes (OWNERSHIP-9)', () => {
  const told = [{ to: `merge-request:${newer!.mergeRequest}`, event: { type: 'mr.released', reason: 'cancelled' } }]
  const over = { ...ended, after: { ...ended.after, status: 'done' } } as Stepped
  expect(law23.breaches([gives, endsClosed('by maya', told), over])).toEqual([])
  expect(law23.breaches([gives, endsClosed('by maya', []), over])).toHaveLength(1)
  expect(law23.breaches([gives, endsClosed(null, told), over])).toHaveLength(1)
})
