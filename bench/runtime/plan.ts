export interface Plan {
  readonly rounds: number
  /** Rounds at most of cells whose ratio has no narrow interval yet. */
  readonly mostPairs: number
  /** Until V8 has optimised what runs: a runtime's code takes it some ten thousand operations, a small baseline's few. */
  readonly warmMs: number
  readonly measureMs: number
  readonly clients: readonly number[]
  /** Actors that the clients of a throughput cell share. */
  readonly actors: number
  /** Actor rows of the scale cells. */
  readonly populations: readonly number[]
  readonly scaleClients: number
  readonly recoveringActors: number
  readonly recoveryRounds: number
  /** Of the cells in which one process delivers to the actors of another. */
  readonly forwardingClients: readonly number[]
  readonly pendingTimers: number
  readonly timersASecond: number
  readonly timerSeconds: number
  readonly timerRounds: number
}

export const fullPlan: Plan = {
  rounds: 3,
  mostPairs: 12,
  warmMs: 5000,
  measureMs: 3000,
  clients: [1, 16, 128, 1024],
  actors: 4096,
  populations: [10_000, 100_000, 1_000_000],
  scaleClients: 128,
  recoveringActors: 10_000,
  recoveryRounds: 3,
  forwardingClients: [1, 16, 128],
  pendingTimers: 1_000_000,
  timersASecond: 1000,
  timerSeconds: 10,
  timerRounds: 3,
}

export const quickPlan: Plan = {
  ...fullPlan,
  rounds: 1,
  mostPairs: 1,
  warmMs: 2500,
  measureMs: 1500,
  clients: [1, 16, 128],
  populations: [10_000, 100_000],
  recoveryRounds: 1,
  pendingTimers: 100_000,
  timerSeconds: 4,
  timerRounds: 1,
}
