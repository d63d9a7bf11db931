/** Two memory services over one PostgreSQL: both take ingests and questions, and one goes on when the other dies. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobBody } from '../../memory/ingest/job-view.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { askWithToken, expectOnce, expectWhole, ingestOf, jobOf, withStore, type Ask } from './testing/ingests.ts'
import { memoryHost, type MemoryHost, type MemoryProcess } from './testing/host.ts'

const items = 60
/** Of each of the two that are cut: long enough that neither is through when the other process dies. */
const manyItems = 150
/** The lease of the dead has to end, on a machine that may be busy. */
const patience = { timeout: 120_000, interval: 100 }

describeRequiring('postgres', 'two processes over one PostgreSQL', () => {
  let host: MemoryHost
  let ask: Ask
  let one: MemoryProcess
  let other: MemoryProcess

  beforeAll(async () => {
    host = await memoryHost()
    ask = askWithToken(host)
    // One after the other: the first one to start migrates.
    one = await host.start({ OWNER: 'one' })
    other = await host.start({ OWNER: 'other' })
  }, 120_000)
  afterAll(() => host?.close())

  async function ingest(process: MemoryProcess, repo: string, size: number): Promise<string> {
    const answer = await ask(process, 'POST', '/memories:bulk', ingestOf(repo, size))
    expect(answer.status).toBe(202)
    return ((await answer.json()) as JobBody).id
  }

  async function foundBy(process: MemoryProcess, repo: string, index: number): Promise<readonly string[]> {
    const question = { mode: 'naive', text: `Module${index}`, top_k: 3, filter: { repo } }
    const answer = await ask(process, 'POST', '/queries', question)
    expect(answer.status).toBe(200)
    const { results } = (await answer.json()) as { readonly results: readonly { readonly content: string }[] }
    return results.map(({ content }) => content)
  }

  test('what either takes in is found by both, and each item is stored once', async () => {
    const jobs = await Promise.all([ingest(one, 'lib', items), ingest(other, 'app', items)])
    // Each tells of the job that the other one took.
    await expectWhole(ask, other, jobs[0], items)
    await expectWhole(ask, one, jobs[1], items)
    for (const process of [one, other])
      for (const repo of ['lib', 'app'])
        expect((await foundBy(process, repo, 41))[0]).toBe(
          `In ${repo} the Module41 talks to the Service6 about case 41.`,
        )
    await withStore(host, (sql) => expectOnce(sql, 2 * items))
  }, 300_000)

  test('what one changes and deletes is so for the other at its next question', async () => {
    const text = (what: string): object => ({
      text: `The LanternKeeper ${what}.`,
      idempotency_key: 'lantern',
    })
    const put = async (process: MemoryProcess, what: string): Promise<string> => {
      const { id } = (await (await ask(process, 'POST', '/memories', text(what))).json()) as { readonly id: string }
      await expect
        .poll(
          async () => ((await (await ask(one, 'GET', `/memories/${id}`)).json()) as { status: string }).status,
          patience,
        )
        .toBe('ready')
      return id
    }
    const asked = async (process: MemoryProcess): Promise<readonly string[]> => {
      const answer = await ask(process, 'POST', '/queries', { mode: 'naive', text: 'LanternKeeper', top_k: 5 })
      const { results } = (await answer.json()) as { readonly results: readonly { readonly content: string }[] }
      return results.map(({ content }) => content)
    }
    await put(one, 'sleeps')
    expect([await asked(one), await asked(other)]).toEqual([
      ['The LanternKeeper sleeps.'],
      ['The LanternKeeper sleeps.'],
    ])
    const id = await put(other, 'wakes')
    expect([await asked(one), await asked(other)]).toEqual([['The LanternKeeper wakes.'], ['The LanternKeeper wakes.']])
    expect((await ask(one, 'DELETE', `/memories/${id}`)).status).toBe(204)
    expect([await asked(one), await asked(other)]).toEqual([[], []])
  }, 300_000)

  test('when one is killed in the midst of its ingest the other ends it, and nothing is lost or twice', async () => {
    const before = 2 * items
    const jobs = [await ingest(one, 'cut', manyItems), await ingest(other, 'along', manyItems)] as const
    await expect.poll(async () => (await jobOf(ask, other, jobs[0])).done, patience).toBeGreaterThan(0)
    await one.kill()
    for (const id of jobs) await expectWhole(ask, other, id, manyItems)
    expect((await foundBy(other, 'cut', manyItems - 1))[0]).toContain(`about case ${manyItems - 1}.`)
    expect(await other.stop()).toBe(0)
    await withStore(host, (sql) => expectOnce(sql, before + 2 * manyItems))
  }, 420_000)
})
