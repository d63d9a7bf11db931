import { expect, test } from 'vitest'
import type { ProjectSpec } from '../../crd/project.ts'
import { tellProject, type ResourceViewsDeps } from './resources.ts'

/** What the Project's actor is told of its slots. */
async function slotsOf(given: Partial<ProjectSpec>): Promise<unknown> {
  const told: { readonly event: Record<string, unknown> }[] = []
  const spec = { scmSecretRef: 's', scm: { provider: 'forge_a', owner: 'o', botLogin: 'b' }, ...given }
  const deps = {
    directory: { project: async () => ({ generation: 1 }), spec: async () => ({ spec }) },
    runtime: { deliver: async (delivery: (typeof told)[number]) => told.push(delivery), read: async () => undefined },
    clock: { now: () => 0 },
  }
  await tellProject(deps as unknown as ResourceViewsDeps, 'default', 'demo')
  const { maxConcurrentAgents, capacity, alertCapacity } = told[0]!.event
  return { maxConcurrentAgents, capacity, alertCapacity }
}

test.each<[Partial<ProjectSpec>, number, number, number]>([
  [{}, 3, 3, 1],
  [{ maxConcurrentAgents: 7 }, 7, 7, 1],
  [{ maxConcurrentAgents: 7, queue: { capacity: 2, alertCapacity: 0 } }, 7, 2, 0],
  [{ maxConcurrentAgents: 0 }, 0, 0, 1],
])(
  'PROJECT-QUEUE-1, PROJECT-QUEUE-2: with %j there are %i agents, of which %i normal, and %i for alerts (PROJECT-QUEUE-1, PROJECT-QUEUE-2)',
  async (given, agents, normal, alerts) => {
    expect(await slotsOf(given)).toEqual({ maxConcurrentAgents: agents, capacity: normal, alertCapacity: alerts })
  },
)
