/** What a reconciler of a cluster's resources must know of actors (edges/kubernetes/reconcile/reconcile-deps.ts). */
import type { ActorReads, LiveTask, TaskState } from '../../edges/kubernetes/reconcile/reconcile-deps.ts'
import { conditionsOf } from '../../machines/project/conditions.ts'
import { allActors } from '../../runtime/all-actors.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import { lifeOf } from './tasks-by-hand.ts'

/** `runsStacks`: whether memory stacks run here; one that nobody can end holds no Project. */
export function actorReads(
  runtime: Pick<Runtime, 'read' | 'list'>,
  { runsStacks }: { readonly runsStacks: boolean },
): ActorReads {
  return {
    async project(id) {
      const actor = await runtime.read(`project:${id}`)
      if (actor === undefined) return undefined
      const [ready] = conditionsOf(actor.context)
      return { reason: ready.status === 'True' ? '' : ready.reason, isDeleted: isDeleted(actor), seq: actor.seq }
    },
    async projects() {
      const ids: string[] = []
      for await (const actor of allActors(runtime, 'project')) if (!isDeleted(actor)) ids.push(actor.id)
      return ids
    },
    async stateOf(resource) {
      return stateOf((await lifeOf(runtime, resource)).actor)
    },
    async task(id) {
      const actor = await runtime.read(`task:${id}`)
      return { state: stateOf(actor), ...(actor === undefined ? {} : madeBy(actor)) }
    },
    async stack(id) {
      const actor = runsStacks ? await runtime.read(`memory-stack:${id}`) : undefined
      if (actor === undefined) return { runs: false, stays: '' }
      return actor.path === 'absent' ? { runs: false, stays: actor.context.words } : { runs: true, stays: '' }
    },
    async liveTasks(project) {
      const tasks: LiveTask[] = []
      const namespace = project === undefined ? '' : project.slice(0, project.indexOf('/') + 1)
      for await (const actor of allActors(runtime, 'task', namespace)) {
        const { config } = actor.context
        if (stateOf(actor) !== 'live' || config.project === '') continue
        if (project !== undefined && config.project !== project) continue
        tasks.push({ id: actor.id, project: config.project, ...madeBy(actor) })
      }
      return tasks
    },
  }
}

function isDeleted({ path }: Pick<ActorView, 'path'>): boolean {
  return path.startsWith('deleted')
}

/** One in quarantine lives: people repair it. */
function stateOf(actor: Pick<ActorView, 'status'> | undefined): TaskState {
  if (actor === undefined) return 'none'
  return actor.status === 'done' ? 'final' : 'live'
}

function madeBy(actor: ActorView<'task'>): Pick<LiveTask, 'madeBy'> {
  const { origin } = actor.context
  return origin.kind === 'human' ? { madeBy: origin.ref } : {}
}
