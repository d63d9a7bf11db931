/** What there is to do in one Project, as its runs decide on it: read from the actors, which know more than their mirrors. */
import { createHash } from 'node:crypto'
import type { EffectParams } from '../../machines/effect.ts'
import type { IssueContext } from '../../machines/issue/context.ts'
import type { IssueFacts } from '../../machines/issue/events.ts'
import { awaitsOffer } from '../../machines/issue/settle.ts'
import { isUnattended } from '../../machines/merge-request/mint.ts'
import type { Backlog, LiveTask } from '../../machines/project/events.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { TerminalError } from '../../runtime/errors.ts'
import type { EffectHandler, Runtime } from '../../runtime/runtime.ts'
import { isMarkedParked } from '../forge/parked-marker.ts'
import { documentationOf, type ProjectDirectory, type ProjectSettings } from '../forge/projects.ts'
import { liveActors } from './live-actors.ts'

export interface BacklogDeps {
  readonly runtime: Pick<Runtime, 'list' | 'read'>
  readonly directory: Pick<ProjectDirectory, 'project'>
  /** Proposals of the platform that are open and not declined. */
  readonly openProposals: (project: string) => Promise<number>
  /** What the forge shows on it, as the mirror knows. */
  readonly labelsOf: (project: string, repository: string, number: number) => Promise<readonly string[]>
}

export function readBacklog(deps: BacklogDeps): EffectHandler<EffectParams<'readBacklog'>> {
  return {
    async perform({ project: id, run }, { actor, key, at }) {
      const project = await deps.directory.project(id)
      if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
      const backlog = await backlogOf(deps, id, project)
      return [{ to: actor, key: `${key}/read`, event: { type: 'backlog.read', at, run, backlog } }]
    },
  }
}

async function backlogOf(deps: BacklogDeps, id: string, project: ProjectSettings): Promise<Backlog> {
  const { runtime } = deps
  const documentation = documentationOf(project)
  return {
    tasks: await tasksOf(runtime, id),
    issues: await issuesOf(deps, id),
    mergeRequests: await mergeRequestsOf(runtime, id),
    openProposals: await deps.openProposals(id),
    repositories: project.repositories.map(({ name }) => name),
    ...(documentation === undefined ? {} : { documentation }),
    config: project.taskConfig,
  }
}

/** Those that live, and those that wait to be minted or were admitted a moment ago. */
async function tasksOf(runtime: Pick<Runtime, 'list' | 'read'>, project: string): Promise<LiveTask[]> {
  const tasks = new Map<string, LiveTask>()
  // The queue first: a Task that is minted between the two reads is found twice, never missed.
  const queue = (await runtime.read(`queue:${project}`))?.context
  for (const { sort, task, seed } of queue?.entries ?? [])
    if (sort === 'mint' && seed) tasks.set(task, { task, kind: seed.kind, repositories: seed.repositories, open: true })
  const minted = new Set([...tasks.keys()])
  for await (const task of liveActors(runtime, 'task', project)) {
    if (task.config.project !== project) continue
    minted.delete(task.id)
    tasks.delete(task.id)
    if (task.stage.class !== 'terminal') tasks.set(task.id, liveTask(task))
  }
  for (const id of minted) if ((await runtime.read(`task:${id}`))?.status === 'done') tasks.delete(id)
  return [...tasks.values()]
}

/** SCHEDULE-9: `merging` has no pod and holds nobody back. */
function liveTask({ id, kind, repositories, stage: { name: stage, class: stageClass } }: TaskContext): LiveTask {
  return { task: id, kind, repositories: [...repositories], open: stageClass === 'active' && stage !== 'merging' }
}

/** Oldest first; those whose Task was parked before come last: minting for them again most likely parks again. */
async function issuesOf({ runtime, labelsOf }: BacklogDeps, project: string): Promise<Backlog['issues']> {
  const found: { readonly issue: IssueContext; readonly facts: IssueFacts; readonly wasParked: boolean }[] = []
  for await (const issue of liveActors(runtime, 'issue', project)) {
    const { facts, owner } = issue
    if (facts?.project !== project || facts.state !== 'open' || (!facts.wanted && owner === '')) continue
    const wasParked = owner === '' && isMarkedParked(await labelsOf(project, facts.repository, facts.number))
    found.push({ issue, facts, wasParked })
  }
  return found
    .toSorted((a, b) => Number(a.wasParked) - Number(b.wasParked) || a.facts.number - b.facts.number)
    .map(({ issue, facts }) => ({
      issue: issue.id,
      repository: facts.repository,
      print: printOf(issue.id, facts),
      offerable: awaitsOffer(issue),
    }))
}

/** What a refine would see otherwise; not what the platform itself writes to the issue. */
function printOf(id: string, { bodyHash, humanCommented, approvals, withdrawnBy }: IssueFacts): string {
  const fields = [id, bodyHash, humanCommented, approvals.map((one) => one.commentId), withdrawnBy ?? '']
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 12)
}

async function mergeRequestsOf(runtime: Pick<Runtime, 'list'>, project: string): Promise<Backlog['mergeRequests']> {
  const found: Backlog['mergeRequests'] = []
  for await (const mr of liveActors(runtime, 'merge-request', project))
    if (mr.facts?.config.project === project && isUnattended(mr))
      found.push({ mergeRequest: mr.id, repository: mr.facts.repository, headSha: mr.facts.headSha })
  return found
}
