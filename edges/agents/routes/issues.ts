import { Type, type Static } from 'typebox'
import { inert, inertTitle } from '../../../machines/rules/executed-text.ts'
import { isListed } from '../../../machines/rules/logins.ts'
import type { HttpApp } from '../../../http/app.ts'
import { withPlainNames } from '../../../http/problems/plain-input.ts'
import { invalidInput, Problem, type Fault } from '../../../http/problems/problem.ts'
import { requiredByAction } from '../argument-faults.ts'
import { refuseForeignProject, requirePod, type CallingPod } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import { accessRepository, type ForgeAccess } from '../forge-access.ts'
import { maintainersOf } from '../../forge/projects.ts'
import { commentOnce, openIssueOnce } from '../own-writes.ts'

/** issue_write. No status and no labels: approval and every lifecycle label belong to the orchestrator (TOOL-ISSUE-5). */
export const IssueWrite = Type.Object(
  {
    action: Type.Union([Type.Literal('create'), Type.Literal('edit'), Type.Literal('close'), Type.Literal('comment')]),
    repo: Type.String({ description: 'Repository name, as repo_list gives it.' }),
    project: Type.Optional(Type.String()),
    number: Type.Optional(Type.Integer({ minimum: 1 })),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    body: Type.Optional(Type.String({ minLength: 1, maxLength: 60_000 })),
    comment: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60_000,
        description: 'Required for close: every close cites its reason.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type IssueWrite = Static<typeof IssueWrite>

const requiredBy: Readonly<Record<IssueWrite['action'], readonly (keyof IssueWrite)[]>> = {
  create: ['title', 'body'],
  edit: ['number'],
  close: ['number', 'comment'],
  comment: ['number', 'body'],
}

/** What the schema cannot say; the tool asks it before it calls. */
export function issueWriteFaults(wanted: Partial<IssueWrite>): readonly Fault[] {
  return requiredByAction(requiredBy, wanted)
}

export function issueRoutes(app: HttpApp, deps: AgentApiDeps): void {
  app.post(
    '/tasks/:task/issues',
    {
      schema: {
        params: Type.Object({ task: Type.String() }),
        body: withPlainNames(IssueWrite, ['repo', 'project']),
        summary: 'Write to an issue',
      },
    },
    async (request, reply) => {
      const caller = await requirePod(request, deps, request.params.task)
      const wanted = request.body
      const faults = issueWriteFaults(wanted)
      if (faults.length > 0) throw invalidInput(faults)
      refuseForeignProject(caller.claims, wanted.project)
      const access = await accessRepository(deps, caller.claims.project, wanted.repo)
      return reply
        .code(wanted.action === 'create' ? 201 : 200)
        .send(await perform(deps, caller, access, inertWords(wanted)))
    },
  )
}

/** The forge takes them for the bot's own: none of them may command it (EXECUTED-1). */
function inertWords({ title, body, comment: reason, ...others }: IssueWrite): IssueWrite {
  return {
    ...others,
    ...(title === undefined ? {} : { title: inertTitle(title) }),
    ...(body === undefined ? {} : { body: inert(body) }),
    ...(reason === undefined ? {} : { comment: inert(reason) }),
  }
}

async function perform(
  deps: AgentApiDeps,
  caller: CallingPod,
  access: ForgeAccess,
  wanted: IssueWrite,
): Promise<object> {
  const { forge, path } = access
  const number = wanted.number ?? 0
  if (wanted.action === 'create') {
    const asked = { task: caller.claims.task, path, title: wanted.title ?? '', body: wanted.body ?? '' }
    const { issue, existing } = await openIssueOnce(forge, asked)
    return { status: 'ok', number: issue.number, url: issue.url, ...(existing ? { existing: true } : {}) }
  }
  if (wanted.action === 'edit') {
    await refuseEdit(deps, caller, access, number)
    const issue = await forge.editIssue(path, number, {
      ...(wanted.title && { title: wanted.title }),
      ...(wanted.body && { body: wanted.body }),
    })
    return { status: 'ok', number, url: issue.url }
  }
  if (wanted.action === 'close') await refuseAnothers(deps, caller, access, number)
  const body = (wanted.action === 'close' ? wanted.comment : wanted.body) ?? ''
  const posted = await comment(deps, caller, access, { number, body })
  if (wanted.action === 'close') await forge.closeIssue(path, number)
  return posted
}

interface IssueNow {
  readonly owner: string
  /** A plan is shown there, or a grant stands on it. */
  readonly isPlanned: boolean
}

async function issueNow(
  { runtime }: Pick<AgentApiDeps, 'runtime'>,
  { claims }: CallingPod,
  { repository }: ForgeAccess,
  number: number,
): Promise<IssueNow> {
  const [namespace] = claims.task.split('/')
  const view = await runtime.read(`issue:${namespace}/${repository.name}-${number}`)
  const { owner, plans, grant } = view?.context ?? {}
  const isShown = Array.isArray(plans) && plans.length > 0
  return { owner: typeof owner === 'string' ? owner : '', isPlanned: isShown || (grant ?? null) !== null }
}

/** What an issue asks for is its own Task's to close (TOOL-ISSUE-6); only refine tidies up among all. */
async function refuseAnothers(
  deps: Pick<AgentApiDeps, 'runtime'>,
  caller: CallingPod,
  access: ForgeAccess,
  number: number,
): Promise<void> {
  const { task, agentKind } = caller.claims
  if (agentKind === 'refine') return
  const { owner } = await issueNow(deps, caller, access, number)
  if (owner !== '' && owner !== task)
    throw new Problem('forbidden', 'another Task works on this issue: comment on it, or report it in your outcome')
}

/** The text of an issue is what people speak of: an order hidden in one reaches no other, and no word comes to mean another text (TOOL-ISSUE-8). */
async function refuseEdit(
  deps: Pick<AgentApiDeps, 'runtime' | 'threads'>,
  caller: CallingPod,
  access: ForgeAccess,
  number: number,
): Promise<void> {
  const { task, project: projectId, agentKind } = caller.claims
  const { owner, isPlanned } = await issueNow(deps, caller, access, number)
  if (owner !== task && !(agentKind === 'refine' && owner === ''))
    throw new Problem(
      'forbidden',
      `only the issue of your own Task${agentKind === 'refine' ? ', or one that no Task works on,' : ''} may be edited: comment on this one instead`,
    )
  if (isPlanned)
    throw new Problem('forbidden', 'a plan is shown on this issue and speaks of its text as it stands: comment instead')
  const comments = await deps.threads.comments(projectId, access.repository.name, number, 'issue')
  const maintainers = maintainersOf(access.project, access.repository)
  if (comments.some(({ author }) => isListed(author, maintainers)))
    throw new Problem('forbidden', 'a maintainer wrote on this issue and speaks of its text: comment instead')
}

async function comment(
  deps: AgentApiDeps,
  { claims }: CallingPod,
  { forge, path, repository }: ForgeAccess,
  { number, body }: { readonly number: number; readonly body: string },
): Promise<object> {
  const asked = { task: claims.task, path, on: 'issue', number, body } as const
  const { comment: written, existing } = await commentOnce(forge, asked, (text) =>
    forge.createComment(path, 'issue', number, text),
  )
  await deps.runtime.deliver({
    to: `task:${claims.task}`,
    key: `asked/${claims.pod}/${written.id}`,
    event: { type: 'agent.asked', at: deps.clock.now(), pod: claims.pod, repository: repository.name, number },
  })
  return { status: 'ok', external_id: written.id, url: written.url, ...(existing ? { existing: true } : {}) }
}
