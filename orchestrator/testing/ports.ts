import { randomUUID } from 'node:crypto'
import { systemClock } from '../../runtime/clock.ts'
import type { OrchestratorPorts } from '../wiring/setup.ts'

type Needed = 'logger' | 'programDir'

/** Those of a process, but for what a test changes. */
export function portsForTests(
  over: Pick<OrchestratorPorts, Needed> & Partial<Omit<OrchestratorPorts, Needed>>,
): OrchestratorPorts {
  return {
    clock: systemClock,
    random: Math.random,
    ids: { next: () => randomUUID() },
    fetch,
    version: '0.0.0-test',
    owner: 'test',
    ...over,
  }
}
