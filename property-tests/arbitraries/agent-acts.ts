/** What agents do in their pods: in any order, by whatever they read, right or wrong. */
import fc from 'fast-check'
import type { Login } from '../machines/world/people.ts'
import type { Process } from '../machines/world/processes.ts'
import type { World } from '../machines/world/world.ts'
import { few, nothing, on, saying, type Weighted } from './acts.ts'

function agentDoes<V>(
  weight: number,
  what: string,
  varied: fc.Arbitrary<V>,
  act: (world: World, process: Process, varied: V) => void,
): Weighted {
  return saying(
    weight,
    varied,
    (one, index) => `agent ${index} ${what} ${String(one)}`,
    (world, one, index) => on(world.processes.alive, index, (process) => act(world, process, one)),
  )
}

const failures = fc.constantFrom(
  'end_turn',
  'end_turn',
  'end_turn',
  'api_error',
  'max_tokens',
  'usage_limit',
  'agent_exited',
  'shutdown',
)

export const ofAgents: readonly Weighted[] = [
  agentDoes(4, 'ends its turn:', failures, (world, process, stopReason) => world.endTurn(process, stopReason)),
  agentDoes(1, 'ends its turn and cannot push', nothing, (world, process) => world.endTurn(process, 'end_turn', true)),
  agentDoes(3, 'cites', fc.constantFrom<Login>('maya', 'maya', 'rita'), ({ agents }, process, by) =>
    agents.claim(process, by),
  ),
  agentDoes(1, 'claims without a word', nothing, ({ agents }, process) => agents.claimSelf(process)),
  agentDoes(2, 'writes a note:', fc.constantFrom('plan' as const, 'handoff' as const), ({ agents }, process, kind) =>
    agents.note(process, kind),
  ),
  agentDoes(2, 'commits', nothing, ({ agents }, process) => agents.commit(process)),
  agentDoes(
    3,
    'submits',
    fc.constantFrom('patch' as const, 'patch' as const, 'major' as const),
    ({ agents }, process, level) => agents.submit(process, level),
  ),
  agentDoes(
    3,
    'reviews on live heads:',
    fc.constantFrom('approve' as const, 'approve' as const, 'request_changes' as const),
    ({ agents }, process, verdict) => agents.review(process, verdict),
  ),
  agentDoes(
    2,
    'reviews on heads it read first:',
    fc.constantFrom('approve' as const, 'request_changes' as const),
    ({ agents }, process, verdict) => agents.review(process, verdict, true),
  ),
  agentDoes(
    2,
    'says',
    fc.constantFrom('discuss' as const, 'discuss' as const, 'rejected' as const, 'declined' as const),
    ({ agents }, process, action) => agents.stop(process, action),
  ),
  agentDoes(2, 'concludes, with nothing found:', fc.boolean(), ({ agents }, process, isMeagre) =>
    agents.conclude(process, isMeagre),
  ),
  agentDoes(2, 'repeats call', few, ({ agents }, process, index) => agents.repeat(process, index)),
  agentDoes(1, 'asks on the forge', nothing, ({ agents }, process) => agents.ask(process)),
  agentDoes(1, 'has a clean workspace:', fc.boolean(), (_world, process, isClean) => {
    process.isClean = isClean
  }),
]
