/** `helm upgrade` while the agent's first turn is open: the main job has to end as if nothing had happened. */
import { setTimeout as pause } from 'node:timers/promises'
import type { OrchestratorClient } from '../server/client.ts'
import type { Release, Upgrade } from '../local/cluster/release.ts'
import { openOf, type Disturbance } from './open.ts'

export interface UpgradeRecord extends Upgrade {
  /** What was open when it began. */
  readonly open: { readonly tasks: readonly string[]; readonly turns: number; readonly effects: number }
}

const lookMs = 200

export function upgradeUnderLoad(
  release: Pick<Release, 'upgrade'>,
  client: Pick<OrchestratorClient, 'call'>,
  write: (text: string) => void,
): Disturbance<{ readonly upgrade?: UpgradeRecord }> {
  const ending = new AbortController()
  let isDone = false

  async function run(): Promise<UpgradeRecord | undefined> {
    for (; !ending.signal.aborted; await pause(lookMs)) {
      const open = await openOf(client)
      if (open === undefined || open.turns.length === 0) continue
      write('helm upgrade: the orchestrator’s pod ends while a turn is open')
      const done = await release.upgrade()
      write(`helm upgrade: ${done.after} follows ${done.before} after ${(done.durationMs / 1000).toFixed(1)} s`)
      const { tasks, turns, effects } = open
      return { ...done, open: { tasks: tasks.map(({ path }) => path), turns: turns.length, effects: effects.length } }
    }
    return undefined
  }

  const running = run()
    .catch((error: unknown) => String(error))
    .finally(() => {
      isDone = true
    })
  return {
    idle: () => isDone,
    async end() {
      ending.abort()
      const upgrade = await running
      if (typeof upgrade === 'string') return { faults: [upgrade], report: {} }
      if (upgrade === undefined) return { faults: ['no turn was open: nothing was upgraded under load'], report: {} }
      const faults = upgrade.after === upgrade.before ? ['helm upgrade started no other pod'] : []
      return { faults, report: { upgrade } }
    },
  }
}
