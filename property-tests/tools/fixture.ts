/**
 * What the tools stand before: an orchestrator, a forge and a memory service as they are started, and a Task of each of
 * three kinds with a pod at work. Test code only.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TaskContext } from '../../machines/task/context.ts'
import { memoryClient, memoryService, type Memory } from '../../cli/local/testing/memory-service.ts'
import { people } from '../../standins/people.ts'
import { commentOn, openMergeRequest } from '../../orchestrator/testing/merge-request.ts'
import {
  repository,
  startOrchestratorFixture,
  type OrchestratorFixture,
  type OrchestratorFixtureOptions,
} from '../../orchestrator/testing/fixture.ts'
import type { OrchestratorSettings } from '../../orchestrator/settings/settings.ts'

export const kinds = ['incident', 'implement', 'review'] as const
export type Kind = (typeof kinds)[number]

/** What a call names; there before any pod is. */
export interface Facts {
  readonly issue: number
  readonly mergeRequest: number
  readonly takeover: string
  readonly entities: { readonly from: string; readonly to: string }
}

export interface Fixture {
  readonly orchestrator: OrchestratorFixture
  readonly memory: Memory
  readonly facts: Facts
  /** Name of the Task of this kind, without its namespace. */
  taskName(kind: Kind): Promise<string>
  task(kind: Kind): Promise<TaskContext | undefined>
  close(): Promise<void>
}

const incidentName = 'incident-latency'
/** Other people's programs start slowly on a busy machine. */
const patienceMs = 120_000

export async function startFixture(
  settings: Partial<OrchestratorSettings>,
  around: Pick<OrchestratorFixtureOptions, 'programDir'>,
): Promise<Fixture> {
  const dir = mkdtempSync(join(tmpdir(), 'tools-'))
  const service = await memoryService(dir, { project: 'default/demo', fills: false })
  let orchestrator: OrchestratorFixture | undefined
  const close = async (): Promise<void> => {
    await orchestrator?.stop()
    await service.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    orchestrator = await startOrchestratorFixture(settings, {
      ...around,
      clients: [memoryClient],
      settingsFor: service.start,
    })
    return await furnish(orchestrator, service.memory(), close)
  } catch (error) {
    await close()
    throw error
  }
}

async function furnish(orchestrator: OrchestratorFixture, memory: Memory, close: Fixture['close']): Promise<Fixture> {
  const entities = await seedMemory(memory)
  const issue = orchestrator.forge.openIssue(people.reporter, repository, {
    title: 'Parse weeks',
    body: 'It does not.',
    labels: ['platform'],
  }).number
  const { number: mergeRequest } = await openMergeRequest(orchestrator)
  // A `/takeover` is carried out by the platform and would end the review; a mention is for the agent to read.
  const words = `@${people.bot} please go on with this one.`
  const takeover = await commentOn(orchestrator, people.maintainer, mergeRequest, words)
  await orchestrator.applyTask(incidentName, 'incident', 'HighLatency fires')
  const task: Fixture['task'] = async (kind) =>
    (await orchestrator.runtime.list('task', { limit: 100 }))
      .map(({ context }) => context as unknown as TaskContext)
      .find((one) => one.kind === kind)
  return {
    orchestrator,
    memory,
    facts: { issue, mergeRequest, takeover, entities },
    task,
    taskName: async (kind) => (await within(`a Task of kind ${kind}`, () => task(kind))).id.split('/')[1]!,
    close,
  }
}

/** Looks again until it is there. */
export async function within<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const limit = Date.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > limit) throw new Error(`in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Two entities that a memory speaks of, and a graph of two functions. */
async function seedMemory(memory: Memory): Promise<Facts['entities']> {
  await memory.ask('POST', '/memories', { text: 'The DurationParser reads what the ScheduleReader hands to it.' })
  const parse = { id: 'parse.js#parse', type: 'function', name: 'parse', file: 'parse.js' }
  const main = { id: 'main.js#main', type: 'function', name: 'main', file: 'main.js' }
  await memory.ask('POST', '/code-graph:bulk?repo=duration', {
    mode: 'snapshot',
    commit: 'c1',
    files: [parse, main].map(({ file }) => ({ file, sha: '1' })),
    entities: [parse, main],
    edges: [{ from: main.id, to: parse.id, relation: 'calls' }],
  })
  const entity = (name: string): Promise<string> =>
    within(`the entity ${name}`, async () => {
      const { items } = await memory.ask('GET', `/entities?q=${name}`)
      return (items as { readonly id: string }[])[0]?.id
    })
  return { from: await entity('DurationParser'), to: await entity('ScheduleReader') }
}
