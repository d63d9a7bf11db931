/** Whether the plan stands on the issue as the platform wrote it, and stood so when a maintainer answered it (APPROVAL-19). */
import { planComment } from '../../../machines/issue/plan.ts'
import type { CitationConjunct } from '../../../machines/rules/citation.ts'
import { inert } from '../../../machines/rules/executed-text.ts'
import { sameLogin } from '../../../machines/rules/logins.ts'
import { planSeenAt } from '../../../machines/rules/plan-seen.ts'
import type { TaskContext, TaskIssue } from '../../../machines/task/context.ts'
import { topicMarker, withMarkers, withoutMarkers } from '../../forge/marker.ts'
import { inWordsOf } from '../../forge/words-of-forge.ts'
import type { ForgeComment } from '../../forge/port.ts'
import { forgePath, repositoryNamed, type ProjectSettings } from '../../forge/projects.ts'
import type { AgentApiDeps } from '../deps.ts'
import { withWords } from '../spilled-notes.ts'

/**
 * Read from the forge within the call, since a webhook of the edit may be late or lost. Every edit moves the comment's time, so an
 * approval older than this time may speak of another text. One from before the first plan speaks of none that was shown.
 */
export async function planRefusal(
  deps: Pick<AgentApiDeps, 'openForge' | 'sql'>,
  project: ProjectSettings,
  task: TaskContext,
  { repository: name, number }: TaskIssue,
  approvedAt: number,
): Promise<CitationConjunct | undefined> {
  const plans = task.journal.notes.filter(({ kind }) => kind === 'plan')
  const repository = repositoryNamed(project, name)
  if (repository === undefined) return 'plan-shown'
  const path = forgePath(repository, project.scm)
  const forge = await deps.openForge(task.config.project)
  const shown = (await forge.listComments(path, 'issue', number)).find((one) => isPlan(one, project))
  const hadNone = shown === undefined || seconds(shown.createdAt) > seconds(approvedAt)
  const approved = planSeenAt(plans, approvedAt)
  // Nor has anybody read a plan within its own second.
  if (hadNone && planSeenAt(plans, approvedAt - 1000) === undefined) return undefined
  // Of an older plan: the Issue refuses it for that (APPROVAL-10).
  if (approved !== undefined && approved.bodyHash !== task.journal.planHash) return undefined
  const words = inWordsOf(project.scm.provider, 'issue', inert(await planOf(deps, task)))
  if (shown !== undefined && sameText(withoutMarkers(shown.body), words)) {
    if (seconds(shown.updatedAt) <= seconds(approvedAt)) return undefined
    // What stood there was the plan of an earlier Task.
    return approved === undefined ? 'plan-newest' : 'plan-shown'
  }
  // Written anew, it is newer than every approval of the other text.
  const text = withMarkers(words, topicMarker('plan'))
  if (shown === undefined) await forge.createComment(path, 'issue', number, text)
  else await forge.editComment(path, { on: 'issue', number, id: shown.id }, text)
  return 'plan-shown'
}

function isPlan({ author, body }: ForgeComment, { scm }: ProjectSettings): boolean {
  return sameLogin(author.login, scm.botLogin) && body.includes(topicMarker('plan'))
}

async function planOf({ sql }: Pick<AgentApiDeps, 'sql'>, task: TaskContext): Promise<string> {
  const { notes, planNoteId, planHash } = task.journal
  const known = await withWords(sql, task.id, notes, ({ id }) => id === planNoteId)
  return planComment(planHash ?? '', known.find(({ id }) => id === planNoteId)?.body ?? '')
}

/** Forges may keep other line ends, and none at the end. */
function sameText(left: string, right: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()
  return plain(left) === plain(right)
}

/** Forges date in whole seconds. */
function seconds(at: number): number {
  return Math.floor(at / 1000)
}
