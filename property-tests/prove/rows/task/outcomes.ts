/** What an outcome call comes to: its answer at once, and where the stage goes (OUTCOME, docs/contract/tools.md; REVIEW-3, OUTCOME-RULE-2, OUTCOME-RULE-7). */
import type { Head, TaskContext } from '../../../../machines/task/context.ts'
import type { LiveHead } from '../../../../machines/task/events.ts'
import { shortHash } from '../../../../machines/rules/names.ts'
import { titleKey } from '../../../../machines/rules/titles.ts'
import type { Asked } from '../draft.ts'
import { isNewBase, place } from './forge.ts'
import { put, isSame, rank, type EventOf, type Named, type TaskDraft } from './draft.ts'
import type { Move } from './pods.ts'

type Outcome = EventOf<'outcome'>
/** As docs/contract/tools.md shapes them; each action reads its own. */
interface Payload {
  readonly reason?: string
  readonly decline_reason?: string
  readonly plan_note_id?: string
  readonly approving_maintainer?: string
  readonly title?: string
  readonly body?: string
  readonly change_significance?: 'patch' | 'minor' | 'major'
  readonly merge_order?: readonly string[]
  readonly reviewed_shas?: readonly { readonly repo: string; readonly number: number; readonly sha: string }[]
  readonly findings?: readonly { readonly repo: string; readonly number: number }[]
  readonly proposals?: readonly { readonly repo: string; readonly title: string }[]
  readonly alert_rules?: readonly string[]
  readonly issue?: { readonly repo: string; readonly title: string }
  readonly folds?: readonly { readonly task: string }[]
  readonly closes?: readonly { readonly repo: string; readonly number: number }[]
  readonly links?: readonly { readonly repo: string; readonly number: number; readonly isPR?: boolean }[]
}

const payloadOf = (event: Outcome): Payload => event.payload

function refuse(t: TaskDraft, code: string, members: object = {}, status = 409): Move {
  return { does: () => t.answer(status, { code, detail: 'words', ...members }) }
}

/** Reasons that carry the agent's own words. */
const isSaid: ReadonlySet<string | null> = new Set(['declined', 'rejected', 'discuss'])

/** Recorded, so that its repeat is told the same [OUTCOME-RULE-2]. */
function accept(
  t: TaskDraft,
  event: Outcome,
  to: string,
  reason: string | null,
  does: () => void,
  members: object = {},
): Move {
  const stage = to.startsWith('reviewing') ? 'reviewing' : to.split('.')[0]!
  const body = { accepted: true, task: { stage }, outcomeId: event.outcomeId, ...members }
  return {
    to,
    does: () => {
      const { pod, digest, outcomeId, action } = event
      put(t.c, { pod: { recordedOutcome: { pod, digest, outcomeId, action, body } }, turn: { spoke: true } })
      t.because(reason, isSaid.has(reason) ? 'words' : null)
      does()
      t.answer(200, body)
    },
  }
}

/** Who may speak [OUTCOME-RULE-1, OUTCOME-RULE-2]. */
function callerFault(t: TaskDraft, event: Outcome): Move | undefined {
  const { c } = t
  const recorded = c.pod.recordedOutcome
  for (const known of [recorded, c.pod.recordedApproval])
    if (known?.pod === event.pod && known.digest === event.digest) return { does: () => t.answer(200, known.body) }
  if (c.stage.class === 'terminal') return refuse(t, 'task-terminal')
  if (event.pod !== c.pod.ordinal) return refuse(t, 'pod-superseded')
  if (c.pod.agentKind === '') return refuse(t, 'agent-kind-empty')
  if (event.kind !== c.pod.agentKind) return refuse(t, 'kind-mismatch', { agentKind: c.pod.agentKind })
  return recorded?.pod === event.pod ? refuse(t, 'outcome-recorded') : undefined
}

export function outcomeMove(t: TaskDraft, event: Outcome): Move {
  const fault = callerFault(t, event)
  if (fault) return fault
  const row = rows[`${t.c.stage.name} ${event.kind} ${event.action}`]
  return row?.(t, event) ?? refuse(t, 'conflict', { reason: 'stage-takes-no-outcome' })
}

export function platformNote(t: TaskDraft, noteKind: 'finding' | 'note', body: string): void {
  const {
    pod: { ordinal: pod, agentKind },
    kind,
  } = t.c
  const id = `operator-${pod}-${noteKind}`
  t.note({ id, agent: agentKind || kind, pod, kind: noteKind, body, bodyHash: shortHash(body), source: 'operator' })
}

function approved(t: TaskDraft, event: Outcome): Move {
  const { c } = t
  const { plan_note_id: id = '', approving_maintainer: by } = payloadOf(event)
  if (c.forge.claims.length > 0) return refuse(t, 'outcome-recorded')
  const { pod, digest, outcomeId, action } = event
  const answer = (): void => {
    const body = { accepted: true, task: { stage: c.stage.name }, outcomeId }
    c.pod.recordedApproval = { pod, digest, outcomeId, action, body }
    t.answer(200, body)
  }
  if (t.gated.length === 0)
    return { does: () => (t.news('approval'), put(c, { turn: { spoke: true, prompt: 'write-code' } }), answer()) }
  const plan = c.journal.notes.find((note) => note.id === id)
  const isPlan = plan?.kind === 'plan' && plan.source === 'agent'
  const missing = !isPlan ? 'plan-missing' : id === c.journal.planNoteId ? undefined : 'plan-superseded'
  return {
    does: () => {
      for (const { issue } of t.gated) {
        const claim = event.claims.find((one) => one.issue === issue) ?? { issue }
        const refusedBy = claim.refusedBy ?? missing
        t.tell(`issue:${issue}`, 'approval.claimed', {
          task: c.id,
          planHash: plan?.bodyHash ?? '',
          claim: refusedBy === undefined ? claim : { ...claim, refusedBy },
        })
      }
      const claims = t.gated.map(({ issue }) => issue)
      put(c, { turn: { spoke: true }, forge: { claims, claimedMaintainer: by ?? null } })
      answer()
    },
  }
}

/** The code gate, in this order: grants, plan, ceiling, merge order (LAW-3, LAW-18). */
function submitted(t: TaskDraft, event: Outcome): Move {
  const { title = '', body = '', change_significance: level = 'major', merge_order: order = null } = payloadOf(event)
  if (!t.isGranted) {
    const blocking = t.liveIssues.length > 0 ? t.gated.filter(({ grant }) => grant === null) : t.c.forge.issues
    return refuse(t, 'approval-required', { reason: 'approval-required', issues: blocking.map(missingOf) })
  }
  if (!t.isPlanKept) return refuse(t, 'plan-changed')
  const { ceiling = t.c.config.autoApproveMaxSignificance } = event
  if (!t.isUnderCeiling(level, event)) return refuse(t, 'over-auto-approve-ceiling', { ceiling, significance: level })
  const { pushed = [] } = event
  const touched = [
    ...new Set([...t.c.turn.pushedRepositories, ...pushed, ...t.open.map(({ repository }) => repository)]),
  ]
  if (!t.isOrdered(order, touched)) return refuse(t, 'merge-order-required', { repositories: touched }, 400)
  return accept(t, event, 'reviewing.opening.settling', null, () => {
    const submission = { title, body, significance: level, mergeOrder: order }
    put(t.c, { forge: { submission, significance: level, verdict: null, reviewed: null } })
  })
}

function missingOf({ repository, number, issue, accepted }: TaskContext['forge']['issues'][number]): object {
  const detail = accepted ? 'needs-approval-tool' : 'needs-maintainer-comment'
  const guidance = 'words'
  return { repo: repository, number, issue, detail, guidance }
}

function rejected(t: TaskDraft, event: Outcome): Move {
  return accept(t, event, 'rejected', 'rejected', () => t.afterPod(t.issueComments))
}

/** OWNERSHIP-2: given up in the same commit. */
function declined(t: TaskDraft, event: Outcome): Move {
  const { decline_reason: reason = '' } = payloadOf(event)
  return accept(t, event, 'implement-declined', 'declined', () => {
    const { issues } = t.c.forge
    for (const { issue } of issues)
      t.tell(`issue:${issue}`, 'task.ended', { task: t.c.id, stage: 'implement-declined', reason })
    t.afterPod(issues.length > 0 ? t.issueComments : t.comments)
    put(t.c, { forge: { issues: [], claims: [] } })
  })
}

/** OUTCOME-RULE-6: a common and right answer, unless a merge request is open. */
function declinedUpgrade(t: TaskDraft, event: Outcome): Move {
  const said = t.c.forge.issues.length > 0 ? t.issueComments : t.comments
  return accept(t, event, t.open.length > 0 ? 'awaiting-human' : 'delivered', 'declined', () => t.afterPod(said))
}

function discuss(t: TaskDraft, event: Outcome): Move {
  return accept(t, event, 'awaiting-human', 'discuss', () => t.afterPod(t.comments))
}

function discussThere(t: TaskDraft, event: Outcome): Move {
  return t.open.length > 0 ? discuss(t, event) : refuse(t, 'no-open-merge-request')
}

const headOf = ({ repo, number, sha }: { repo: string; number: number; sha: string }) => ({
  repository: repo,
  number,
  sha,
})

/** Heads that the review read, and those that are live in the call (REVIEW-1). */
function headsOf(t: TaskDraft, event: Outcome) {
  const read = (payloadOf(event).reviewed_shas ?? []).map(headOf)
  const live = t.open.map((mr) => {
    const seen = event.heads.find((head) => isSame(head, mr))
    const base = seen ? seen.base : mr.baseBranch
    return { repository: mr.repository, number: mr.number, sha: seen?.sha ?? mr.headSha, base, seen }
  })
  return { read, live }
}

function asTold({ repository, number, sha, base, seen }: ReturnType<typeof headsOf>['live'][number]): object {
  return seen ?? { repository, number, sha, ...(base === undefined ? {} : { base }) }
}

/** Against a base that this turn was not told of, nothing was read (HEAD-1): the next turn is told. */
function baseFault(t: TaskDraft, event: Outcome): Move | undefined {
  const other = headsOf(t, event).live.filter((live) => {
    const known = t.known(live)
    return known?.baseUntold !== undefined || isNewBase(known, live.base)
  })
  if (other.length === 0) return undefined
  const { does } = refuse(t, 'head-moved', { heads: other.map(asTold) })
  return { does: () => (other.forEach((live) => place(t, live, live)), does?.()) }
}

/** What was read, each against the base that the call found. */
function judgedOf(t: TaskDraft, event: Outcome): readonly Head[] {
  const { read, live } = headsOf(t, event)
  return read.map((head) => {
    const base = live.find((one) => isSame(one, head))?.base
    return { ...head, ...(base === undefined ? {} : { base }) }
  })
}

function headsFault(t: TaskDraft, event: Outcome): Move | undefined {
  const { read, live } = headsOf(t, event)
  if (live.length === 0) return refuse(t, 'no-open-merge-request')
  const moved = live.filter((one) => {
    const there = read.filter((head) => isSame(head, one))
    return there.length > 0 && !there.some(({ sha }) => sha === one.sha)
  })
  const heads = moved.map(asTold)
  return moved.length > 0 ? refuse(t, 'head-moved', { heads }) : undefined
}

function missingHeads(t: TaskDraft, event: Outcome): Move | undefined {
  const { read, live } = headsOf(t, event)
  const missing = live.filter((one) => !read.some((head) => isSame(head, one)))
  if (missing.length === 0) return undefined
  return refuse(t, 'sha-incomplete', {
    missing: missing.map(asTold),
  })
}

/** The implementer owns the level; a review may raise it. */
function levelFault(t: TaskDraft, event: Outcome): Move | undefined {
  const { change_significance: raised } = payloadOf(event)
  const isLower = raised !== undefined && t.c.forge.significance !== null && rank(raised) < rank(t.c.forge.significance)
  return isLower ? refuse(t, 'significance-lowered', {}, 400) : undefined
}

function levelOf(t: TaskDraft, event: Outcome): TaskContext['forge']['significance'] {
  const { change_significance: raised } = payloadOf(event)
  const { significance } = t.c.forge
  if (raised === undefined || significance === null) return raised ?? significance
  return rank(raised) > rank(significance) ? raised : significance
}

function postReviews(t: TaskDraft, event: Outcome, verdict: string): void {
  const { findings = [] } = payloadOf(event)
  const { read } = headsOf(t, event)
  const posts: Asked[] = t.open.flatMap((mr) =>
    read
      .filter((head) => isSame(head, mr))
      .map((head) => ({
        type: 'postReview',
        params: {
          project: t.c.config.project,
          ...head,
          verdict,
          body: 'words',
          findings: findings.filter(({ repo, number }) => isSame({ repository: repo, number }, head)),
        },
      })),
  )
  t.afterPod(posts)
}

/** Of several reasons the first; who brought foreign commits is named only where nothing else holds the change. */
function holdOf(t: TaskDraft, event: Outcome): readonly [reason: string, detail: string | null] | undefined {
  if (!t.isGranted) return ['approval-revoked', null]
  if (!t.isUnderCeiling(levelOf(t, event), event)) return ['over-auto-approve-ceiling', null]
  const may = (head: LiveHead, mr: Named): boolean => isSame(head, mr) && head.authorMayMerge && !head.draft
  if (!t.open.every((mr) => event.heads.some((head) => may(head, mr)))) return ['needs-maintainer', null]
  const isForeign = event.heads.some(
    ({ foreign = [], ...head }) => foreign.length > 0 && t.open.some((mr) => isSame(head, mr)),
  )
  return isForeign ? ['needs-maintainer', 'words'] : undefined
}

function approve(t: TaskDraft, event: Outcome): Move {
  const fault = missingHeads(t, event) ?? headsFault(t, event) ?? baseFault(t, event)
  if (fault) return fault
  if (!event.workspaceClean) return refuse(t, 'workspace-dirty')
  const lowered = levelFault(t, event)
  if (lowered) return lowered
  const { live } = headsOf(t, event)
  const read = judgedOf(t, event)
  const significance = levelOf(t, event)
  const hold = holdOf(t, event)
  if (hold)
    return accept(t, event, 'awaiting-human', hold[0], () => {
      t.c.stage.detail = hold[1]
      postReviews(t, event, 'approve')
      t.afterPod(t.comments)
      put(t.c, { forge: { reviewed: read, goAheads: [], significance } })
    })
  return accept(t, event, 'merging.settling', null, () => {
    for (const one of live)
      t.patchMergeRequest(one, { headSha: one.sha, ...(one.base === undefined ? {} : { baseBranch: one.base }) })
    put(t.c, { forge: { verdict: read, reviewed: null, significance } })
    postReviews(t, event, 'approve')
  })
}

function requestChanges(t: TaskDraft, event: Outcome): Move {
  const fault = headsFault(t, event) ?? levelFault(t, event)
  if (fault) return fault
  const significance = levelOf(t, event)
  const isWork = /^(implementing|documenting|upgrading)$/.test(t.ownStage)
  const to = isWork ? `${t.ownStage}.fresh` : 'awaiting-human'
  return accept(t, event, to, isWork ? null : 'changes-requested', () => {
    postReviews(t, event, 'request_changes')
    const [first] = headsOf(t, event).read
    if (!t.isReviewKind) t.news('mr_review', first)
    put(t.c, { stage: { reviewRounds: t.c.stage.reviewRounds + 1 }, forge: { verdict: null, significance } })
  })
}

function isTitled(one: string, other: string): boolean {
  return titleKey('', one) === titleKey('', other)
}

/** Within the Project's target, and none twice (OUTCOME-RULE-7). */
function propose(t: TaskDraft, event: Outcome): Move {
  const { proposals = [] } = payloadOf(event)
  const { left, filed: known } = event.proposals ?? { left: 0, filed: [] }
  const filed = known.filter((one) => proposals.some(({ title }) => isTitled(title, one.title)))
  const fresh: { repo: string; title: string }[] = []
  for (const { repo, title } of proposals) {
    const isTwice = fresh.some((one) => one.repo === repo && isTitled(one.title, title))
    const isFiled = filed.some((one) => one.repository === repo && isTitled(one.title, title))
    if (!isTwice && !isFiled) fresh.push({ repo, title })
  }
  if (fresh.length === 0) return refuse(t, 'conflict', { reason: 'duplicate-proposals', filed })
  if (fresh.length > left) return refuse(t, 'proposal-cap', { left, filed })
  const asks = fresh.map(({ repo, title }) => filing(t, repo, 'proposal', titleKey(repo, title)))
  return accept(t, event, 'delivered', null, () => t.afterPod(asks), { files: fresh, filed })
}

function filing(t: TaskDraft, repository: string, sort: string, dedupe: string): Asked {
  const { project } = t.c.config
  return { type: 'fileIssue', params: { project, repository, title: 'words', body: 'words', sort, dedupe } }
}

function skip(t: TaskDraft, event: Outcome): Move {
  const { reason = '' } = payloadOf(event)
  return accept(t, event, 'delivered', null, () => platformNote(t, 'finding', `Nothing proposed: ${reason}`))
}

function fileIssue(t: TaskDraft, event: Outcome): Move {
  const { issue, alert_rules: rules = [] } = payloadOf(event)
  const repo = issue?.repo ?? ''
  const ask = filing(t, repo, 'incident', titleKey(repo, rules.toSorted().join(' ')))
  return accept(t, event, 'delivered', null, () => t.afterPod([ask]))
}

function falsePositive(t: TaskDraft, event: Outcome): Move {
  const { alert_rules: rules = [], reason = '' } = payloadOf(event)
  const listed = rules.map((rule) => `\`${rule}\``).join(', ')
  return accept(t, event, 'delivered', null, () => platformNote(t, 'finding', `False positive of ${listed}: ${reason}`))
}

/** A member whose agent runs is refused in the call; the others answer by themselves [OWNERSHIP-7]. */
function refine(t: TaskDraft, event: Outcome): Move {
  const { folds = [], closes = [], links = [] } = payloadOf(event)
  const [namespace] = t.c.id.split('/')
  const members = [...new Set(folds.map(({ task }) => (task.includes('/') ? task : `${namespace}/${task}`)))]
  const stateOf = (task: string): string => event.members?.find((one) => one.task === task)?.state ?? 'unknown'
  const running = members.filter((task) => stateOf(task) === 'running')
  const gone = members.filter((task) => stateOf(task) !== 'free')
  if (members.includes(t.c.id)) return refuse(t, 'conflict', { reason: 'no-member' })
  if (running.length > 0) return refuse(t, 'member-running', { members: running })
  if (gone.length > 0) return refuse(t, 'conflict', { reason: 'no-member', members: gone })
  const { project } = t.c.config
  const closings = closes.map(({ repo, number }) => ({
    type: 'closeIssue',
    params: { project, repository: repo, number, comment: 'words', retires: true },
  }))
  const related = links.length < 2 ? [] : links
  const linked = related.map(({ repo, number, isPR }) =>
    t.commentOn(isPR === true ? 'mr' : 'issue', { repository: repo, number }),
  )
  const to = members.length > 0 ? 'refining.folding' : 'delivered'
  return accept(t, event, to, null, () => {
    t.afterPod([...closings, ...linked])
    t.c.forge.folds = members.map((task) => ({ task, answer: null }))
  })
}

/** By stage, kind and action (LAW-12). */
const rows: Readonly<Record<string, (t: TaskDraft, event: Outcome) => Move>> = {
  'brainstorming brainstorm propose': propose,
  'brainstorming brainstorm skip': skip,
  'investigating incident file_issue': fileIssue,
  'investigating incident false_positive': falsePositive,
  'refining refine refine': refine,
  'implementing implement approved': approved,
  'implementing implement rejected': rejected,
  'implementing implement declined': declined,
  'implementing implement discuss': discuss,
  'implementing implement submitted': submitted,
  'documenting documentation declined': declined,
  'documenting documentation discuss': discussThere,
  'documenting documentation submitted': submitted,
  'upgrading upgrade declined': declinedUpgrade,
  'upgrading upgrade discuss': discussThere,
  'upgrading upgrade submitted': submitted,
  'reviewing review approve': approve,
  'reviewing review request_changes': requestChanges,
}
