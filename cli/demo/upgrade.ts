/** `helm upgrade` while the agent's first turn is open: the main job has to end as if nothing had happened. */
import type { OrchestratorClient } from '../server/client.ts'
import type { Release, Upgrade } from '../local/cluster/release.ts'
import type { Forge } from '../local/standins.ts'
import { missed, resendMissed } from './missed.ts'

export interface UpgradeRecord extends Upgrade {
  /** What was open when it began. */
  readonly open: { readonly tasks: readonly string[]; readonly turns: number; readonly effects: number }
}

interface UpgradeOptions {
  readonly release: Pick<Release, 'upgrade'>
  readonly client: Pick<OrchestratorClient, 'call'>
  readonly forge: Forge
  readonly write: (text: string) => void
  readonly now: () => number
}

interface UpgradeUnderLoad {
  /** Nothing of it is still to come. */
  idle(): boolean
  /** Stops to wait. Resolves with what happened; undefined: no turn was ever open. */
  end(): Promise<{ readonly record: UpgradeRecord | undefined; readonly faults: readonly string[] }>
}

interface Open {
  readonly turns: readonly unknown[]
  readonly tasks: readonly { readonly path: string }[]
  readonly effects: readonly unknown[]
}

const lookMs = 200

export function upgradeUnderLoad({ release, client, forge, write, now }: UpgradeOptions): UpgradeUnderLoad {
  const ending = new AbortController()
  let record: UpgradeRecord | undefined
  const faults: string[] = []

  async function untilOpen(): Promise<Open | undefined> {
    while (!ending.signal.aborted) {
      const open = (await client.call('GET', '/operations/open').catch(() => undefined)) as Open | undefined
      if (open !== undefined && open.turns.length > 0) return open
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
    return undefined
  }

  async function run(): Promise<void> {
    const open = await untilOpen()
    if (open === undefined) return
    write('helm upgrade: the orchestrator’s pod ends while a turn is open')
    const done = await release.upgrade()
    record = {
      ...done,
      open: { tasks: open.tasks.map(({ path }) => path), turns: open.turns.length, effects: open.effects.length },
    }
    write(`helm upgrade: ${done.after} follows ${done.before} after ${(done.durationMs / 1000).toFixed(1)} s`)
    if (done.after === done.before) faults.push('helm upgrade started no other pod')
  }

  let isDone = false
  const running = run()
    .catch((error: unknown) => void faults.push(String(error)))
    .finally(() => {
      isDone = true
    })
  const timer = setInterval(() => resendMissed(forge, now()), lookMs)
  return {
    idle: () => isDone && missed(forge, now()).length === 0,
    async end() {
      ending.abort()
      await running
      clearInterval(timer)
      const none =
        record === undefined && faults.length === 0 ? ['no turn was open: nothing was upgraded under load'] : []
      return { record, faults: [...faults, ...none] }
    },
  }
}
