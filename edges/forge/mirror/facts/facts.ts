/** The mirror's rows as the machines' facts, by the pure rules over the whole thread. */
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import type { MergeRequestFacts } from '../../../../machines/merge-request/events.ts'
import { isAdopted } from '../../../../machines/rules/may-merge.ts'
import { isInReactionScope } from '../../../../machines/rules/mentions.ts'
import { isTaskBranch } from '../../../../machines/rules/names.ts'
import { sameLogin } from '../../../../machines/rules/logins.ts'
import { bodyHash } from '../../hash.ts'
import { projectId, type ProjectSettings } from '../../projects.ts'
import { isHeardSubject } from './gate.ts'
import { isOwnText } from './hands.ts'
import { judgedThread } from './judged-thread.ts'
import type { People } from './people.ts'
import type { IssueNotes, MirroredComment, MirroredIssue, MirroredMergeRequest } from './records.ts'
import type { MirrorRules } from './rules.ts'
import type { Thread } from './words.ts'

export interface FactsContext {
  readonly project: ProjectSettings
  readonly people: People
  readonly thread: readonly MirroredComment[]
  readonly judged?: MirrorRules['judged']
  /** Of an issue: the merge requests of its Task. */
  readonly elsewhere?: readonly Thread[]
  /** Of an issue: its Task, once one of its merge requests is merged. */
  readonly mergedFor?: string
}

export function issueFactsOf(
  row: MirroredIssue,
  { project, people, thread, judged: judge = judgedThread, elsewhere = [], mergedFor }: FactsContext,
): IssueFacts {
  const { issue, notes } = row
  const judged = judge(thread, people, elsewhere)
  const isOthersText = notes.editedByOther || notes.othersAt !== undefined
  const closedBy = notes.closedBy ?? issue.closedBy?.login
  return {
    project: projectId(project),
    repository: row.repository,
    number: row.number,
    state: notes.deleted === true ? 'closed' : issue.state,
    ...(issue.state === 'closed' && closedBy !== undefined
      ? { closedBy: sameLogin(closedBy, project.scm.botLogin) ? 'bot' : 'human' }
      : {}),
    ...(mergedFor === undefined ? {} : { mergedFor }),
    title: isHeardSubject(row, people) ? issue.title : '',
    author: issue.author.login,
    url: issue.url,
    bodyHash: bodyHash(`${issue.title}\n${issue.body}`),
    editedByOther: notes.editedByOther,
    selfProposed: people.isOwn(issue.author) && !isOthersText,
    humanCommented: isSpokenFor(thread, people),
    wanted: isWanted(row, project, people),
    ...(isSwept(row, project, people, thread) ? { swept: true } : {}),
    unwantedByMaintainer: notes.unwantedByMaintainer,
    ...judged,
    ...ofThisText(judged, notes),
    labels: labelNamesOf(project),
    config: project.taskConfig,
  }
}

/** An approval that is not newer than an edit by others or by an agent speaks of another text; its author is asked. */
function ofThisText(
  { approvals, unclear }: Pick<IssueFacts, 'approvals' | 'unclear'>,
  { othersAt = -Infinity, agentEditAt = -Infinity }: IssueNotes,
): Pick<IssueFacts, 'approvals' | 'unclear'> {
  const standing = approvals.filter(({ at }) => at > Math.max(othersAt, agentEditAt))
  const left = standing.length > 0 ? [] : approvals.map(({ commentId }) => commentId)
  return { approvals: standing, unclear: [...left, ...unclear] }
}

function labelNamesOf({ scm: { labels } }: ProjectSettings): IssueFacts['labels'] {
  const { brainstorming, approved, implementation, declined, priority } = labels
  return { brainstorming, approved, implementation, declined, ...(priority === undefined ? {} : { priority }) }
}

/** Our own wish, which no person has spoken for: a sweep hands it out, where there are sweeps. */
function isSwept(
  { issue }: MirroredIssue,
  { kinds }: ProjectSettings,
  people: People,
  thread: readonly MirroredComment[],
): boolean {
  return kinds.scansIssues === true && people.isOwn(issue.author) && !isSpokenFor(thread, people)
}

function isSpokenFor(thread: readonly MirroredComment[], people: People): boolean {
  return thread.some((one) => people.isGatedHuman(one.comment.author) && !people.isOwnComment(one.comment))
}

/** The trigger label, or our own issue; by somebody let in, or labelled by a maintainer's own hand. */
function isWanted({ issue, notes }: MirroredIssue, project: ProjectSettings, people: People): boolean {
  if (people.isOwn(issue.author)) return true
  const labelled = issue.labels.some((label) => label.toLowerCase() === project.triggerLabel.toLowerCase())
  const vouched = notes.labelledBy !== undefined && people.isMaintainer({ login: notes.labelledBy, id: '', bot: false })
  return labelled && (vouched || (people.isLetIn(issue.author) && !people.isBot(issue.author)))
}

export function mergeRequestFactsOf(
  row: MirroredMergeRequest,
  { project, people, thread }: FactsContext,
): MergeRequestFacts {
  const { mergeRequest: found, notes } = row
  const pusher = { login: notes.pushedBy, id: '', bot: false }
  const adopted = isAdoptedHere(row, project)
  return {
    project: projectId(project),
    repository: row.repository,
    number: row.number,
    state: notes.deleted === true && found.state === 'open' ? 'closed' : found.state,
    title: isHeardSubject(row, people) ? found.title : '',
    author: found.author.login,
    url: found.url,
    draft: found.draft,
    headSha: found.headSha,
    headBranch: found.headBranch,
    baseBranch: found.baseBranch,
    base: found.baseBranch,
    ci: notes.ci,
    mergeable: found.mergeable,
    ...(found.mergeCommit === undefined ? {} : { mergeCommit: found.mergeCommit }),
    // An engine that runs under our own account is no pod of the Task that reviews it.
    headByBot: notes.headByBot && !adopted,
    pushedBy: notes.pushedBy,
    pushedByGated: adopted
      ? people.isBot(pusher) || people.isGatedHuman(pusher)
      : !notes.headByBot && people.isGatedHuman(pusher),
    wanted: adopted || isReviewed(row, project, people, thread),
    config: project.taskConfig,
  }
}

/** Of the dependency engine, by branch and author (PROJECT-UPGRADE-13); our own Tasks' branches are no engine's. */
function isAdoptedHere(
  { mergeRequest: found }: MirroredMergeRequest,
  { scm, kinds, upgradeEngineLogins }: ProjectSettings,
): boolean {
  const { botLogin, maintainerLogins } = scm
  const policy = { botLogin, maintainerLogins, adoptBranchPrefix: kinds.adoptBranchPrefix, upgradeEngineLogins }
  const candidate = { author: found.author.login, headBranch: found.headBranch }
  return !isTaskBranch(found.headBranch) && isAdopted(candidate, policy)
}

/** A human's merge request that the intake gate and `prReactionScope` let in. */
function isReviewed(
  { mergeRequest, notes: { trustedText = mergeRequest } }: MirroredMergeRequest,
  project: ProjectSettings,
  people: People,
  thread: readonly MirroredComment[],
): boolean {
  if (!people.isGatedHuman(mergeRequest.author)) return false
  const spoken = thread
    .filter((one) => isOwnText(one) && people.isGatedHuman(one.comment.author))
    .map((one) => one.comment.body)
  return isInReactionScope({
    scope: project.scm.prReactionScope ?? '',
    labels: mergeRequest.labels,
    triggerLabel: project.triggerLabel,
    texts: [trustedText.title, trustedText.body, ...spoken],
    botLogin: project.scm.botLogin,
  })
}
