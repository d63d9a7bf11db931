import type { ForwardingResult } from './forwarding.ts'
import type { RecoveryResult } from './recovery.ts'
import type { ScaleResult } from './scale.ts'
import type { Measured } from './measured.ts'
import type { TimersResult } from './timers.ts'

/** All that a run measured; what was not asked for is empty. */
export interface Results {
  readonly throughput: readonly Measured[]
  readonly scale: readonly ScaleResult[]
  readonly recovery: readonly RecoveryResult[]
  readonly forwarding: readonly ForwardingResult[]
  readonly timers: readonly TimersResult[]
}
