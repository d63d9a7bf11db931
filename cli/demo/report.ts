/** What `--json` ends with: one object, its verdict from the forge's audit log. */
import { listAll } from '../server/client.ts'
import type { ClusterRecord } from './cluster-record.ts'
import type { Stack } from '../local/stack.ts'
import type { SpokenWord } from './speaker.ts'
import type { UpgradeRecord } from './upgrade.ts'

export interface Report {
  readonly ok: boolean
  readonly repository: string
  readonly task: {
    readonly name: string
    readonly stage: string
    readonly stages: readonly { readonly stage: string; readonly at: string }[]
  }
  readonly issue: { readonly number: number; readonly state: string; readonly labels: readonly string[] }
  readonly mergeRequest: { readonly number: number; readonly reviewedSha: string; readonly mergeCommit: string } | null
  readonly reviews: readonly {
    readonly author: string
    readonly number: number
    readonly sha: string
    readonly verdict: string
    readonly inline: number
  }[]
  readonly comments: readonly { readonly author: string; readonly number: number; readonly text: string }[]
  readonly turns: readonly {
    readonly agent: string
    readonly turnId: string
    readonly state: string
    readonly tokens: number
  }[]
  readonly pods: readonly {
    readonly name: string
    readonly agent: string
    readonly state: string
    readonly note: string
  }[]
  /** Beside the kills, with `--chaos`. */
  readonly words: readonly SpokenWord[]
  /** Of a demo in a cluster. */
  readonly kubernetes?: ClusterRecord
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
    readonly stageReason?: string
    readonly issues: readonly { readonly number: number }[]
    readonly mergeRequests: readonly { readonly number: number }[]
    readonly stages: readonly { readonly stage: string; readonly at: string }[]
    readonly notes: readonly { readonly pod: number; readonly kind: string; readonly source: string }[]
  }
}

interface TurnRow {
  readonly pod: number
  readonly task: string
  readonly agent: string
  readonly turnId: string
  readonly state: string
  readonly tokens: number
}

interface ReportFacts {
  readonly issue: number
  /** Those of the issue. */
  readonly tasks: readonly TaskResource[]
  readonly verdict: Report['mergeRequest']
  readonly faults: readonly string[]
  readonly words: readonly SpokenWord[]
  readonly remembered?: string
  readonly durationMs: number
}

export async function tasksOf(client: Stack['client'], issue: number): Promise<readonly TaskResource[]> {
  const tasks = await listAll<TaskResource>(client, '/resources/tasks')
  return tasks.filter(({ status }) => status.issues.some(({ number }) => number === issue))
}

export async function createReport(stack: Stack, facts: ReportFacts): Promise<Report> {
  const { tasks } = facts
  const turns = await listAll<TurnRow>(stack.client, '/operations/turns')
  const [task] = tasks
  const pods = podsOf(tasks, turns)
  const silent = pods.filter((pod) => pod.note === '').map((pod) => `pod ${pod.name} left no note`)
  const faults = [
    ...facts.faults,
    ...silent,
    ...(task?.status.stage === 'delivered' ? [] : [`the Task ended at ${task?.status.stage ?? 'nothing'}`]),
  ]
  const full = stack.fullName
  const issue = stack.forge.issue(full, facts.issue, 'issue')
  return {
    ok: faults.length === 0,
    repository: stack.barePath,
    task: {
      name: task?.metadata.name ?? '',
      stage: task?.status.stage ?? '',
      stages: (task?.status.stages ?? []).map(({ stage, at }) => ({ stage, at })),
    },
    issue: { number: facts.issue, state: issue.state, labels: issue.labels.map(({ name }) => name) },
    mergeRequest: facts.verdict,
    reviews: reviewsOf(stack, full),
    comments: stack.forge.issues(full).flatMap((one) =>
      [...one.comments.values()].map(({ author, body }) => ({
        author: author.login,
        number: one.number,
        text: body.replaceAll(/<!--.*?-->/gs, '').trim(),
      })),
    ),
    turns: turns.map(({ agent, turnId, state, tokens }) => ({ agent, turnId, state, tokens })),
    pods,
    words: facts.words,
    remembered: facts.remembered ?? null,
    restarts: stack.orchestrator.restarts,
    durationMs: facts.durationMs,
    faults,
  }
}

/** Pods that ran a turn, with the kind of their last note: each left one (LAW-6). */
function podsOf(tasks: readonly TaskResource[], turns: readonly TurnRow[]): Report['pods'] {
  return tasks.flatMap(({ metadata, status }) => {
    const own = turns.filter((turn) => turn.task.endsWith(`/${metadata.name}`))
    const ordinals = [...new Set(own.map(({ pod }) => pod))].toSorted((a, b) => a - b)
    return ordinals.map((ordinal) => {
      const note = status.notes.findLast((one) => one.pod === ordinal)
      const agent = own.find(({ pod }) => pod === ordinal)?.agent ?? ''
      return {
        name: `${metadata.name}/${ordinal}`,
        agent,
        state: 'stopped',
        note: note === undefined ? '' : `${note.kind} by ${note.source}`,
      }
    })
  })
}

function reviewsOf(stack: Stack, full: string): Report['reviews'] {
  return stack.forge.issues(full).flatMap((one) => {
    if (one.kind !== 'pull') return []
    return [...one.reviews.values()].map((review) => ({
      author: review.author.login,
      number: one.number,
      sha: review.commit,
      verdict: /approve/i.test(review.body.split('\n')[0] ?? '') ? 'approve' : 'request_changes',
      inline: [...one.reviewComments.values()].filter(({ reviewId }) => reviewId === review.id).length,
    }))
  })
}
