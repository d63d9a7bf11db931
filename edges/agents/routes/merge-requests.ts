import { Type, type Static } from 'typebox'
import type { TaskContext, TaskIssue, TaskMergeRequest } from '../../../machines/task/context.ts'
import {
  branchIn,
  ceilingHolds,
  gatedIssues,
  grantsHold,
  liveIssues,
  planHolds,
} from '../../../machines/task/queries.ts'
import { inert, inertTitle, withClosing } from '../../../machines/rules/executed-text.ts'
import type { HttpApp } from '../../../http/app.ts'
import { withPlainNames } from '../../../http/problems/plain-input.ts'
import { invalidInput, Problem, type Fault } from '../../../http/problems/problem.ts'
import { requiredByAction } from '../argument-faults.ts'
import { refuseForeignProject, requirePod, type CallingPod } from '../caller.ts'
import { ceilingNow } from '../outcome/ceiling.ts'
import type { Ceiling } from '../../../machines/rules/significance.ts'
import type { AgentApiDeps } from '../deps.ts'
import { accessRepository, type ForgeAccess } from '../forge-access.ts'
import { commentOnce } from '../own-writes.ts'

/** mr_write. There is no merge, approve or request-changes action (TOOL-MR-6). */
export const MrWrite = Type.Object(
  {
    action: Type.Union([Type.Literal('open'), Type.Literal('comment'), Type.Literal('reply')]),
    repo: Type.String({ description: 'Repository name, as repo_list gives it.' }),
    project: Type.Optional(Type.String()),
    number: Type.Optional(Type.Integer({ minimum: 1 })),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    body: Type.Optional(Type.String({ minLength: 1, maxLength: 60_000 })),
    in_reply_to: Type.Optional(
      Type.String({ description: 'external_id of the comment, from scm_read(kind=comments).' }),
    ),
  },
  { additionalProperties: false },
)
export type MrWrite = Static<typeof MrWrite>

const requiredBy: Readonly<Record<MrWrite['action'], readonly (keyof MrWrite)[]>> = {
  open: ['title', 'body'],
  comment: ['number', 'body'],
  reply: ['number', 'body', 'in_reply_to'],
}

/** The one cell of the gating table that is neither yes nor no (GATING-20, GATING-21): said by the tool and held by the route. */
export function mayWriteMr(agentKind: string, action: unknown): boolean {
  return agentKind !== 'refine' || action === 'comment'
}

/** What the schema cannot say; the tool asks it before it calls. */
export function mrWriteFaults(wanted: Partial<MrWrite>): readonly Fault[] {
  return requiredByAction(requiredBy, wanted)
}

export function mergeRequestRoutes(app: HttpApp, deps: AgentApiDeps): void {
  app.post(
    '/tasks/:task/merge-requests',
    {
      schema: {
        params: Type.Object({ task: Type.String() }),
        body: withPlainNames(MrWrite, ['repo', 'project', 'in_reply_to']),
        summary: 'Open or answer a merge request',
      },
    },
    async (request) => {
      const caller = await requirePod(request, deps, request.params.task)
      const wanted = request.body
      if (!mayWriteMr(caller.claims.agentKind, wanted.action))
        throw new Problem('tool-denied', 'refine may only comment')
      const faults = mrWriteFaults(wanted)
      if (faults.length > 0) throw invalidInput(faults)
      refuseForeignProject(caller.claims, wanted.project)
      const open = wanted.action === 'open' ? ownOpen(caller.task, wanted.repo) : undefined
      if (open !== undefined) return existing(open)
      const access = await accessRepository(deps, caller.claims.project, wanted.repo)
      return wanted.action === 'open' ? openNew(deps, caller, access, wanted) : comment(deps, caller, access, wanted)
    },
  )
}

/** What the Task knows answers without the forge, which may be away or out of requests (TOOL-OPEN-2). */
function ownOpen(task: TaskContext, repository: string): TaskMergeRequest | undefined {
  const branch = branchIn(task, repository)
  return task.forge.mergeRequests.find(
    (mr) => mr.repository === repository && mr.state === 'open' && mr.headBranch === branch,
  )
}

function existing({ number, url, headSha }: Pick<TaskMergeRequest, 'number' | 'url' | 'headSha'>): object {
  return { status: 'ok', existing: true, number, url, head_sha: headSha }
}

async function openNew(
  deps: AgentApiDeps,
  { claims, task }: CallingPod,
  { forge, path, repository }: ForgeAccess,
  wanted: MrWrite,
): Promise<object> {
  const branch = branchIn(task, repository.name)
  const [there] = await forge.listMergeRequests(path, { state: 'open', headBranch: branch })
  if (there !== undefined) return existing(there)
  const merged = task.forge.mergeRequests.find((mr) => mr.repository === repository.name && mr.state === 'merged')
  if (merged !== undefined)
    throw new Problem('mr-merged', `merge request ${merged.number} of ${repository.name} is merged`)
  refuseUngranted(task, await ceilingNow(deps, task))
  if ((await forge.branchHead(path, branch)) === undefined)
    throw new Problem('branch-not-pushed', `${branch} is not on the forge yet: commit, and call again`)
  const base =
    task.config.repositories.find(({ name }) => name === repository.name)?.base ??
    (await forge.repository(path)).defaultBranch
  const mr = await forge.createMergeRequest(path, {
    branch,
    base,
    title: inertTitle(wanted.title ?? ''),
    body: withClosing(inert(wanted.body ?? ''), ownIssues(task, repository.name)),
  })
  await deps.runtime.deliver({
    to: `task:${claims.task}`,
    key: `opened/${repository.name}/${mr.number}`,
    event: {
      type: 'mr.ready',
      at: deps.clock.now(),
      repository: repository.name,
      number: mr.number,
      mergeRequest: `${claims.task.split('/')[0]}/${repository.name}-mr-${mr.number}`,
      headSha: mr.headSha,
      headBranch: mr.headBranch,
      baseBranch: mr.baseBranch,
      author: mr.author.login,
      url: mr.url,
      attempt: task.forge.openAttempt,
    },
  })
  return { status: 'ok', number: mr.number, url: mr.url, head_sha: mr.headSha }
}

/** What its merge closes; the words of the agent close nothing. */
function ownIssues(task: TaskContext, repository: string): readonly number[] {
  return liveIssues(task).flatMap((issue) => (issue.repository === repository ? [issue.number] : []))
}

const guidance = {
  'needs-maintainer-comment': 'Ask on the issue and wait: a maintainer has to approve by a comment.',
  'needs-approval-tool': 'A maintainer has approved: call submit_outcome with action approved and cite that comment.',
  'over-auto-approve-ceiling':
    'The change is too large for an issue that the platform proposed: ask a maintainer to approve by a comment on the issue.',
} as const

interface Blocking {
  readonly issue: TaskIssue
  readonly detail: keyof typeof guidance
}

/** What the machine asks before code is handed in (TOOL-OPEN-5, LAW-3): the merge request of an agent's own hand is no way around it. */
function refuseUngranted(task: TaskContext, ceiling: Ceiling): void {
  if (task.kind !== 'implement') return
  const issues = blockingIssues(task, ceiling).map(({ issue: { repository, number }, detail }) => ({
    repository,
    number,
    detail,
    guidance: guidance[detail],
  }))
  if (issues.length > 0)
    throw new Problem('approval-required', 'an issue of this Task lacks its approval', {
      members: { reason: 'approval-required', issues },
    })
  if (!planHolds(task))
    throw new Problem('plan-changed', 'the newest plan is not the approved one: ask a maintainer to approve it')
}

/** Where all are closed, all of them: closing is no approval [APPROVAL-8]. */
function blockingIssues(task: TaskContext, ceiling: Ceiling): readonly Blocking[] {
  if (!grantsHold(task)) {
    const ungranted = gatedIssues(task).filter(({ grant }) => grant === null)
    return (liveIssues(task).length > 0 ? ungranted : task.forge.issues).map((issue) => ({
      issue,
      detail: issue.accepted ? 'needs-approval-tool' : 'needs-maintainer-comment',
    }))
  }
  // How large it is is said by `submitted`; before, nothing is known to be too large.
  if (task.forge.significance === null || ceilingHolds(task, task.forge.significance, ceiling)) return []
  const proposed = gatedIssues(task).filter(({ grant }) => grant?.self === true)
  return proposed.map((issue) => ({ issue, detail: 'over-auto-approve-ceiling' }))
}

async function comment(
  deps: AgentApiDeps,
  { claims }: CallingPod,
  { forge, path, repository }: ForgeAccess,
  wanted: MrWrite,
): Promise<object> {
  const number = wanted.number ?? 0
  const asked = { task: claims.task, path, on: 'mr', number, body: inert(wanted.body ?? '') } as const
  const { comment: written, existing } = await commentOnce(forge, asked, (text) =>
    wanted.action === 'reply'
      ? forge.reply(path, number, wanted.in_reply_to ?? '', text)
      : forge.createComment(path, 'mr', number, text),
  )
  await deps.runtime.deliver({
    to: `task:${claims.task}`,
    key: `asked/${claims.pod}/${written.id}`,
    event: { type: 'agent.asked', at: deps.clock.now(), pod: claims.pod, repository: repository.name, number },
  })
  return { status: 'ok', external_id: written.id, url: written.url, ...(existing ? { existing: true } : {}) }
}
