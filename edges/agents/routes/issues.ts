import { Type, type Static } from 'typebox'
import { inert, inertTitle } from '../../../machines/rules/executed-text.ts'
import type { HttpApp } from '../../../http/app.ts'
import { withPlainNames } from '../../../http/plain-input.ts'
import { invalidInput, Problem, type Fault } from '../../../http/problem.ts'
import { requiredByAction } from '../argument-faults.ts'
import { refuseForeignProject, requirePod, type CallingPod } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'
import { accessRepository, type ForgeAccess } from '../forge-access.ts'
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
    await refuseAnothers(deps, caller, access, number)
    await refuseGranted(deps, caller, access, number)
    const issue = await forge.editIssue(path, number, {
      ...(wanted.title && { title: wanted.title }),
      ...(wanted.body && { body: wanted.body }),
    })
    return { status: 'ok', number, url: issue.url }
  }
  if (wanted.action === 'close') await refuseAnothers(deps, caller, access, number)
  const said = await comment(
    deps,
    caller,
    access,
    number,
    (wanted.action === 'close' ? wanted.comment : wanted.body) ?? '',
  )
  if (wanted.action === 'close') await forge.closeIssue(path, number)
  return said
}

/** An order hidden in one issue reaches no other Task's: what that one asks for is its own (only refine tidies up among all). */
async function refuseAnothers(
  { runtime }: Pick<AgentApiDeps, 'runtime'>,
  { claims }: CallingPod,
  { repository }: ForgeAccess,
  number: number,
): Promise<void> {
  if (claims.agentKind === 'refine') return
  const [namespace] = claims.task.split('/')
  const owner = (await runtime.read(`issue:${namespace}/${repository.name}-${number}`))?.context['owner']
  if (typeof owner === 'string' && owner !== '' && owner !== claims.task)
    throw new Problem('forbidden', 'another Task works on this issue: comment on it, or report it in your outcome')
}

/** The bot's hand is trusted with what a maintainer approved, so an agent may not borrow it there (TOOL-ISSUE-8). */
async function refuseGranted(
  { runtime }: Pick<AgentApiDeps, 'runtime'>,
  { claims }: CallingPod,
  { repository }: ForgeAccess,
  number: number,
): Promise<void> {
  const [namespace] = claims.task.split('/')
  const grant = (await runtime.read(`issue:${namespace}/${repository.name}-${number}`))?.context['grant'] ?? null
  if (grant !== null)
    throw new Problem(
      'forbidden',
      'a maintainer approved this issue as it stands, and an edit would change what was approved: comment on it instead',
    )
}

async function comment(
  deps: AgentApiDeps,
  { claims }: CallingPod,
  { forge, path, repository }: ForgeAccess,
  number: number,
  body: string,
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
