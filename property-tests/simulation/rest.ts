/** The end of a life: looks again and again until nobody has anything left to do, and helps what is parked. */
import type { ComposedOrchestrator } from '../../orchestrator/wiring/compose.ts'
import type { CitationChecks } from '../../machines/rules/citation.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { World } from '../runtime/simulation/world.ts'
import { oldLetter, sendsOldLetter } from './operator.ts'
import type { Orchestrators } from './orchestrators.ts'
import type { Crowd } from './people.ts'
import { wrongStandings } from './standings.ts'

interface Leftover {
  readonly what: string
}

export interface Rest {
  isOver: boolean
  leftovers: readonly Leftover[]
}

/** Two walks of the mirror over the forge. */
const walkedMs = 3_900_000
/** And what such a walk finds, the memory is looked at for: half an hour later, and that takes a few steps. */
const filledMs = walkedMs + 2_100_000
const lookMs = 20_000
const helpEveryMs = 60_000
/** Who parks again may want for what only the next walk of the mirror finds: then help comes seldom. */
const promptHelp = 3
const seldomHelpMs = 600_000
/** Whoever parks again and again after so much help will not come to rest. */
const mostHelp = 12

interface Watched {
  readonly crowd: Crowd
  /** What the memory lacks, or has and should not have. */
  readonly lacks: () => readonly string[]
}

/** A maintainer brings back what is parked meanwhile. */
export function watchRest(world: World, orchestrators: Orchestrators, { crowd, lacks }: Watched): Rest {
  const rest: Rest = { isOver: false, leftovers: [] }
  const from = world.elapsed()
  let helpedAt = from
  const helped = new Map<string, Help>()
  /** That it is said on the forge how all stand, when somebody last looked. */
  let isSaid = false
  const look = (): void => {
    if (rest.isOver) return
    world.after(lookMs, look)
    world.onStore(async () => {
      rest.leftovers = await leftovers(world.store)
      const isQuiet = rest.leftovers.length === 0 && world.elapsed() - helpedAt >= 2 * lookMs
      isSaid &&= rest.leftovers.length === 0
      // A wish whose webhook was lost is found by the next walk of the mirror, and what was not said by that of its keeper.
      rest.isOver = isQuiet && ((crowd.isSatisfied && isSaid) || world.elapsed() - from > walkedMs)
      rest.isOver &&= lacks().length === 0 || world.elapsed() - from > filledMs
      rest.isOver ||= Math.max(0, ...[...helped.values()].map(({ times }) => times)) > mostHelp
    })
    if (rest.leftovers.some((left) => left.what === 'letter')) void orchestrators.inspect(...sendsOldLetter)
    const { current } = orchestrators
    if (!current || world.elapsed() - helpedAt < helpEveryMs) return
    helpedAt = world.elapsed()
    void help(orchestrators, current, crowd, (task) => nextHelp(helped, task, world.elapsed()))
    void current.runtime.list('task').then((tasks) => (isSaid = wrongStandings(tasks, crowd.words).length === 0))
  }
  look()
  return rest
}

interface Help {
  readonly times: number
  readonly atMs: number
}

/** How often it was helped by then, this time counted; undefined: not yet again. */
function nextHelp(helped: Map<string, Help>, task: string, nowMs: number): number | undefined {
  const { times, atMs } = helped.get(task) ?? { times: 0, atMs: 0 }
  if (times >= promptHelp && nowMs - atMs < seldomHelpMs) return undefined
  helped.set(task, { times: times + 1, atMs: nowMs })
  return times + 1
}

/** A head that came by a lost webhook, from nobody knows whom, was not reviewed: there a go-ahead lets nothing merge. */
function isInVain(times: number): boolean {
  return times % promptHelp === 0
}

const wantsApproval: ReadonlySet<string> = new Set<keyof CitationChecks>(['not-withdrawn', 'plan-newest', 'plan-shown'])
/** The platform's comment names the way; also where others took back, unheard, what let it go on. */
function isForApproval({ stage }: TaskContext): boolean {
  return stage.reason === 'withheld' || wantsApproval.has(stage.detail ?? '')
}
const wantsGoAhead: ReadonlySet<string> = new Set(['needs-maintainer', 'over-auto-approve-ceiling'])

async function help(
  orchestrators: Orchestrators,
  { runtime }: ComposedOrchestrator,
  crowd: Crowd,
  next: (task: string) => number | undefined,
): Promise<void> {
  for (const view of await runtime.list('task')) {
    const task = view.context as unknown as TaskContext
    if (task.stage.class !== 'parked' || task.stage.name === 'implement-declined') continue
    const times = next(task.id)
    if (times === undefined) continue
    const open = task.forge.mergeRequests.filter(({ state }) => state === 'open')
    const [issue] = task.forge.issues.filter(({ state }) => state === 'open')
    const word = isForApproval(task) ? '/approve' : '/retry'
    if (wantsGoAhead.has(task.stage.reason ?? '') && !isInVain(times))
      for (const one of open) crowd.help({ ...one, kind: 'pull' }, '/approve')
    else if (issue) crowd.help({ ...issue, kind: 'issue' }, word)
    else if (open[0]) crowd.help({ ...open[0], kind: 'pull' }, word)
    // Nobody can say it on the forge.
    else await orchestrators.inspect('POST', '/operations/retry', { task: task.id })
  }
}

/** Work that somebody has, and Tasks that have not ended. */
async function leftovers(store: Sql): Promise<readonly Leftover[]> {
  const { rows } = await store.query<Leftover>(`select 'inbox' as what, actor, key from inbox
    union all select 'effect', actor, type from effect where not dead and type not in ('resyncMirror', 'fillMemory', 'reconcileMemoryStack')
    union all select 'actor', address, path from actor where status = 'active' and kind in ('task', 'pod', 'turn')
    union all select 'stack', address, path from actor where kind = 'memory-stack' and path not in ('running', 'absent')
    union all select 'delivery', project, delivery from forge_delivery where state = 'pending'
    union all select 'letter', actor, key from dead_letter where key = '${oldLetter.key}'`)
  return rows
}
