/** The Tasks that a Project asks for by itself: an entry of its queue each, minted when it is admitted. */
import { tellQueue, type EffectAction } from '../emit.ts'
import { taskName } from '../rules/names.ts'
import type { AgentKind, TaskSeed } from '../task/events.ts'
import { runOf, type ProjectContext } from './context.ts'
import type { Backlog, BlockName } from './events.ts'

/** QUEUE-1, lower first: what a sweep waits for goes before what only the schedule asks for. */
const priorities = { sweep: 80, cron: 100 } as const

const dayMs = 86_400_000

interface Wish {
  readonly kind: AgentKind
  readonly goal: string
  readonly repositories: readonly string[]
  readonly priority: number
}

export interface Minted {
  readonly task: string
  readonly effect: EffectAction
}

function nameOf({ id }: ProjectContext): string {
  return id.slice(id.indexOf('/') + 1)
}

function mint(context: ProjectContext, name: BlockName, { config }: Backlog, wish: Wish): Minted {
  const run = runOf(context, name)
  const { runs } = context.scheduled!.blocks[name]
  const namespace = context.id.slice(0, context.id.indexOf('/'))
  const task = `${namespace}/${taskName(wish.kind, nameOf(context), runs, `${context.id}/${run}/${wish.kind}`)}`
  const { kind, goal, priority } = wish
  const seed: TaskSeed = {
    kind,
    goal,
    repositories: [...wish.repositories],
    issues: [],
    mergeRequests: [],
    priority,
    origin: { kind: 'cron', ref: run },
    config,
  }
  const entry = { entry: `mint/${task}`, sort: 'mint', task, class: 'normal', priority, kind, seed } as const
  return { task, effect: tellQueue(context.id, { type: 'queue.enqueue', ...entry }) }
}

export function mintRefine(context: ProjectContext, name: BlockName, backlog: Backlog): Minted {
  return mint(context, name, backlog, {
    kind: 'refine',
    goal: `the backlog of ${nameOf(context)}, before ${name === 'brainstorm' ? 'new proposals are looked for' : 'work is handed out'}`,
    repositories: backlog.repositories,
    priority: priorities.sweep,
  })
}

/** `scm.guidance` comes verbatim at the end of the goal (PROJECT-SCM-14). */
export function mintBrainstorm(context: ProjectContext, backlog: Backlog): Minted {
  const { guidance } = context.scheduled!.settings.brainstorm
  const goal = `what ${nameOf(context)} should do next`
  return mint(context, 'brainstorm', backlog, {
    kind: 'brainstorm',
    goal: guidance === '' ? goal : `${goal}\n\n${guidance}`,
    repositories: backlog.repositories,
    priority: priorities.cron,
  })
}

/** One nightly batch Task for each Project (CRON-9). */
export function mintDocumentation(context: ProjectContext, backlog: Backlog, repository: string): Minted {
  const since = new Date(context.at - dayMs).toISOString()
  return mint(context, 'documentation', backlog, {
    kind: 'documentation',
    goal: `what was merged in the last 24 hours, since ${since}, in ${backlog.repositories.join(', ')}`,
    repositories: [repository],
    priority: priorities.cron,
  })
}

export function mintUpgrade(context: ProjectContext, backlog: Backlog): Minted {
  return mint(context, 'upgrade', backlog, {
    kind: 'upgrade',
    goal: `one unit of the dependencies of ${nameOf(context)}`,
    repositories: backlog.repositories,
    priority: priorities.cron,
  })
}
