/** No line that the agent wrote is lost, whatever it was doing and wherever a process died (WORKSPACE-9). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { history, type Act } from './acts.ts'
import { brokenLaws } from './laws.ts'
import { mutants } from './mutants.ts'

/** Found once: a checkout that fails, or is killed, has moved the files before it moves HEAD. */
const halfMoved: readonly Act[] = [
  { kind: 'leave', isDetached: false },
  { kind: 'tear', what: 'branch' },
  { kind: 'write', file: 0, isCommitted: false },
  { kind: 'boot' },
  { kind: 'other', on: 'task', file: 0 },
]

/** Found once: commits on a branch of the agent's own, which it had gone back from, were in the volume and named by nobody. */
const leftBranch: readonly Act[] = [
  { kind: 'begin', operation: 'bisect' },
  { kind: 'boot' },
  { kind: 'write', file: 0, isCommitted: false },
]

/** Found once: a safety push in a clone whose HEAD is torn finds no repository there; the next boot has all lines. */
const tornPush: readonly Act[] = [
  { kind: 'write', file: 0, isCommitted: true },
  { kind: 'write', file: 1, isCommitted: false },
  { kind: 'tear', what: 'head' },
  { kind: 'safetyPush' },
]

/** `WORKSPACE_RUNS=500 vitest run property-tests/workspace` is the long form; an ordinary run is a sample of it. */
const runs = Number(process.env['WORKSPACE_RUNS'] ?? 10)
const msPerRun = 60_000

test(
  'keeps every line over random acts, kills and torn files (WORKSPACE-8, WORKSPACE-9)',
  { timeout: runs * msPerRun },
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async (acts) => {
        expect(await brokenLaws(acts)).toEqual([])
      }),
      // The histories that show a mutant must be sound without it.
      {
        numRuns: runs,
        examples: [halfMoved, leftBranch, tornPush, ...mutants.map(({ acts }) => acts)].map((acts) => [acts]),
      },
    )
  },
)
