import { Type, type Static } from 'typebox'
import { commandsIn } from '../../../machines/rules/commands.ts'
import { isListed, sameLogin } from '../../../machines/rules/logins.ts'
import { isMentioned } from '../../../machines/rules/mentions.ts'
import { maintainersOf } from '../../forge/projects.ts'
import type { ForgeMergeRequest } from '../../forge/port.ts'
import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { MirroredComment } from '../../ports/threads.ts'
import { answerFrom } from '../answer.ts'
import { requirePod } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import { accessRepository, type ForgeAccess } from '../forge-access.ts'

/** mr_takeover_request: the comment that asks for it is named, and judged here (TOOL-TAKEOVER-2, TOOL-TAKEOVER-3, OWNERSHIP-10). */
export const TakeoverRequest = Type.Object(
  {
    repo: Type.String({ description: 'Repository name, as repo_list gives it.' }),
    number: Type.Integer({ minimum: 1 }),
    comment_external_id: Type.String({ description: 'external_id of the comment that asks for the takeover.' }),
  },
  { additionalProperties: false },
)
export type TakeoverRequest = Static<typeof TakeoverRequest>

export function takeoverRoute(app: HttpApp, deps: AgentApiDeps): void {
  app.post(
    '/tasks/:task/takeover-requests',
    {
      schema: {
        params: Type.Object({ task: Type.String() }),
        body: TakeoverRequest,
        summary: 'Take over a merge request that its author or a maintainer offers',
      },
    },
    async (request, reply) => {
      const { claims } = await requirePod(request, deps, request.params.task)
      const { repo, number, comment_external_id: commentId } = request.body
      const access = await accessRepository(deps, claims.project, repo)
      const comments = await deps.threads.comments(claims.project, repo, number, 'mr')
      const comment = comments.find(({ id }) => id === commentId)
      const by = allowed(access, await access.forge.mergeRequest(access.path, number), comment)
      const receipt = await deps.runtime.deliver({
        to: `task:${claims.task}`,
        key: `takeover/${repo}/${number}/${commentId}/${request.id}`,
        event: { type: 'takeover.accepted', at: deps.clock.now(), repository: repo, number, by, commentId },
      })
      return answerFrom(receipt, reply)
    },
  )
}

/** Who asked, or why it may not be taken over. */
export function allowed(
  { project, repository, path }: Pick<ForgeAccess, 'project' | 'repository' | 'path'>,
  mr: Pick<ForgeMergeRequest, 'author' | 'headRepository' | 'state'>,
  comment: Pick<MirroredComment, 'author' | 'bot' | 'body'> | undefined,
): string {
  if (comment === undefined) throw refusal('comment-missing', 'the merge request has no such comment')
  const { author, body } = comment
  const isMaintainer = isListed(author, maintainersOf(project, repository))
  if (comment.bot || !(isMaintainer || sameLogin(author, mr.author.login)))
    throw refusal('not-theirs', 'only the author of the merge request or a maintainer can hand it over')
  const asks = commandsIn(body).some(({ name }) => name === 'takeover') || isMentioned(body, project.scm.botLogin)
  if (!asks) throw refusal('not-asked', 'that comment contains neither /takeover nor a mention of the bot')
  if (mr.state !== 'open') throw refusal('not-open', 'the merge request is not open')
  // The git gateway pushes to the Project's own repositories and nowhere else, edits allowed or not.
  if (mr.headRepository?.toLowerCase() !== path.toLowerCase())
    throw new Problem('fork-not-writable', 'the branch is in a fork: ask its author to push it to this repository')
  return author
}

function refusal(reason: string, detail: string): Problem {
  return new Problem('takeover-refused', detail, { members: { reason } })
}
