import { backoffMs, type BackoffBounds } from '../../../runtime/backoff.ts'
import { sleep, type Clock } from '../../clock.ts'
import type { Git, GitResult } from '../git.ts'

export interface Patience {
  readonly clock: Clock
  /** A number in [0, 1), as `Math.random` gives it. */
  readonly random: () => number
  /** How long an outage is waited out, counted from its first failure; asked before every wait. */
  readonly limitMs: () => number
  readonly onWait: (failure: GatewayFailure) => void
  /** An answer came after so many failures. */
  readonly onAnswer?: (failures: number) => void
}

interface GatewayFailure {
  readonly command: string
  readonly reason: string
  readonly waitMs: number
  /** Of this outage, this one among them. */
  readonly failures: number
}

const pauses: BackoffBounds = { firstMs: 500, longestMs: 8000 }

/**
 * Git that waits for a gateway that restarts: fetch, clone and push change nothing when they come again. One outage is
 * waited out once, however many repositories meet it; a gateway that answers, if only to refuse, ends it.
 */
export function patientGit(git: Git, { clock, random, limitMs, onWait, onAnswer }: Patience): Git {
  let downSince: number | undefined
  let failures = 0
  return async (args, run) => {
    const [command = ''] = args
    for (;;) {
      const result = await git(args, run)
      if (run.remote === undefined) return result
      const reason = outage(result)
      if (reason === undefined) {
        if (failures > 0) onAnswer?.(failures)
        downSince = undefined
        failures = 0
        return result
      }
      downSince ??= clock.now()
      const leftMs = limitMs() - (clock.now() - downSince)
      if (leftMs <= 0) return result
      failures += 1
      const waitMs = Math.min(backoffMs(failures, random, pauses), leftMs)
      onWait({ command, reason, waitMs, failures })
      await sleep(clock, waitMs)
    }
  }
}

/** What git (with LC_ALL=C) and its curl say when nobody answered, or a 5xx did, or the answer broke off. */
const outages = [
  /Failed to connect to .*/,
  /Couldn't connect to server/,
  /Could not resolve host/,
  /Connection (?:refused|reset by peer|timed out)/,
  /Operation timed out/,
  /Empty reply from server/,
  /(?:Recv|Send) failure: .*/,
  /transfer closed with outstanding .*/,
  /The requested URL returned error: 5\d\d/,
  /RPC failed; HTTP 5\d\d/,
  /unexpected disconnect while reading sideband packet/,
  /the remote end hung up unexpectedly/,
]

/** Undefined when git succeeded or was refused: the gateway's own words come as `remote:` lines and prove that it answered. */
export function outage(result: GitResult): string | undefined {
  if (result.code === 0 || /^!.*\[(?:remote )?rejected\]/m.test(result.stdout)) return undefined
  const lines = result.stderr.split('\n').filter((line) => !line.startsWith('remote:'))
  return lines.flatMap((line) => outages.flatMap((pattern) => pattern.exec(line)?.[0] ?? [])).at(0)
}
