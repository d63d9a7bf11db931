/**
 * Kills -9 the orchestrator, the wrappers and what else there is at moments drawn from a seed over the length of an undisturbed run. Three
 * of the kills wait, from their moment on, for the state they are meant to hit: a turn that runs, an effect that is not
 * settled, a Task that merges.
 */
import { seeded } from '../../runtime/random.ts'
import type { OrchestratorClient } from '../server/client.ts'
import { stageOf } from './story.ts'
import type { Victim, Victims } from './victims.ts'
import type { Moment } from './word-plan.ts'

type Aim = 'turn' | 'effect' | 'merging' | 'any'

interface PlannedKill {
  readonly atMs: number
  readonly aim: Aim
}

export interface KillRecord {
  /** From 1, as planned; another may come first because this one waits for its state. */
  readonly n: number
  readonly atMs: number
  readonly aim: Aim
  readonly victim: string
  readonly stage: string
  readonly openTurn: string | null
  readonly pendingEffects: readonly string[]
}

interface OpenState {
  readonly effects: readonly { readonly key: string; readonly type: string; readonly state: string }[]
  readonly pods: readonly { readonly id: string; readonly path: string }[]
  readonly turns: readonly { readonly id: string; readonly path: string }[]
  readonly tasks: readonly { readonly id: string; readonly path: string }[]
}

interface ChaosTargets {
  readonly victims: Victims
  readonly client: OrchestratorClient
  readonly startedAt: number
  readonly onKill: (kill: KillRecord) => void
  /** Somebody speaks beside the kill with this index; awaited. */
  readonly beside: (kill: number, moment: Moment) => Promise<void>
}

/** Moments over `lengthMs`, in order. A merge comes last in the run, so its kill waits from the last moment. */
export function planKills(count: number, seed: number, lengthMs: number): readonly PlannedKill[] {
  const draw = seeded(seed)
  const moments = Array.from({ length: count }, () => Math.round(draw() * lengthMs)).toSorted((a, b) => a - b)
  const aims: Aim[] =
    count === 1 ? ['any'] : count === 2 ? ['turn', 'effect'] : Array.from({ length: count - 1 }, () => 'any')
  if (count >= 3) {
    const order = aims.map((_, index) => index).toSorted(() => draw() - 0.5)
    aims[order[0] ?? 0] = 'turn'
    aims[order[1] ?? 1] = 'effect'
    aims.push('merging')
  }
  return moments.map((atMs, index) => ({ atMs, aim: aims[index] ?? 'any' }))
}

const lookMs = 25

/** Carries the plan out; resolves with what was killed. Kills whose state never comes are not made and are missed in the answer. */
export async function wreak(
  plan: readonly PlannedKill[],
  targets: ChaosTargets,
  over: AbortSignal,
): Promise<readonly KillRecord[]> {
  const kills: KillRecord[] = []
  // Each waits for its own state, so that one which waits for the merge holds up none before it.
  await Promise.all(
    plan.map(async (planned, index) => {
      await waitUntil(targets.startedAt + planned.atMs, over)
      for (; !over.aborted; await pause(lookMs)) {
        const state = await openState(targets.client)
        const victim = state === undefined ? undefined : choose(planned, index, state, targets.victims)
        if (state === undefined || victim === undefined) continue
        await targets.beside(index, 'before')
        const atMs = Date.now() - targets.startedAt
        const record = { n: index + 1, ...describe(planned, state, victim.name, atMs) }
        victim.kill()
        kills.push(record)
        targets.onKill(record)
        await speakAfterwards(index, targets, over)
        return
      }
    }),
  )
  return kills
}

/** A signal takes a moment; a program takes seconds to start again. */
const diedMs = 50

async function speakAfterwards(index: number, { client, beside }: ChaosTargets, over: AbortSignal): Promise<void> {
  await pause(diedMs)
  if (!over.aborted) await beside(index, 'down')
  while (!over.aborted && (await openState(client)) === undefined) await pause(lookMs)
  if (!over.aborted) await beside(index, 'after')
}

async function openState(client: OrchestratorClient): Promise<OpenState | undefined> {
  return (await client.call('GET', '/operations/open').catch(() => undefined)) as OpenState | undefined
}

function choose({ aim, atMs }: PlannedKill, index: number, state: OpenState, victims: Victims): Victim | undefined {
  const { others } = victims
  const orchestrator = victims.orchestrator()
  const wrapper = victims.wrapper(state.pods.map(({ id }) => id))
  if (aim === 'turn') return state.turns.some(({ path }) => path.includes('inFlight')) ? wrapper : undefined
  if (aim === 'effect') return state.effects.some((effect) => effect.state !== 'dead') ? orchestrator : undefined
  if (aim === 'merging') return state.tasks.some(({ path }) => stageOf(path) === 'merging') ? orchestrator : undefined
  if (others.length > 0) return others[index % others.length]
  return atMs % 2 === 0 ? (wrapper ?? orchestrator) : orchestrator
}

function describe({ aim }: PlannedKill, state: OpenState, victim: string, atMs: number): Omit<KillRecord, 'n'> {
  const [task] = state.tasks
  return {
    atMs,
    aim,
    victim,
    stage: task === undefined ? '-' : stageOf(task.path),
    openTurn: state.turns[0] === undefined ? null : `${state.turns[0].id} (${state.turns[0].path})`,
    pendingEffects: state.effects.map(({ type }) => type),
  }
}

async function waitUntil(at: number, over: AbortSignal): Promise<void> {
  while (Date.now() < at && !over.aborted) await pause(Math.min(100, at - Date.now()))
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(1, milliseconds)))
}
