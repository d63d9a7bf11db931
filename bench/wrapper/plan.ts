export interface Plan {
  /** Each visits every contender with a CLI of its own. */
  readonly rounds: number
  /** Per round and contender, those that end with a push not among them. */
  readonly turns: number
  /** The stable screen takes seconds a turn, so it gets fewer. */
  readonly screenTurns: number
  /** Turns of ours that end with a commit and a push. */
  readonly pushes: number
}

export const fullPlan: Plan = { rounds: 5, turns: 20, screenTurns: 6, pushes: 4 }

export const quickPlan: Plan = { rounds: 1, turns: 6, screenTurns: 6, pushes: 2 }
