import { expect, it } from 'vitest'
import { agentKinds } from '../../../../machines/task/events.ts'
import { renderAssignment, type TurnReason } from './assignment.ts'
import type { AssignmentContext } from './context.ts'

const plain: AssignmentContext = {
  agent: 'implement',
  stage: 'implementing',
  goal: 'make it so',
  repositories: [{ name: 'lib', branch: 'platform/t', base: 'main' }],
  hasPlan: false,
  granted: false,
  selfGrant: false,
  ownsIssue: true,
  ownsMergeRequest: false,
  hints: {},
}
const plan = { hasPlan: true, planNoteId: 'note-1' } as const

/** Where a Task can stand whose agent gets other words for it. */
const stages: readonly (readonly [stage: string, change: Partial<AssignmentContext>, reason?: TurnReason])[] = [
  ['before a plan', {}],
  ['with a plan that waits for its approval', plan],
  [
    'with a plan and a comment that approves it',
    { ...plan, hints: { approvals: [{ repository: 'lib', number: 1, commentId: '12', author: 'maria' }] } },
  ],
  ['with a plan of the platform’s own proposal', { ...plan, selfGrant: true }],
  ['with its approval', { ...plan, granted: true }],
  ['with its approval and an open merge request', { ...plan, granted: true, ownsMergeRequest: true }],
  ['without an issue', { ownsIssue: false }],
  ['without an issue, with an open merge request', { ownsIssue: false, ownsMergeRequest: true }],
  ['at a head', { repositories: [{ name: 'lib', branch: 'platform/t', base: 'main', sha: 'abc' }] }],
  [
    'with the hints of its Project',
    {
      hints: {
        proposalsLeft: 2,
        sources: ['https://a.example'],
        closedSince: '2026-01-02T03:04:05Z',
        upgradePolicy: 'minor',
      },
    },
  ],
  ['after an event', plan, 'events'],
  ['after a silent turn', plan, 'continue'],
  ['at its hand-off', plan, 'handoff'],
]

/** `npx vitest run edges/agents/bundle/assignment -u` writes the file anew: read its difference. */
it('each kind’s assignment in each stage is the text of the file, byte for byte (BUNDLE-TEXT-6)', async () => {
  const written = agentKinds.flatMap((agent) => {
    const texts = stages.map(([stage, change, reason = 'first']) => ({
      stage,
      text: renderAssignment({ ...plain, ...change, agent }, reason),
    }))
    // One text for all the stages that have it.
    return [...Map.groupBy(texts, ({ text }) => text)].map(
      ([text, same]) => `==== ${agent}: ${same.map(({ stage }) => stage).join('; ')}\n${text}`,
    )
  })
  await expect(written.join('\n')).toMatchFileSnapshot('./assignments.txt')
})
