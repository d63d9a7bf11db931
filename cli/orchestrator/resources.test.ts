import { describe, expect, test } from 'vitest'
import { kindNamed, type Kind } from '../../crd/kinds.ts'
import type { ProjectSpec } from '../../crd/project.ts'
import { newQueue } from '../../machines/queue/context.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import { derivedViews, tellProject, type ResourceViewsDeps } from './resources.ts'

/** What the Project's actor is told of its slots. */
async function slotsOf(given: Partial<ProjectSpec>): Promise<unknown> {
  const told: { readonly event: Record<string, unknown> }[] = []
  const spec = { scmSecretRef: 's', scm: { provider: 'forge_a', owner: 'o', botLogin: 'b' }, ...given }
  const deps = {
    directory: { applied: async () => ({ project: { generation: 1 }, spec }) },
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

/** A store of actors that lists as the runtime does: byte order, behind `after`, at most `limit`. */
function runtimeWith(actors: readonly ActorView[]): Pick<Runtime, 'list' | 'read'> {
  const sorted = actors.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return {
    read: async (address) => actors.find((actor) => actor.address === address),
    list: async (kind, { after = '', limit = 1000, idPrefix = '' } = {}) =>
      sorted
        .filter(({ address, id }) => address === `${kind}:${id}` && id.startsWith(idPrefix) && id > after)
        .slice(0, limit),
  }
}

function anActor(kind: string, id: string, context: object): ActorView {
  return { address: `${kind}:${id}`, id, kind, path: 'known.open', seq: 1, status: 'active', context } as never
}

const ofKind = (name: string): Kind => kindNamed(name)!

describe('resources that are actors', () => {
  const issues = Array.from({ length: 1201 }, (_, number) =>
    anActor('issue', `default/a-${String(number).padStart(4, '0')}`, { facts: { repository: 'a', number } }),
  )

  test('are listed to the last one, however many there are (RESOURCES-30)', async () => {
    const views = derivedViews({ runtime: runtimeWith(issues) as Runtime })
    const seen: string[] = []
    for (let after = ''; ;) {
      const rows = await views.list(ofKind('Issue'), { namespace: 'default', after, limit: 500 })
      seen.push(...rows.slice(0, 500).map(({ metadata }) => metadata.name))
      if (rows.length <= 500) break
      after = `default/${seen.at(-1)}`
    }
    expect(seen).toEqual(issues.map(({ id }) => id.slice('default/'.length)))
  })

  test('are read by their own name without a list (RESOURCES-30)', async () => {
    const { read } = runtimeWith(issues)
    const views = derivedViews({ runtime: { read } as Runtime })
    expect(await views.get(ofKind('Issue'), 'default', 'a-1200')).toMatchObject({ spec: { number: 1200 } })
    expect(await views.get(ofKind('Issue'), 'default', 'a-1201')).toBeUndefined()
    expect(await views.get(ofKind('Task'), 'default', 'a-1200')).toBeUndefined()
  })

  test('an entry of a queue is found in a namespace with any number of queues (RESOURCES-30, QUEUED-EVENT-7)', async () => {
    const queues = Array.from({ length: 520 }, (_, index) => {
      const name = `default/q-${String(index).padStart(3, '0')}`
      const finished = [{ entry: `mint/${name}-task`, state: 'Done', reason: '', sequence: 1 }]
      return anActor('queue', name, { ...newQueue(name), finished })
    })
    const views = derivedViews({ runtime: runtimeWith(queues) as Runtime })
    expect(await views.get(ofKind('QueuedEvent'), 'default', 'mint-default-q-519-task')).toMatchObject({
      spec: { projectRef: 'q-519' },
    })
    const rows = await views.list(ofKind('QueuedEvent'), { namespace: undefined, after: '', limit: 500 })
    expect(rows.length).toBe(501)
    const last = rows[499]!.metadata
    const rest = await views.list(ofKind('QueuedEvent'), {
      namespace: 'default',
      after: `${last.namespace}/${last.name}`,
      limit: 500,
    })
    expect(rest.length).toBe(20)
  })
})
