/** What is left of a Project's memory when its PostgreSQL breaks: `npm run long -- stack-drills`. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { crash } from '../../standins/cnpg/testing/clusters.ts'
import { withStack } from '../../standins/cnpg/testing/real-stack.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { listed, withStackLife, type StackLife } from '../testing/stack-life.ts'

vi.setConfig({ testTimeout: 900_000 })

const questions = 50
const crashAfter = 10
const items = 300
const patience = { timeout: 300_000, interval: 250 }
/** A refusal asks to come again. */
const retryMs = 250

/** By its id, what the service answered that it has stored. */
type Stored = Map<string, string>

class Asking {
  readonly #life: StackLife
  readonly refusals: string[] = []

  constructor(life: StackLife) {
    this.#life = life
  }

  /** Until it is answered. */
  async ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const deadline = Date.now() + patience.timeout
    for (;;)
      try {
        return await this.#life.ask(method, path, body)
      } catch (error) {
        this.refusals.push(String(error))
        if (Date.now() > deadline) throw error
        await wait(retryMs)
      }
  }
}

const wordOf = (n: number): string => `crane${String.fromCodePoint(97 + Math.floor(n / 26), 97 + (n % 26))}`
const textOf = (n: number): string => `The ${wordOf(n)} lifts ${n + 100} tons.`

async function store(asking: Asking, stored: Stored, content: string): Promise<void> {
  const { id } = await asking.ask('POST', '/memories', { content, metadata: { kind: 'note' } })
  stored.set(String(id), content)
}

async function serviceOf({ cluster }: StackLife): Promise<object> {
  const pod = (await listed(cluster, 'pods')).find(
    ({ metadata }) => metadata.labels?.['statewright.dev/memory-part'] === 'service',
  )
  const { containerStatuses } = (pod?.status ?? {}) as {
    readonly containerStatuses?: readonly { restartCount: number }[]
  }
  return { uid: pod?.metadata.uid, restarts: containerStatuses?.map(({ restartCount }) => restartCount) }
}

async function memoryOf({ cluster }: StackLife): Promise<Readonly<Record<string, unknown>>> {
  const { status } = (await cluster.get('projects', 'demo')) ?? {}
  const { reason, message } = status?.conditions?.find(({ type }) => type === 'MemoryStack') ?? {}
  return { ...(status?.['memory'] as object), reason, message }
}

describeRequiring('stack', 'the light memory stack of a Project, with three instances', () => {
  test('loses nothing that it answered as stored when a standby is promoted under an ingest and fifty questions', async () => {
    await withStack((stack) =>
      withStackLife({ ...stack, usesCloudNativePg: true }, async (life) => {
        await life.apply({ pgInstances: 3 })
        await expect.poll(() => memoryOf(life), patience).toMatchObject({ phase: 'Running', reason: 'Running' })
        const service = await serviceOf(life)
        const asking = new Asking(life)
        const stored: Stored = new Map()
        for (let n = 0; n < questions; n += 1) await store(asking, stored, textOf(n))
        const answer = async (n: number): Promise<string> =>
          JSON.stringify(await asking.ask('POST', '/queries', { text: `what does ${wordOf(n)} lift`, mode: 'naive' }))
        await expect.poll(() => answer(questions - 1), patience).toContain(textOf(questions - 1))
        expect(asking.refusals).toEqual([])

        const sights: Readonly<Record<string, unknown>>[] = []
        const over = new AbortController()
        const asked = new AbortController()
        const looking = (async () => {
          for (; !over.signal.aborted; await wait(retryMs)) sights.push(await memoryOf(life))
        })()
        const bulk = Array.from({ length: items }, (_, n) => ({
          content: `Item ${n} of the ingest stands on shelf ${n % 17}.`,
          metadata: { kind: 'note', n: String(n) },
        }))
        const job = await asking.ask('POST', '/memories:bulk', { repo: 'shelves', items: bulk })
        const writing = (async () => {
          for (let n = 0; !asked.signal.aborted; n += 1) await store(asking, stored, `Note ${n} is written meanwhile.`)
        })()
        const wrong: string[] = []
        for (let n = 0; n < questions; n += 1) {
          if (n === crashAfter) {
            await crash(stack, 'mem-demo-1')
            // A stack that runs is looked at once a minute: a change of the Project is looked at at once.
            await life.apply({ pgInstances: 3, pgStorage: '2Gi' })
          }
          const found = await answer(n)
          if (!found.includes(textOf(n))) wrong.push(found)
        }
        expect(wrong).toEqual([])
        asked.abort()
        await writing
        await expect
          .poll(() => asking.ask('GET', `/ingest-jobs/${String(job['id'])}`), patience)
          .toMatchObject({ status: 'succeeded', total: items })
        await expect.poll(() => sights.at(-1), patience).toMatchObject({ phase: 'Running', reason: 'Running' })
        over.abort()
        await looking

        expect(asking.refusals.length).toBeGreaterThan(0)
        for (const refusal of asking.refusals) expect(refusal).toMatch(/: 503 .*not-ready/)
        for (const [id, content] of stored) expect(await life.ask('GET', `/memories/${id}`)).toMatchObject({ content })
        expect(new Set(sights.map(({ endpoint }) => endpoint)).size).toBe(1)
        expect(sights.map(({ phase }) => phase)).toContain('Degraded')
        const told = sights.filter(({ phase }) => phase === 'Degraded').map(({ message }) => String(message))
        expect(told.join('\n')).toMatch(/Failing over|Waiting for the instances to become active/)
        expect(await serviceOf(life)).toEqual(service)
      }),
    )
  })
})
