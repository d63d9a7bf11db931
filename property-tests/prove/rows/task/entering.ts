/** What leaving a stage takes back, and entering one begins (POD-2, STAGE-4, FORGE-WRITES-1). */
import { shortHash } from '../../../../machines/rules/names.ts'
import { put, agentOfStage, ends, isPair, isSame, parks, type TaskDraft } from './draft.ts'

function topOf(stage: string): string {
  return stage.split('.')[0]!
}

/** `from` is left for `to`; a move within one stage leaves only what is inside it. */
export function leave(t: TaskDraft, from: string, to: string, isWithin: boolean): void {
  if (from === 'reviewing.opening.asked') t.withdraw('openMergeRequest')
  if (from.startsWith('merging.asked') && !to.startsWith('merging.asked')) t.withdraw('mergeMergeRequest')
  if (topOf(from) !== 'merging' || isWithin) return
  const { merging } = t.c.forge
  const left = merging && t.open.find((mr) => isSame(mr, merging))
  const reason = t.c.stage.reason ?? 'withdrawn'
  t.c.forge.merging = null
  t.c.forge.mergeAsks = 0
  if (left) t.tell(`merge-request:${left.mergeRequest}`, 'merge.left', { task: t.c.id, reason })
}

function isKeptVisit(t: TaskDraft, stage: string): boolean {
  return t.c.stage.name === 'refined' && stage === 'implementing'
}

function begin(t: TaskDraft, stage: string, stageClass: 'active' | 'parked' | 'terminal'): void {
  const { c } = t
  if (stageClass === 'active') c.stage.reason = null
  if (!isKeptVisit(t, stage)) c.stage.visit += 1
  c.stage.name = stage
  c.stage.class = stageClass
  c.stage.enteredAt = c.at
  c.stage.workStartedAt = null
  c.stage.clockedAt = c.at
  c.stage.spentMs = 0
  c.stage.history = [...c.stage.history, { stage, at: c.at, reason: c.stage.reason }].slice(-200)
}

export function enter(t: TaskDraft, to: string, isWithin: boolean): void {
  const stage = topOf(to)
  if (ends.has(stage)) end(t, stage)
  else if (parks.has(stage)) park(t, stage)
  else if (!isWithin) activate(t, stage)
  t.stage = to
  if (to.endsWith('.fresh')) t.c.stage.wants = agentOfStage[stage] ?? null
  if (to.endsWith('.clocked')) t.c.stage.clockedAt = t.c.at
  if (to === 'reviewing.opening.asked') askToOpen(t)
  if (to === 'merging.asked.outstanding') askToMerge(t)
  if (to === 'refining.folding') askMembers(t)
}

function activate(t: TaskDraft, stage: string): void {
  begin(t, stage, 'active')
  put(t.c, { turn: { silentInRow: 0, failedInRow: 0, delayMs: 0 }, pod: { visitResidencyMs: 0 } })
  t.c.stage.detail = null
  t.c.stage.parkedFrom = null
  t.c.stage.wants = stage === 'refined' ? 'implement' : null
}

/** A park on a park keeps where the first one came from. */
function park(t: TaskDraft, stage: string): void {
  if (t.c.stage.class === 'active') t.c.stage.parkedFrom = t.c.stage.name
  begin(t, stage, 'parked')
  t.c.stage.wants = null
}

/** ISSUE-5, OWNERSHIP-4: every Issue is told; what stays open loses its owner, and that is said. */
function end(t: TaskDraft, stage: string): void {
  const { c } = t
  const why = c.stage.reason ?? stage
  const said = t.open.map((mr) => t.commentOn('mr', mr))
  begin(t, stage, 'terminal')
  put(c, { stage: { wants: null }, forge: { claims: [], verdict: null } })
  for (const { issue, state } of c.forge.issues) {
    if (state === 'handedOver') continue
    if (stage === 'delivered') t.tell(`issue:${issue}`, 'task.delivered', { task: c.id })
    else t.tell(`issue:${issue}`, 'task.ended', { task: c.id, stage, reason: why })
  }
  if (c.origin.kind === 'cron') t.tell(`project:${c.config.project}`, 'task.ended', { task: c.id, stage, reason: why })
  for (const mr of c.forge.mergeRequests)
    if (mr.state === 'open' || mr.state === 'closed')
      t.tell(`merge-request:${mr.mergeRequest}`, 'mr.released', { task: c.id, reason: why })
  t.afterPod(said)
}

/** Where something was pushed or is open, and nothing is merged. */
export function opensIn(t: TaskDraft): readonly string[] {
  const isMerged = (repository: string): boolean =>
    t.c.forge.mergeRequests.some((mr) => mr.repository === repository && mr.state === 'merged')
  return [...new Set([...t.c.turn.pushedRepositories, ...t.open.map((mr) => mr.repository)])].filter(
    (one) => !isMerged(one),
  )
}

/** STAGE-9, FORGE-WRITES-2: read again once the pod is gone. */
export function isOpeningFaulty(t: TaskDraft): boolean {
  const repositories = opensIn(t)
  return (
    t.c.turn.lastFailedRepos.length > 0 ||
    repositories.length === 0 ||
    !t.isGranted ||
    !t.isPlanKept ||
    !t.isOrdered(t.c.forge.submission?.mergeOrder ?? null, repositories)
  )
}

function askToOpen(t: TaskDraft): void {
  const repositories = opensIn(t)
  t.c.forge.openAttempt += 1
  t.c.forge.awaitingOpen = repositories
  for (const repository of repositories)
    t.ask('openMergeRequest', {
      project: t.c.config.project,
      repository,
      branch: t.branchIn(repository),
      title: 'words',
      body: 'words',
      closes: t.liveIssues.flatMap((issue) => (issue.repository === repository ? [issue.number] : [])),
      attempt: t.c.forge.openAttempt,
    })
}

/** One at a time, in merge order, each at its own head [LAW-2]. */
function askToMerge(t: TaskDraft): void {
  const order = t.c.forge.submission?.mergeOrder ?? []
  const place = (repository: string): number => (order.includes(repository) ? order.indexOf(repository) : order.length)
  const [next] = t.open.toSorted(
    (a, b) =>
      place(a.repository) - place(b.repository) || a.repository.localeCompare(b.repository) || a.number - b.number,
  )
  if (!next) return
  const { repository, number, headSha: sha, baseBranch: base } = next
  const { merging } = t.c.forge
  const isSameAsk = merging !== null && base !== undefined && isPair(merging, next)
  const head = { repository, number, sha, ...(base === undefined ? {} : { base }) }
  t.c.forge.merging = head
  t.c.forge.mergeAttempt += 1
  t.c.forge.mergeAsks = merging !== null && isPair(merging, next) ? t.c.forge.mergeAsks + 1 : 1
  const grants = t.judged.map(({ issue }) => `issue:${issue}`)
  const { checkQuestion: said } = t.c.forge
  const isLet = said?.isAllowed === true && isPair(said, next)
  t.ask('mergeMergeRequest', {
    ...(isLet ? { despite: said.checks } : {}),
    project: t.c.config.project,
    ...head,
    attempt: t.c.forge.mergeAttempt,
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
  const { to, entry } = heirOf(t, 'fold', t.c.forge.folds.length, 'fold')
  for (const { task, answer } of t.c.forge.folds)
    if (answer === null) t.ask('requestFold', { member: task, by: t.c.id, project: t.c.config.project, to, entry })
}
