/**
 * Somebody edits statuses, marks and objects at random while work goes on. EDITS: how many, SEED: by which chance; the long
 * form is `EDITS=200 SEED=1 npm run test:kubernetes -- orchestrator/integration/edits`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActorKind } from '../../machines/definition.ts'
import { dice } from '../../property-tests/runtime/chaos/dice.ts'
import { people } from '../../standins/people.ts'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startCluster, type Cluster } from '../testing/cluster.ts'
import { differences, editAtRandom, vanish, type Edit } from '../testing/edits.ts'
import { repository, type PodUnderTest } from '../testing/fixture.ts'
import { openMergeRequest } from '../testing/merge-request.ts'

const many = Number(process.env['EDITS'] ?? 16)
const seed = Number(process.env['SEED'] ?? 37)
/** The mirror patches an object at most once a second, and places in the queue every 10 s. */
const patience = { timeout: 60_000, interval: 500 }
const atOnce = 8
const calm = 'calm'
const timeout = 90_000 + many * 2_000
/** A start checks each Project again, which its queue is told of. */
const besideStarts = ['task', 'pod', 'turn', 'issue', 'merge-request'] as const

describeRequiring('kubernetes', `objects that somebody edits at random, seed ${seed}`, () => {
  let cluster: Cluster
  const chance = dice(seed)
  const random = (): number => chance.next()
  const made: Edit[] = []
  const pods: PodUnderTest[] = []

  beforeAll(async () => {
    cluster = await startCluster(sharedControlPlane())
    const { fixture } = cluster
    await cluster.apply(cluster.project({ maxConcurrentAgents: 4 }))
    await cluster.projectReady()
    const issue = { title: 'Parse weeks', body: 'It does not.', labels: ['platform'] }
    fixture.forge.openIssue(people.reporter, repository, issue)
    await openMergeRequest(fixture)
    await cluster.apply(cluster.task('edited'), cluster.task(calm))
    await fixture.until('each kind is there', async () => {
      const lists = await Promise.all(
        ['issues', 'mergerequests', 'queuedevents', 'tasks'].map((kind) => cluster.list(kind)),
      )
      return lists.every((list) => list.length > 0) && lists[3]!.length === 4
    })
    for (const { id } of await fixture.runtime.list('task')) pods.push(await fixture.podOf(id, 1))
    await fixture.quiet()
  }, 120_000)
  afterAll(() => cluster?.stop(), 60_000)

  /** Where each actor stands: an event that anybody sends it moves it. A turn that runs looks after its pod by itself. */
  async function journals(kinds: readonly ActorKind[]): Promise<readonly string[]> {
    const lists = await Promise.all(kinds.map((kind) => cluster.fixture.runtime.list(kind, { limit: 500 })))
    return lists.flat().map(({ address, seq, path }) => `${address} ${address.startsWith('turn:') ? '' : seq} ${path}`)
  }
  /** What came to a Task and its pods, whatever its name. */
  async function storyOf(name: string): Promise<readonly string[]> {
    const { runtime } = cluster.fixture
    const idPrefix = `${cluster.namespace}/${name}/`
    const below = await Promise.all((['pod', 'turn'] as const).map((kind) => runtime.list(kind, { idPrefix })))
    const addresses = [`task:${cluster.namespace}/${name}` as const, ...below.flat().map(({ address }) => address)]
    const rows = await Promise.all(addresses.map((address) => runtime.history(address)))
    return rows
      .flat()
      .filter(
        ({ address, effects }) => !(address.startsWith('turn:') && effects.some(({ type }) => type === 'pollTurn')),
      )
      .map(({ address, event }) => `${address.replace(name, '')} ${event.type}`)
      .toSorted()
  }
  const edit = async (count: number, isDown = false): Promise<void> =>
    void made.push(...(await editAtRandom(cluster, count, { random, spared: [calm], isDown })))
  /** Each agent writes a note, and its Task shows it; in the first round each Task is asked once more, too. */
  async function work(round: number): Promise<void> {
    for (const pod of pods) {
      const path = `/tasks/${encodeURIComponent(pod.id.slice(0, -2))}/notes`
      const body = { kind: 'note', body: `Round ${round}.` }
      expect((await cluster.fixture.call(path, { token: pod.token, body })).status).toBe(201)
      if (round > 0) continue
      await pod.endTurn()
      await cluster.fixture.until(`the next turn of ${pod.id}`, async () => (await pod.turns()).length > 1)
    }
  }
  const allAsBefore = (): Promise<void> =>
    expect.poll(() => differences(cluster), { ...patience, message: JSON.stringify(made) }).toEqual([])

  test('while work goes on, are as the actors are, and the work is the same', { timeout }, async () => {
    for (let round = 0; round * atOnce < many / 2; round += 1) await Promise.all([work(round), edit(atOnce)])
    await cluster.fixture.quiet()
    await allAsBefore()
    expect(await storyOf('edited')).toEqual(await storyOf(calm))
  })

  test('while nothing else happens, are as before, and no actor was told of it', { timeout }, async () => {
    const before = await journals([...besideStarts, 'queue', 'project'])
    await edit(Math.ceil(many / 2))
    await allAsBefore()
    expect(await journals([...besideStarts, 'queue', 'project'])).toEqual(before)
  })

  test('while no orchestrator runs, are as before within the resync of its start', { timeout }, async () => {
    const before = await journals(besideStarts)
    await cluster.fixture.restart(async () => {
      await edit(Math.ceil(many / 2), true)
      // Nobody hears of what is not there: only a resync finds it.
      for (const [kind, name] of [['Task', 'edited'] as const, ['Issue', 'duration-1'] as const])
        await vanish(cluster, { kind, metadata: { name } })
    })
    await allAsBefore()
    expect(await journals(besideStarts)).toEqual(before)
  })
})
