/** What a Task's page says beside its time line: plan, approvals with the words that count, findings, checks and notes. Pure. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { IssueContext } from '../issue/context.ts'
import { shortPlanHash } from '../issue/plan.ts'
import type { MergeRequestContext } from '../merge-request/context.ts'
import type { Note, TaskContext } from '../task/context.ts'
import { Finding, TaskEvent } from '../task/events.ts'
import type { StoryRow } from './story.ts'
import { titleOf } from './title.ts'

const NoteRow = Type.Object({
  at: Type.Number(),
  kind: Type.String(),
  by: Type.String({ description: 'Agent kind and pod; the platform writes where a pod left nothing.' }),
  body: Type.String({ description: 'Empty: its words are in the store alone.' }),
  /** Of a plan: what an approval cites, as the forge shows it. */
  hash: Type.Optional(Type.String()),
})
const Approval = Type.Object({
  at: Type.Number(),
  what: Type.String(),
  who: Type.String({ description: 'Empty: nobody by a comment.' }),
  words: Type.String(),
  on: Type.String(),
  plan: Type.String({ description: 'The plan that it cites, and whose it is. Empty: it cites none.' }),
})
const FindingRow = Type.Object({
  at: Type.Number(),
  severity: Type.String(),
  on: Type.String(),
  place: Type.String(),
  body: Type.String(),
})
const Check = Type.Object({ at: Type.Number(), on: Type.String(), what: Type.String() })

export const TaskRecord = Type.Object({
  title: Type.String({ description: 'Of its goal, which may have the title that its issue had.' }),
  plan: Type.Union([NoteRow, Type.Null()]),
  /** Of each list the newest first; `more` were left out. */
  approvals: Type.Array(Approval),
  findings: Type.Array(FindingRow),
  checks: Type.Array(Check),
  notes: Type.Array(NoteRow),
  more: Type.Object({ findings: Type.Integer(), notes: Type.Integer() }),
  links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
})
export type TaskRecord = Static<typeof TaskRecord>

export interface RecordSeen {
  readonly task: TaskContext
  /** The newest of its journal, the oldest first. */
  readonly rows: readonly StoryRow[]
  readonly issues: readonly IssueContext[]
  readonly mergeRequests: readonly (MergeRequestContext & { readonly updatedAt: number })[]
}

/** Of each list. */
const most = 50

export function recordOf(seen: RecordSeen): TaskRecord {
  const { journal } = seen.task
  const plan = journal.notes.find(({ id }) => id === journal.planNoteId)
  const findings = seen.rows.flatMap(findingsOf).toReversed()
  return {
    title: titleOf(seen.task.goal),
    plan: plan ? noteRow(plan) : null,
    approvals: approvalsOf(seen).slice(0, most),
    findings: findings.slice(0, most),
    checks: checksOf(seen).slice(0, most),
    notes: journal.notes.slice(-most).map(noteRow).toReversed(),
    more: { findings: Math.max(0, findings.length - most), notes: Math.max(0, journal.notes.length - most) },
    links: linksOf(seen),
  }
}

function noteRow({ at, kind, agent, pod, source, body, bodyHash }: Note): Static<typeof NoteRow> {
  return {
    at,
    kind,
    by: `${source === 'agent' ? agent : 'platform, for'} ${source === 'agent' ? '' : `${agent} `}pod ${pod}`,
    body,
    ...(kind === 'plan' ? { hash: shortPlanHash(bodyHash) } : {}),
  }
}

const Findings = Type.Object({ findings: Type.Array(Finding) })

function findingsOf(row: StoryRow): readonly Static<typeof FindingRow>[] {
  const { payload } = row.event
  if (row.event.type !== 'outcome' || !Value.Check(Findings, payload)) return []
  return payload.findings.map(({ repo, number, path, line, severity, body }) => ({
    at: row.at,
    severity,
    on: `${repo}!${number}`,
    place: [path ?? '', line ?? ''].filter((part) => part !== '').join(':'),
    body,
  }))
}

type ApprovalRow = Static<typeof Approval>

function approvalsOf({ rows, issues, task }: RecordSeen): readonly ApprovalRow[] {
  const cited = new Map<string, { readonly author: string; readonly quote: string }>()
  const ofSteps = rows.flatMap((row): readonly ApprovalRow[] => {
    const event: unknown = row.event
    if (!ofApprovals.has(row.event.type) || !Value.Check(TaskEvent, event)) return []
    if (event.type === 'outcome')
      for (const { issue, citation } of event.claims) if (citation) cited.set(issue, citation)
    const found = approvalIn(event, cited)
    if (found === undefined) return []
    const { planHash, ...approval } = found
    return [{ at: row.at, who: '', words: '', ...approval, on: nameOn(task, found.on), plan: planOf(task, planHash) }]
  })
  return [...ofSteps.toReversed(), ...standing(issues, rows, task)]
}

type Found = Pick<ApprovalRow, 'what' | 'on'> & Partial<ApprovalRow> & { readonly planHash?: string }

const ofApprovals = new Set([
  'outcome',
  ...['commented', 'granted', 'refused', 'revoked', 'lapsed'].map((word) => `approval.${word}`),
  'mr.goAhead',
])

/** `on`: the actor id of an issue, or what a merge request is called. */
function approvalIn(
  event: TaskEvent,
  cited: ReadonlyMap<string, { readonly author: string; readonly quote: string }>,
): Found | undefined {
  switch (event.type) {
    case 'approval.commented':
      return { what: 'a maintainer approves', who: event.by, on: event.issue }
    case 'approval.granted': {
      const { author = '', quote = '' } = (event.self ? undefined : cited.get(event.issue)) ?? {}
      const what = event.self ? 'granted without a comment' : 'granted'
      return { what, who: author, words: quote, on: event.issue, planHash: event.planHash }
    }
    case 'approval.refused':
      return { what: `refused: ${event.reason}`, on: event.issue }
    case 'approval.revoked':
      return { what: `taken back: ${event.reason}`, on: event.issue }
    case 'approval.lapsed':
      return { what: 'no comment approves any more', on: event.issue }
    case 'mr.goAhead': {
      const heads = event.shas.map(({ repository, number, sha }) => `${repository}!${number} at ${sha.slice(0, 8)}`)
      return { what: 'lets the change merge', who: event.by, words: event.text ?? '', on: heads.join(', ') }
    }
    default:
      return undefined
  }
}

function nameOn({ forge }: TaskContext, on: string): string {
  const issue = forge.issues.find((each) => each.issue === on)
  return issue ? `${issue.repository}#${issue.number}` : on
}

/** An approval counts for the plan that it cites alone, and that is of somebody. */
function planOf({ journal }: TaskContext, hash: string | undefined): string {
  if (hash === undefined) return ''
  const note = journal.notes.findLast(({ kind, bodyHash }) => kind === 'plan' && bodyHash === hash)
  const whose = note === undefined ? '' : ` of ${noteRow(note).by}`
  return `${shortPlanHash(hash)}${whose}${hash === journal.planHash ? '' : ', which is not the newest'}`
}

/** Granted in a step that is no longer kept. */
function standing(
  issues: readonly IssueContext[],
  rows: readonly StoryRow[],
  task: TaskContext,
): readonly ApprovalRow[] {
  return issues.flatMap(({ id, grant, facts }) => {
    if (grant === null || rows.some(({ event }) => event.type === 'approval.granted' && event['issue'] === id))
      return []
    const on = facts ? `${facts.repository}#${facts.number}` : id
    return [
      {
        at: grant.at,
        what: grant.self ? 'granted without a comment' : 'granted',
        who: grant.author,
        words: grant.quote,
        on,
        plan: planOf(task, grant.planHash),
      },
    ]
  })
}

const refusals: Readonly<Record<string, string>> = {
  'mr.ciRed': 'checks are red',
  'mr.ciPending': 'checks are not done',
  'mr.conflict': 'conflicts with its base',
  'mr.notMergeableYet': 'the forge is not ready to merge',
  'mr.mergeRefused': 'the merge was refused',
}

/** What the forge says now, and what it answered to each ask for a merge. */
function checksOf({ rows, mergeRequests }: RecordSeen): readonly Static<typeof Check>[] {
  const now = mergeRequests.flatMap(({ facts, verdict, updatedAt }) => {
    if (facts === null) return []
    const { repository, number, ci, mergeable, headSha, state } = facts
    const review = verdict?.sha === headSha ? `review ${verdict.value}` : 'no verdict of a review stands'
    const merges = { true: 'can merge', false: 'cannot merge', null: 'not known whether it can merge' }[`${mergeable}`]
    const stands = state === 'open' ? `checks ${ci}, ${merges}` : state
    return [{ at: updatedAt, on: `${repository}!${number}`, what: `now: ${stands}, ${review}` }]
  })
  const answers = rows.flatMap(({ event, at }) => {
    const what = refusals[event.type]
    const { repository, number, reason } = event
    return what === undefined ? [] : [{ at, on: `${repository}!${number}`, what: reason ? `${what}: ${reason}` : what }]
  })
  return [...now, ...answers.toReversed()]
}

/** Addresses come from the forge: a page makes links of them. */
function linksOf({ task, issues }: RecordSeen): TaskRecord['links'] {
  const ofIssues = issues.flatMap(({ facts }) =>
    facts ? [{ text: `${facts.repository}#${facts.number}`, url: facts.url }] : [],
  )
  const ofChanges = task.forge.mergeRequests.flatMap(({ repository, number, url, mergeCommit, headSha }) => {
    const name = `${repository}!${number}`
    const sha = mergeCommit ?? headSha
    const pages = forgePages(url, sha)
    if (pages === undefined) return [{ text: name, url }]
    return [
      { text: name, url },
      { text: `diff of ${name}`, url: pages.diff },
      { text: `commit ${sha.slice(0, 8)}`, url: pages.commit },
    ]
  })
  return [...ofIssues, ...ofChanges].filter(({ url }) => /^https?:\/\//.test(url))
}

/** Of a merge request and a commit of its repository, by its own address. Undefined: that has no form that is known here. */
export function forgePages(url: string, sha: string): { readonly diff: string; readonly commit: string } | undefined {
  const [, base, place = ''] = /^(.+)\/(pulls?|-\/merge_requests)\/\d+$/.exec(url) ?? []
  if (base === undefined || !/^[0-9a-f]{7,64}$/.test(sha)) return undefined
  const isGitlab = place.startsWith('-')
  return { diff: `${url}/${isGitlab ? 'diffs' : 'files'}`, commit: `${base}${isGitlab ? '/-' : ''}/commit/${sha}` }
}
