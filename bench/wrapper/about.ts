/** What the wrapper's section of BENCHMARKS.md says of its figures. */
import { fullPlan } from './plan.ts'

export function aboutOf(): string {
  const { rounds, turns, pushes, screenTurns } = fullPlan
  return `All drive the same CLI, whose model answers at once from the loopback, in ${rounds} rounds that visit each in turn with a CLI of its own.
Messages are of about 150 characters, every third of 17,000. What is "beyond the CLI" is a turn's time less the median of the CLI by itself in the same round.

- **the wrapper**: the release, a process of its own as a pod has it, by HTTP with a verified bearer until its signed callback; ${turns} turns a round, then ${pushes} that end with a commit and a push
- **the stable screen**: the method of [coder/agentapi](https://github.com/coder/agentapi) written anew: paste, Enter until the screen changes, over when the screen stood still for 2 s, the answer read off the screen; ${screenTurns} turns a round
- **the CLI by itself**: paste and Enter without a pause, and a Stop hook that leaves a mark; what nobody can beat

Submission ends when the model has the whole request: for the wrapper that includes its UserPromptSubmit hook, for the others there is none.
Two pauses of 310 ms together are part of it: with them every message of 10 B to 1 MB was taken by the first Enter.`
}
