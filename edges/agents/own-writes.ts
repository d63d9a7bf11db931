/**
 * Forge writes on behalf of an agent: each carries a hidden marker made from the Task and the words, and is looked for
 * before it is written, so that a retry, by the same pod or by the next one, never doubles a comment.
 */
import { createHash } from 'node:crypto'
import type { ForgeComment, ForgeIssue, ForgePort, ForgeSubjectKind } from '../forge/port.ts'

export interface AgentComment {
  readonly task: string
  readonly path: string
  readonly on: ForgeSubjectKind
  readonly number: number
  readonly body: string
}

export function agentMarker({ task, path, on, number, body }: AgentComment): string {
  const digest = createHash('sha256').update([task, path, on, number, body].join('\n')).digest('hex').slice(0, 24)
  return `<!-- platform:agent/${digest} -->`
}

export async function commentOnce(
  forge: ForgePort,
  comment: AgentComment,
  write: (body: string) => Promise<ForgeComment>,
): Promise<{ readonly comment: ForgeComment; readonly existing: boolean }> {
  const marker = agentMarker(comment)
  const earlier = [
    ...(await forge.listComments(comment.path, comment.on, comment.number)),
    ...(comment.on === 'mr' ? await forge.listReviews(comment.path, comment.number) : []),
  ].find(({ body }) => body.includes(marker))
  if (earlier !== undefined) return { comment: earlier, existing: true }
  return { comment: await write(`${comment.body}\n\n${marker}`), existing: false }
}

interface AgentIssue {
  readonly task: string
  readonly path: string
  readonly title: string
  readonly body: string
}

/** The same words as an issue of its own: looked for among the open ones, the newest page of which is where a retry's is. */
export async function openIssueOnce(
  forge: ForgePort,
  { task, path, title, body }: AgentIssue,
): Promise<{ readonly issue: ForgeIssue; readonly existing: boolean }> {
  const marker = agentMarker({ task, path, on: 'issue', number: 0, body: `${title}\n${body}` })
  const earlier = (await forge.listIssues(path, { state: 'open' })).find((issue) => issue.body.includes(marker))
  if (earlier !== undefined) return { issue: earlier, existing: true }
  return { issue: await forge.createIssue(path, { title, body: `${body}\n\n${marker}` }), existing: false }
}
