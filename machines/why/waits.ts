/** Why a Task rests in a state that rests for more than one reason: what its state says, and who moves it, by what the Task knows. */
import type { Owner } from '../definition.ts'
import type { TaskContext } from '../task/context.ts'
import { gatedIssues } from '../task/queries.ts'

interface Wait {
  /** State of the pod's region in which the Task rests. */
  readonly state: string
  readonly owner: Owner
  readonly says: string
  readonly unblocks: string
  readonly isSo: (context: TaskContext) => boolean
}

export const waits = {
  'awaiting-approval': {
    state: 'pod.working.idle',
    owner: 'maintainer',
    says: 'the plan waits for the approval of a maintainer',
    unblocks: 'a maintainer writes `/approve` (GitLab: `approve`) on the issue; any other comment goes to the agent',
    isSo: (context) =>
      context.journal.planHash !== null &&
      gatedIssues(context).some(({ grant }) => grant?.planHash !== context.journal.planHash),
  },
  withheld: {
    state: 'pod.awaitingSlot',
    owner: 'operator',
    says: 'the provider withholds the model from the key of its pods',
    unblocks: 'the reset of the usage limit, money, or another key; one Task tries from time to time',
    isSo: (context) => context.pod.withheld,
  },
} as const satisfies Readonly<Record<string, Wait>>
