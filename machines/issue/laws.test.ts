import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drive, sent } from '../drive.ts'
import { projectLabels } from '../rules/labels.ts'
import { issueMachine } from './machine.ts'

const labels = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd' }
const config = {
  project: 'default/demo',
  agentPodTTLSeconds: 3600,
  turnTimeoutSeconds: 1800,
  stallProbeGraceSeconds: 300,
  stallProbeMaxAttempts: 2,
  model: {},
  effort: {},
  permissionMode: 'p',
  repositories: [],
}
const comment = (id: number) => ({ commentId: `c${id}`, author: 'maya', bodyHash: `h${id}`, at: 1_000_000 + id * 1000 })

const observed = fc
  .record({
    state: fc.constantFrom('open', 'open', 'open', 'closed'),
    closedBy: fc.constantFrom('human', 'bot'),
    merged: fc.boolean(),
    bodyHash: fc.constantFrom('b1', 'b1', 'b2'),
    editedByOther: fc.boolean(),
    selfProposed: fc.boolean(),
    humanCommented: fc.boolean(),
    wanted: fc.constantFrom(true, true, true, false),
    unwantedByMaintainer: fc.constantFrom(false, false, true),
    approvals: fc.constantFrom([], [comment(1)], [comment(1), comment(2)], [comment(3)]),
    ceiling: fc.constantFrom('off', 'minor'),
    withdrawn: fc.boolean(),
  })
  .map(({ ceiling, withdrawn, merged, ...facts }) => (task: string) => ({
    type: 'issue.observed',
    facts: {
      ...(merged ? { mergedFor: task } : {}),
      project: 'default/demo',
      repository: 'lib',
      number: 1,
      title: 't',
      author: 'ann',
      url: 'u',
      unclear: [],
      labels,
      ...facts,
      ...(withdrawn && facts.approvals.length === 0 ? { withdrawnBy: 'max' } : {}),
      config: { ...config, autoApproveMaxSignificance: ceiling },
    },
  }))

type Make = (task: string) => { type: string; [field: string]: unknown }
const claim =
  (cited: number | undefined, planHash: string): Make =>
  (task) => ({
    type: 'approval.claimed',
    task,
    planHash,
    claim: {
      issue: 'default/lib-1',
      ...(cited === undefined
        ? {}
        : {
            approvingMaintainer: 'maya',
            citation: { commentId: `c${cited}`, author: 'maya', quote: 'q', span: 'q', bodyHash: `h${cited}` },
          }),
    },
  })
const make = fc.oneof(
  {
    weight: 6,
    arbitrary: observed.map((make): Make => make),
  },
  { weight: 3, arbitrary: fc.constant<Make>((task) => ({ type: 'issue.owned', task })) },
  { weight: 2, arbitrary: fc.constant<Make>((task) => ({ type: 'issue.agentRunning', task, agentKind: 'implement' })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('p1', 'p2').map((planHash): Make => (task) => ({
      type: 'plan.written',
      task,
      noteId: planHash,
      planHash,
      body: 'x',
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(1, 2, 3, undefined), fc.constantFrom('p1', 'p2'))
      .map(([cited, plan]) => claim(cited, plan)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('cancel', 'retry').map((command): Make => () => ({
      type: 'issue.command',
      command,
      by: 'maya',
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('rejected', 'failed', 'implement-declined').map((stage): Make => (task) => ({
      type: 'task.ended',
      task,
      stage,
      reason: stage,
    })),
  },
  { weight: 1, arbitrary: fc.constant<Make>((task) => ({ type: 'task.delivered', task })) },
)

test('in every history the state is the status of the facts, labels are its projection, one Task at most is wanted or owns, and owner and Issue agree on the grant', () => {
  fc.assert(
    fc.property(fc.array(make, { minLength: 1, maxLength: 40 }), (makes) => {
      const issue = drive(issueMachine, 'default/lib-1', 1_000_500)
      let told = false
      for (const one of makes) {
        issue.pass(700)
        const before = issue.context.owner as string
        const effects = issue.send(one((before || issue.context.mint?.task) ?? 'default/other'))
        const { context } = issue
        expect(issue.value).toEqual({ live: context.status })
        if (context.facts)
          expect(context.labels ?? []).toEqual(projectLabels(context.status, context.implementRan, labels))
        expect(context.owner === '' || context.mint === null).toBe(true)
        if (context.owner !== before) told = false
        for (const { type } of sent(effects, 'task')) {
          if (type === 'approval.granted') told = true
          if (type === 'approval.revoked') told = false
        }
        if (context.owner !== '') expect(told).toBe(context.grant !== null)
        else expect(context.grant).toBeNull()
      }
    }),
    { numRuns: 400, seed: 20261121 },
  )
})

test('a grant always has its plan as the newest one unless a merge of its Task closed the issue (APPROVAL-16), and its comment among the standing approvals with the text it cites', () => {
  fc.assert(
    fc.property(fc.array(make, { minLength: 5, maxLength: 40 }), (makes) => {
      const issue = drive(issueMachine, 'default/lib-1', 1_000_500)
      for (const one of makes) {
        issue.send(one((issue.context.owner || issue.context.mint?.task) ?? 'default/other'))
        const { grant, plans, facts, retired, owner } = issue.context
        if (!grant) continue
        const isClosedByBot = facts.state === 'closed' && facts.closedBy === 'bot' && !retired
        const isMerged = isClosedByBot && facts.mergedFor === owner
        if (!isMerged) expect(plans.at(-1).hash).toBe(grant.planHash)
        if (grant.self) expect(facts.humanCommented).toBe(false)
        else
          expect(facts.approvals).toContainEqual(
            expect.objectContaining({ commentId: grant.commentId, bodyHash: grant.bodyHash }),
          )
      }
    }),
    { numRuns: 400, seed: 20261121 },
  )
})
