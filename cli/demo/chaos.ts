/**
 * Kills -9 the orchestrator, the wrappers and what else there is at moments drawn from a seed over the length of an
 * undisturbed run. Three of the kills wait, from their moment on, for the state they are meant to hit: a turn that runs, an
 * effect that is not settled, a Task that merges. A maintainer speaks beside them. What neither may break is judged at the end.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { podName } from '../../edges/kubernetes/pods/pod-names.ts'
import { podFolders } from '../../edges/local/pod-folder.ts'
import { childrenOf, findByVariable, isAlive, signal } from '../../edges/local/processes.ts'
import { seeded } from '../../runtime/random.ts'
import type { Stack } from '../local/stack.ts'
import { readHeard, unheard } from './heard.ts'
import { missed, openOf, resendMissed, type Disturbance, type Open } from './open.ts'
import { mergedWhileWithheld } from './maintainer-comments.ts'
import { planWords, shuffled, startSpeaker, type SpokenWord } from './speaker.ts'
import { stageOf } from './story.ts'

export interface ChaosPlan {
  readonly kills: number
  readonly seed: number
  readonly lengthMs: number
}

interface PlannedKill {
  readonly atMs: number
  readonly aim: 'turn' | 'effect' | 'merging' | 'any'
}

export interface KillRecord extends PlannedKill {
  /** From 1, as planned; another may come first because this one waits for its state. */
  readonly n: number
  readonly victim: string
  readonly stage: string
  readonly openTurn: string | null
  readonly pendingEffects: readonly string[]
}

/** Moments over `lengthMs`, in order. A merge comes last in the run, so its kill waits from the last moment. */
export function planKills(count: number, seed: number, lengthMs: number): readonly PlannedKill[] {
  const draw = seeded(seed)
  const moments = Array.from({ length: count }, () => Math.round(draw() * lengthMs)).toSorted((a, b) => a - b)
  const free = [...moments.keys()].slice(0, Math.max(2, count - 1))
  const [turn, effect] = count < 2 ? [] : count === 2 ? free : shuffled(draw, free)
  const aimOf = (index: number): PlannedKill['aim'] => {
    if (index === turn) return 'turn'
    if (index === effect) return 'effect'
    return count > 2 && index === count - 1 ? 'merging' : 'any'
  }
  return moments.map((atMs, index) => ({ atMs, aim: aimOf(index) }))
}

const lookMs = 25
/** A signal takes a moment; a program takes seconds to start again. */
const diedMs = 50

/** Kills whose state never comes are not made, which is a fault of the run. */
export function startChaos(
  stack: Stack,
  plan: ChaosPlan,
  write: (text: string) => void,
): Disturbance<{ readonly kills: readonly KillRecord[]; readonly words: readonly SpokenWord[] }> {
  const { client, forge } = stack
  const planned = planKills(plan.kills, plan.seed, plan.lengthMs)
  for (const { atMs, aim } of planned) write(`chaos: a kill is due at ${(atMs / 1000).toFixed(1)} s (${aim})`)
  const speaker = startSpeaker({ ...stack, words: planWords(plan.kills, plan.seed), write, now: Date.now })
  const [startedAt, ending] = [Date.now(), new AbortController()]
  const kills: KillRecord[] = []
  const { signal: over } = ending

  async function carryOut(kill: PlannedKill, index: number): Promise<void> {
    await pause(kill.atMs, undefined, { signal: over }).catch(() => undefined)
    for (; !over.aborted; await pause(lookMs)) {
      const state = await openOf(client)
      const victim = state && choose(kill, index, state, stack)
      if (state === undefined || victim === undefined) continue
      await speaker.beside(index, 'before')
      const record = recordOf(state, { n: index + 1, aim: kill.aim, atMs: Date.now() - startedAt, victim: victim.name })
      victim.kill()
      kills.push(record)
      write(describeKill(record))
      await pause(diedMs)
      if (!over.aborted) await speaker.beside(index, 'down')
      while (!over.aborted && (await openOf(client)) === undefined) await pause(lookMs)
      if (!over.aborted) await speaker.beside(index, 'after')
      return
    }
  }

  // Each waits for its own state, so that one which waits for the merge holds up none before it.
  const carriedOut = Promise.all(planned.map(carryOut))
  return {
    idle: speaker.idle,
    async end() {
      ending.abort()
      await carriedOut
      speaker.close()
      await settle(stack)
      const unmade = planned.length - kills.length
      const audit = forge.audit()
      const faults = [
        ...(unmade > 0 ? [`${unmade} of the planned kills found no moment`] : []),
        ...mergedWhileWithheld(audit),
        ...unheard(audit, await readHeard(client, stack.model)),
      ]
      return { faults, report: { kills, words: speaker.spoken() } }
    },
  }
}

/** A program that the demo started, found at the moment of its kill. Whoever keeps it alive starts it again. */
interface Victim {
  readonly name: string
  kill(): void
}

function choose({ aim, atMs }: PlannedKill, index: number, state: Open, stack: Stack): Victim | undefined {
  const { orchestrator: program, cluster } = stack
  const orchestrator = program.pid === undefined ? undefined : { name: 'orchestrator', kill: () => program.kill() }
  if (aim === 'effect') return state.effects.length > 0 ? orchestrator : undefined
  if (aim === 'merging') return state.tasks.some(({ path }) => stageOf(path) === 'merging') ? orchestrator : undefined
  const wrapper = wrapperIn(stack, state)
  if (aim === 'turn') return state.turns.some(({ path }) => path.includes('inFlight')) ? wrapper : undefined
  if (cluster?.servers !== undefined) {
    const { apiServer, kubelet } = cluster.servers
    return index % 2 === 0
      ? { name: 'API server', kill: () => apiServer.kill() }
      : { name: 'kubelet', kill: () => kubelet.kill() }
  }
  return atMs % 2 === 0 ? (wrapper ?? orchestrator) : orchestrator
}

/**
 * Here it is the child of an isolated pod's namespace. In a cluster it is the first process of the container, whose hostname
 * is the name of its pod: a kill of the kubelet's keeper or of the waiter around it would leave the wrapper running.
 */
function wrapperIn({ cluster, dir }: Stack, { pods }: Open): Victim | undefined {
  const found =
    cluster === undefined
      ? podFolders(join(dir, 'state', 'pods')).map(({ pod, process, isolated }) => {
          const alive = process !== undefined && isAlive(process) ? process : undefined
          return { pod, process: alive && isolated ? childrenOf(alive)[0] : alive }
        })
      : pods.map(({ id: pod }) => {
          const keeper = findByVariable('HOSTNAME', podName(pod).name)
          const waiter = keeper && childrenOf(keeper)[0]
          return { pod, process: waiter && childrenOf(waiter)[0] }
        })
  for (const { pod, process } of found)
    if (process !== undefined) return { name: `wrapper of ${pod}`, kill: () => void signal(process, 'SIGKILL') }
  return undefined
}

function recordOf(
  { tasks: [task], turns: [turn], effects }: Open,
  kill: Pick<KillRecord, 'n' | 'aim' | 'atMs' | 'victim'>,
): KillRecord {
  return {
    ...kill,
    stage: task === undefined ? '-' : stageOf(task.path),
    openTurn: turn === undefined ? null : `${turn.id} (${turn.path})`,
    pendingEffects: effects.map(({ type }) => type),
  }
}

function describeKill({ victim, aim, stage, openTurn, pendingEffects }: KillRecord): string {
  const effects = pendingEffects.join(', ') || 'none'
  return `chaos: kill -9 ${victim} (aim ${aim}; stage ${stage}; open turn ${openTurn ?? 'none'}; unsettled effects: ${effects})`
}

const settleLimitMs = 30_000
const settleLookMs = 250

/** What was missed is sent again, and the actors have passed it on. */
async function settle({ client, forge }: Stack): Promise<void> {
  const limit = Date.now() + settleLimitMs
  for (let quiet = 0; quiet < 2 && Date.now() < limit;) {
    resendMissed(forge, Date.now())
    await forge.idle()
    await pause(settleLookMs)
    const isQuiet = missed(forge, Date.now()).length === 0 && (await openOf(client))?.effects.length === 0
    quiet = isQuiet ? quiet + 1 : 0
  }
}
