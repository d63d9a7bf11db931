/** What `--json` ends with: one object, its verdict from the forge's audit log. */
import { listAll } from '../server/client.ts'
import type { Stack } from '../local/stack.ts'
import type { KillRecord } from './chaos.ts'
import type { ClusterRecord } from './cluster-record.ts'
import type { SpokenWord } from './speaker.ts'
import type { UpgradeRecord } from './upgrade.ts'
import type { StackRecord } from './memory/stack-record.ts'
import { textOf, type Verdict } from './verdict.ts'

interface Entered {
  readonly stage: string
  readonly at: string
}

export interface Report {
  readonly ok: boolean
  readonly repository: string
  readonly task: { readonly name: string; readonly stage: string; readonly stages: readonly Entered[] }
  readonly issue: { readonly number: number; readonly state: string; readonly labels: readonly string[] }
  readonly mergeRequest: Verdict['mergeRequest']
  readonly reviews: readonly Readonly<{
    author: string
    number: number
    sha: string
    verdict: string
    inline: number
  }>[]
  readonly comments: readonly { readonly author: string; readonly number: number; readonly text: string }[]
  readonly turns: readonly Readonly<{ agent: string; turnId: string; state: string; tokens: number }>[]
  readonly pods: readonly Readonly<{ name: string; agent: string; state: string; note: string }>[]
  /** Beside the kills, with `--chaos`. */
  readonly words: readonly SpokenWord[]
  /** With `--chaos`. */
  readonly kills?: readonly KillRecord[]
  /** Of a demo in a cluster. */
  readonly kubernetes?: ClusterRecord
  /** With `--memory`. */
  readonly memory?: StackRecord
  /** With `--upgrade`. */
  readonly upgrade?: UpgradeRecord
  /** The commit of the repository that the memory held when the issue was opened; null: none, or there is no memory. */
  readonly remembered: string | null
  readonly restarts: number
  readonly durationMs: number
  readonly faults: readonly string[]
}

export interface TaskResource {
  readonly metadata: { readonly name: string }
  readonly status: {
    readonly stage: string
    readonly stageClass: string
    readonly stageReason?: string | null
    readonly issues: readonly { readonly number: number }[]
    readonly mergeRequests: readonly { readonly number: number }[]
    readonly stages: readonly Entered[]
    readonly notes: readonly { readonly pod: number; readonly kind: string; readonly source: string }[]
  }
}

type TurnRow = Report['turns'][number] & { readonly pod: number; readonly task: string }

interface ReportFacts extends Pick<Report, 'mergeRequest' | 'faults' | 'remembered' | 'durationMs'> {
  readonly issue: number
  /** Those of the issue. */
  readonly tasks: readonly TaskResource[]
}

export async function tasksOf(client: Stack['client'], issue: number): Promise<readonly TaskResource[]> {
  const tasks = await listAll<TaskResource>(client, '/resources/tasks')
  return tasks.filter(({ status }) => status.issues.some(({ number }) => number === issue))
}

export async function createReport(stack: Stack, { issue: number, tasks, ...facts }: ReportFacts): Promise<Report> {
  const { client, forge, fullName, barePath, orchestrator } = stack
  const turns = await listAll<TurnRow>(client, '/operations/turns')
  const [task] = tasks
  const { stage = '', stages = [] } = task?.status ?? {}
  const pods = podsOf(tasks, turns)
  const faults = [
    ...facts.faults,
    ...pods.filter(({ note }) => note === '').map(({ name }) => `pod ${name} left no note`),
    ...(stage === 'delivered' ? [] : [`the Task ended at ${stage || 'nothing'}`]),
  ]
  const issue = forge.issue(fullName, number, 'issue')
  const threads = forge.issues(fullName)
  return {
    ...facts,
    ok: faults.length === 0,
    faults,
    repository: barePath,
    task: { name: task?.metadata.name ?? '', stage, stages: stages.map((one) => ({ stage: one.stage, at: one.at })) },
    issue: { number, state: issue.state, labels: issue.labels.map(({ name }) => name) },
    reviews: threads.flatMap(reviewsOf),
    comments: threads.flatMap(({ number: on, comments }) =>
      [...comments.values()].map(({ author, body }) => ({ author: author.login, number: on, text: textOf(body) })),
    ),
    turns: turns.map(({ agent, turnId, state, tokens }) => ({ agent, turnId, state, tokens })),
    pods,
    words: [],
    restarts: orchestrator.restarts,
  }
}

/** Pods that ran a turn, with the kind of their last note: each left one (LAW-6). */
function podsOf(tasks: readonly TaskResource[], turns: readonly TurnRow[]): Report['pods'] {
  return tasks.flatMap(({ metadata, status }) => {
    const own = turns.filter(({ task }) => task.endsWith(`/${metadata.name}`))
    const agents = new Map(own.toReversed().map(({ pod, agent }) => [pod, agent]))
    return [...agents]
      .toSorted(([a], [b]) => a - b)
      .map(([pod, agent]) => {
        const note = status.notes.findLast((one) => one.pod === pod)
        const words = note === undefined ? '' : `${note.kind} by ${note.source}`
        return { name: `${metadata.name}/${pod}`, agent, state: 'stopped', note: words }
      })
  })
}

function reviewsOf(one: ReturnType<Stack['forge']['issue']>): Report['reviews'] {
  if (one.kind !== 'pull') return []
  return [...one.reviews.values()].map(({ id, author, commit, body }) => ({
    author: author.login,
    number: one.number,
    sha: commit,
    verdict: /approve/i.test(body.split('\n')[0] ?? '') ? 'approve' : 'request_changes',
    inline: [...one.reviewComments.values()].filter(({ reviewId }) => reviewId === id).length,
  }))
}
