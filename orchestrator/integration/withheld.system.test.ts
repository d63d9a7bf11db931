/**
 * A key whose usage limit is reached, over the whole orchestrator: it holds each Project whose pods use it, no Task pays for it,
 * and one Task tries alone at the reset. Then a key that is refused, and another key after a restart. One story.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelKeyContext } from '../../machines/model-key/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import {
  repository,
  startOrchestratorFixture,
  type OrchestratorFixture,
  type PodUnderTest,
} from '../testing/fixture.ts'
import { openTask, type TaskStory } from '../testing/task-story.ts'

const timeout = 120_000
/** Long enough to look at what is held, short enough to wait for. */
const windowMs = 12_000

let fixture: OrchestratorFixture
let story: TaskStory
let resetsAt: string

beforeAll(async () => {
  fixture = await startOrchestratorFixture({ standingComments: true })
  story = await openTask(fixture)
}, timeout)
afterAll(() => fixture?.stop(), 30_000)

async function get(path: string): Promise<unknown> {
  return (await fixture.call(path, { token: await fixture.operatorToken() })).body
}

interface Shown {
  readonly type: string
  readonly reason: string
  readonly message: string
}

async function conditionOf(project: string): Promise<Shown | undefined> {
  const { status } = (await get(`/resources/projects/default/${project}`)) as {
    readonly status: { conditions: readonly Shown[] }
  }
  return status.conditions.find(({ type }) => type === 'ModelWithheld')
}

async function key(): Promise<{ readonly path: string; readonly context: ModelKeyContext } | undefined> {
  const keys = await fixture.runtime.list('model-key', { limit: 10 })
  const shown = keys.find(({ context }) => (context as unknown as ModelKeyContext).hold !== null)
  return shown && { path: shown.path, context: shown.context as unknown as ModelKeyContext }
}

async function taskAt(name: string): Promise<TaskContext | undefined> {
  return (await fixture.runtime.read(`task:default/${name}`))?.context as TaskContext | undefined
}

async function metric(cause: string): Promise<string | undefined> {
  const text = await (await fetch(`${fixture.orchestrator.url}/metrics`)).text()
  return new RegExp(`^statewright_model_withheld\\{[^}]*cause="${cause}"[^}]*\\} (\\d)$`, 'm').exec(text)?.[1]
}

describe('a key that the provider withholds the model from', { timeout }, () => {
  test('holds every Project whose pods use it, and says so in a condition (MODEL-KEY-1, MODEL-KEY-8)', async () => {
    resetsAt = new Date(Date.now() + windowMs).toISOString()
    await story.first.failTurn('usage_limit', 'You have hit your limit', resetsAt)
    await fixture.until('the key is withheld', key)
    for (const project of ['demo', 'elsewhere', 'keyless'])
      await fixture.until(`${project} shows it`, async () => (await conditionOf(project)) !== undefined)
    expect(await conditionOf('demo')).toMatchObject({
      reason: 'UsageLimit',
      message: `The provider says "You have hit your limit". No pod starts; one Task tries again at ${resetsAt}.`,
    })
  })

  test('its Task counts no failure, and its pod and slot are free (MODEL-KEY-1, MODEL-KEY-2)', async () => {
    await fixture.until('the pod is gone', async () => (await taskAt(story.name))?.pod.alive === false)
    await fixture.until('it waits', async () => (await taskAt(story.name))?.pod.withheld)
    expect(await taskAt(story.name)).toMatchObject({
      stage: { name: 'implementing', reason: null },
      turn: { failedInRow: 0 },
      pod: { lostInRow: 0, startFailures: 0 },
    })
  })

  test('another Task waits unminted, and a person sees why (MODEL-KEY-2, MODEL-KEY-8)', async () => {
    await fixture.applyTask('patient', 'documentation')
    const waits = 'the usage limit of the key is reached; one Task tries again at '
    await fixture.until('it waits', async () => {
      const { items } = (await get('/resources/queuedevents')) as {
        readonly items: readonly { status: { reason?: string } }[]
      }
      return items.filter(({ status }) => status.reason?.startsWith(waits)).length === 2
    })
    expect(await taskAt('patient')).toBeUndefined()
    expect(await get(`/operations/why?task=${story.name}`)).toMatchObject({
      resting: { reason: 'task/pod.awaitingSlot/withheld', owner: 'operator' },
    })
    const comments = () => [...fixture.forge.issue(repository, story.issue).comments.values()].map(({ body }) => body)
    await fixture.until('the standing comment says it', () =>
      comments().some((body) => body.includes('the provider withholds the model from the key of its pods')),
    )
    expect(await metric('usage_limit')).toBe('1')
    expect(await metric('no_credit')).toBe('0')
  })

  let second: PodUnderTest

  test('at the reset one Task tries alone, the one that was under way (MODEL-KEY-3, MODEL-KEY-4)', async () => {
    second = await fixture.podOf(story.name, 2)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(resetsAt))
    expect(await key()).toMatchObject({ path: 'trying', context: { probe: `default/${story.name}` } })
    expect(await taskAt('patient')).toBeUndefined()
  })

  test('a try that the provider refuses counts as nothing, and the pause is longer (MODEL-KEY-3, MODEL-KEY-5)', async () => {
    const again = Date.now() + windowMs
    await second.failTurn('usage_limit', 'Still no', new Date(again).toISOString())
    await fixture.until('it is withheld again', async () => (await key())?.path === 'withheld')
    expect((await key())?.context).toMatchObject({
      refusals: 1,
      probe: '',
      hold: { message: 'Still no', until: again },
    })
    expect(await taskAt(story.name)).toMatchObject({ stage: { name: 'implementing' }, turn: { failedInRow: 0 } })
  })

  test('its success opens the key for all, and everybody who waited is admitted (MODEL-KEY-5)', async () => {
    const third = await fixture.podOf(story.name, 3)
    await third.endTurn('it works')
    await fixture.until('the key serves', async () => (await key()) === undefined)
    await fixture.podOf('patient', 1)
    for (const project of ['demo', 'elsewhere'])
      await fixture.until(`${project} is free`, async () => (await conditionOf(project)) === undefined)
  })

  test('another key after a restart is not held by what the provider said of the old one (MODEL-KEY-7)', async () => {
    const patient = await fixture.podOf('patient', 1)
    await patient.failTurn('key_refused', 'invalid x-api-key')
    await fixture.until('demo shows it', async () => (await conditionOf('demo'))?.reason === 'KeyRefused')
    await fixture.restart(() => undefined, { modelKey: 'another key' })
    await fixture.until('demo is free', async () => (await conditionOf('demo')) === undefined)
    await fixture.podOf('patient', 2)
    const print = JSON.stringify(await fixture.runtime.list('model-key', { limit: 10 }))
    expect(print).not.toContain('another key')
  })
})
