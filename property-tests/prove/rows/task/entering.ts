/** What leaving a stage takes back, and entering one begins (POD-2, STAGE-4, FORGE-WRITES-1). */
import { shortHash } from '../../../../machines/rules/names.ts'
import { agentOfStage, ends, isSame, parks, type TaskDraft } from './draft.ts'

function topOf(stage: string): string {
  return stage.split('.')[0]!
}

/** `from` is left for `to`; a move within one stage leaves only what is inside it. */
export function leave(t: TaskDraft, from: string, to: string, isWithin: boolean): void {
  if (from === 'reviewing.opening.asked') t.withdraw('openMergeRequest')
  if (from.startsWith('merging.asked') && !to.startsWith('merging.asked')) t.withdraw('mergeMergeRequest')
  if (topOf(from) !== 'merging' || isWithin) return
  const { merging } = t.c
  const left = merging && t.open.find((mr) => isSame(mr, merging))
  const reason = t.c.stageReason ?? 'withdrawn'
  t.c.merging = null
  t.c.mergeAsks = 0
  if (left) t.tell(`merge-request:${left.mergeRequest}`, 'merge.left', { task: t.c.id, reason })
}

function isKeptVisit(t: TaskDraft, stage: string): boolean {
  return t.c.stage === 'refined' && stage === 'implementing'
}

function begin(t: TaskDraft, stage: string, stageClass: 'active' | 'parked' | 'terminal'): void {
  const { c } = t
  if (stageClass === 'active') c.stageReason = null
  if (!isKeptVisit(t, stage)) c.visit += 1
  c.stage = stage
  c.stageClass = stageClass
  c.stageEnteredAt = c.at
  c.stageWorkStartedAt = null
  c.stages = [...c.stages, { stage, at: c.at, reason: c.stageReason }].slice(-200)
}

export function enter(t: TaskDraft, to: string, isWithin: boolean): void {
  const stage = topOf(to)
  if (ends.has(stage)) end(t, stage)
  else if (parks.has(stage)) park(t, stage)
  else if (!isWithin) activate(t, stage)
  t.stage = to
  if (to.endsWith('.fresh')) t.c.wants = agentOfStage[stage] ?? null
  if (to === 'reviewing.opening.asked') askToOpen(t)
  if (to === 'merging.asked.outstanding') askToMerge(t)
  if (to === 'refining.folding') askMembers(t)
}

function activate(t: TaskDraft, stage: string): void {
  begin(t, stage, 'active')
  Object.assign(t.c, { silentTurns: 0, failedTurns: 0, visitResidencyMs: 0, turnDelayMs: 0 })
  t.c.stageDetail = null
  t.c.parkedFrom = null
  t.c.wants = stage === 'refined' ? 'implement' : null
}

/** A park on a park keeps where the first one came from. */
function park(t: TaskDraft, stage: string): void {
  if (t.c.stageClass === 'active') t.c.parkedFrom = t.c.stage
  begin(t, stage, 'parked')
  t.c.wants = null
}

/** ISSUE-5, OWNERSHIP-4: every Issue is told; what stays open loses its owner, and that is said. */
function end(t: TaskDraft, stage: string): void {
  const { c } = t
  const why = c.stageReason ?? stage
  const said = t.open.map((mr) => t.commentOn('mr', mr))
  begin(t, stage, 'terminal')
  Object.assign(c, { wants: null, claims: [], verdict: null })
  for (const { issue, state } of c.issues) {
    if (state === 'handedOver') continue
    if (stage === 'delivered') t.tell(`issue:${issue}`, 'task.delivered', { task: c.id })
    else t.tell(`issue:${issue}`, 'task.ended', { task: c.id, stage, reason: why })
  }
  if (c.origin.kind === 'cron') t.tell(`project:${c.config.project}`, 'task.ended', { task: c.id, stage, reason: why })
  for (const mr of c.mergeRequests)
    if (mr.state === 'open' || mr.state === 'closed')
      t.tell(`merge-request:${mr.mergeRequest}`, 'mr.released', { task: c.id, reason: why })
  t.afterPod(said)
}

/** Where something was pushed or is open, and nothing is merged. */
export function opensIn(t: TaskDraft): readonly string[] {
  const isMerged = (repository: string): boolean =>
    t.c.mergeRequests.some((mr) => mr.repository === repository && mr.state === 'merged')
  return [...new Set([...t.c.pushedRepositories, ...t.open.map((mr) => mr.repository)])].filter((one) => !isMerged(one))
}

/** STAGE-9, FORGE-WRITES-2: read again once the pod is gone. */
export function isOpeningFaulty(t: TaskDraft): boolean {
  const repositories = opensIn(t)
  return (
    t.c.lastTurnFailedRepos.length > 0 ||
    repositories.length === 0 ||
    !t.isGranted ||
    !t.isPlanKept ||
    !t.isOrdered(t.c.submission?.mergeOrder ?? null, repositories)
  )
}

function askToOpen(t: TaskDraft): void {
  const repositories = opensIn(t)
  t.c.openAttempt += 1
  t.c.awaitingOpen = repositories
  for (const repository of repositories)
    t.ask('openMergeRequest', {
      project: t.c.config.project,
      repository,
      branch: t.branchIn(repository),
      title: 'words',
      body: 'words',
      closes: t.liveIssues.flatMap((issue) => (issue.repository === repository ? [issue.number] : [])),
      attempt: t.c.openAttempt,
    })
}

/** One at a time, in merge order, each at its own head [LAW-2]. */
function askToMerge(t: TaskDraft): void {
  const order = t.c.submission?.mergeOrder ?? []
  const place = (repository: string): number => (order.includes(repository) ? order.indexOf(repository) : order.length)
  const [next] = t.open.toSorted(
    (a, b) =>
      place(a.repository) - place(b.repository) || a.repository.localeCompare(b.repository) || a.number - b.number,
  )
  if (!next) return
  const { repository, number, headSha: sha } = next
  const { merging } = t.c
  const isSameAsk = merging !== null && isSame(merging, next) && merging.sha === sha
  t.c.merging = { repository, number, sha }
  t.c.mergeAttempt += 1
  t.c.mergeAsks += 1
  const grants = t.judged.map(({ issue }) => `issue:${issue}`)
  t.ask('mergeMergeRequest', {
    project: t.c.config.project,
    repository,
    number,
    sha,
    attempt: t.c.mergeAttempt,
    grants,
  })
  if (!isSameAsk) t.tell(`merge-request:${next.mergeRequest}`, 'merge.asked', { task: t.c.id, sha })
}

/** The heir's name is known before any member answers, and the same at every ask [OWNERSHIP-7, OWNERSHIP-8]. */
export function heirOf(
  t: TaskDraft,
  kind: 'fold' | string,
  number: number,
  seed: string,
): { to: string; entry: string } {
  const [namespace = ''] = t.c.id.split('/')
  const to = `${namespace}/implement-${kind}-${number}-${shortHash(`${t.c.id}/${seed}`)}`
  return { to, entry: `mint/${to}` }
}

function askMembers(t: TaskDraft): void {
  const { to, entry } = heirOf(t, 'fold', t.c.folds.length, 'fold')
  for (const { task, answer } of t.c.folds)
    if (answer === null) t.ask('requestFold', { member: task, by: t.c.id, project: t.c.config.project, to, entry })
}
