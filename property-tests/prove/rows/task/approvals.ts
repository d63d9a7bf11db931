/** The Task's copy of what its Issues judge: every word is kept, and four of them move it (APPROVAL-7, APPROVAL-4). */
import { put, isGoAheadPark, isParkedBy, type EventOf, type TaskDraft } from './draft.ts'
import type { Move } from './pods.ts'

const nothing: Move = {}

function keepGrant(t: TaskDraft, { issue, planHash, self }: EventOf<'approval.granted'>): void {
  const { c } = t
  const owned = c.forge.issues.find((one) => one.issue === issue)
  if (!owned) return
  const isEcho = owned.grant?.planHash === planHash && owned.grant.self === self && !c.forge.claims.includes(issue)
  t.patchIssue(issue, { grant: { planHash, self }, withdrawn: false })
  c.forge.claims = c.forge.claims.filter((one) => one !== issue)
  if (isEcho) return
  t.append('approval', owned, c.forge.claimedMaintainer ?? 'statewright', 'words')
  if (t.isGranted) put(c, { turn: { prompt: 'write-code', nudged: true } })
}

/** With this grant every live issue has one. */
function completesGrants(t: TaskDraft, { issue }: EventOf<'approval.granted'>): boolean {
  const others = t.gated.filter((one) => one.issue !== issue)
  return t.owns(issue) && t.liveIssues.length > 0 && others.every(({ grant }) => grant)
}

function granted(t: TaskDraft, event: EventOf<'approval.granted'>): Move {
  const keep = (): void => keepGrant(t, event)
  const release = (): void => (keep(), t.heardNothing())
  if (t.is('backlog-sweep') && t.owns(event.issue)) return { to: 'refined', does: release }
  if (t.is('identity-unverified') && completesGrants(t, event)) return { to: 'implementing.fresh', does: release }
  if ((isParkedBy(t, 'approval-revoked') || isParkedBy(t, 'withheld')) && completesGrants(t, event))
    return { to: t.open.length > 0 ? 'reviewing.fresh' : `${t.ownStage}.fresh`, does: release }
  return { does: keep }
}

function refused(t: TaskDraft, { issue, reason }: EventOf<'approval.refused'>): Move {
  const drop = (): void => {
    t.c.forge.claims = t.c.forge.claims.filter((one) => one !== issue)
    t.c.pod.recordedApproval = null
  }
  if (!t.is('implementing') || !t.owns(issue)) return { does: drop }
  const does = (): void => {
    drop()
    put(t.c, { stage: { reason: 'approval-refused', detail: reason } })
    t.askAll(t.issueComments)
  }
  return { to: 'identity-unverified', does }
}

function revoked(t: TaskDraft, { issue }: EventOf<'approval.revoked'>): Move {
  const owned = t.c.forge.issues.find((one) => one.issue === issue)
  if (!owned) return nothing
  const forget = (): void => {
    t.patchIssue(issue, { grant: null, accepted: false, withdrawn: true })
    put(t.c, {
      forge: { verdict: null, reviewed: null, goAheads: [], checkQuestion: null },
      pod: { recordedApproval: null },
    })
    t.append('approval', owned, 'statewright', 'words')
  }
  if (t.is('reviewing', 'merging'))
    return { to: 'awaiting-human', does: () => (forget(), t.because('approval-revoked')) }
  const waits = isGoAheadPark(t) || isParkedBy(t, 'withheld', 'optional-check')
  return { does: waits ? () => (forget(), t.because('approval-revoked')) : forget }
}

function commented(t: TaskDraft, { issue, by }: EventOf<'approval.commented'>): Move {
  const owned = t.c.forge.issues.find((one) => one.issue === issue)
  if (!owned) return nothing
  const keep = (): void => {
    t.patchIssue(issue, { accepted: true })
    const { repository, number } = owned
    const isTold = t.c.journal.pending.some(
      (one) => one.repository === repository && one.number === number && one.author === by,
    )
    if (!isTold) t.append('issue_comment', owned, by, 'words')
  }
  const release = (): void => (keep(), t.heardNothing())
  if (t.is('backlog-sweep')) return { to: 'refined', does: release }
  if (t.is('identity-unverified') || isParkedBy(t, 'approval-revoked'))
    return { to: 'implementing.fresh', does: release }
  if (isParkedBy(t, 'withheld')) return { to: 'reviewing.fresh', does: release }
  return { does: keep }
}

function lapsed(t: TaskDraft, { issue }: EventOf<'approval.lapsed'>): Move {
  return { does: () => t.patchIssue(issue, { accepted: false }) }
}

/** `issue.allClosed` [APPROVAL-8]. */
function closed(t: TaskDraft, { issue }: EventOf<'issue.closed'>): Move {
  const isLast = t.c.kind === 'implement' && t.owns(issue) && t.liveIssues.every((one) => one.issue === issue)
  const keep = (): void => {
    t.patchIssue(issue, { state: 'closed' })
    t.c.forge.claims = t.c.forge.claims.filter((one) => one !== issue)
  }
  if (!isLast) return { does: keep }
  const forget = (): void => {
    keep()
    t.c.forge.issues = t.c.forge.issues.map((one) => ({ ...one, grant: null }))
    put(t.c, { forge: { verdict: null, reviewed: null, goAheads: [], checkQuestion: null } })
  }
  const to = (stage: string): Move => ({ to: stage, does: () => (forget(), t.because('issue-closed')) })
  if (t.open.length === 0) return to('rejected')
  if (isParkedBy(t, 'held')) return { does: forget }
  if (t.is('awaiting-human')) return { does: to('awaiting-human').does! }
  return t.c.stage.class === 'active' ? to('awaiting-human') : { does: forget }
}

function reopened(t: TaskDraft, { issue }: EventOf<'issue.reopened'>): Move {
  const owned = t.c.forge.issues.find((one) => one.issue === issue)
  if (!owned) return nothing
  const does = (): void => {
    t.patchIssue(issue, { state: 'open' })
    t.c.pod.recordedApproval = null
    t.append('approval', owned, 'statewright', 'words')
  }
  return { does }
}

export const handlers = {
  'approval.granted': granted,
  'approval.refused': refused,
  'approval.revoked': revoked,
  'approval.commented': commented,
  'approval.lapsed': lapsed,
  'issue.closed': closed,
  'issue.reopened': reopened,
}
