/**
 * Forge writes on behalf of an agent: each carries a hidden marker made from the Task and the words, and is looked for
 * before it is written, so that a retry, by the same pod or by the next one, never doubles a comment.
 */
import { createHash } from 'node:crypto'
import type { ForgeComment, ForgePort, ForgeSubjectKind } from '../forge/port.ts'

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
