import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../../runtime/store/sql.ts'
import { ThreadError } from '../../threads/asked-thread.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { aHyperedge, anEdge, anEntity, aPush, contributionOf } from '../contract/builders.ts'
import type { Contribution } from '../model.ts'
import { Fold } from '../resolved/fold.ts'
import { FoldThreads } from './fold-in-thread.ts'
import { piecesOf } from './piece.ts'
import { PostgresGraph } from './store.ts'

let sql: Sql
beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())

/** More of everything than one slice has. */
const count = 2_500
const large: Contribution = contributionOf(
  ...Array.from({ length: count }, (_, at) => anEntity(`e${at}`, { metadata: { at } })),
  ...Array.from({ length: count }, (_, at) =>
    anEdge(`e${at}`, `x${at % 7}`, { relation: `r${at}`, metadata: { line: at } }),
  ),
  ...Array.from({ length: count }, (_, at) => aHyperedge(`h${at}`, [`e${at}`, 'e0'])),
)

const deadThread = (): Worker => new Worker('process.exit(3)', { eval: true })
const goodThread = (): Worker => new Worker(new URL('./fold-worker.ts', import.meta.url))

async function feed(add: (file: string, body: string) => void): Promise<void> {
  for (const body of piecesOf(large)) add('a.ts', body)
}

describe('a graph that is folded in a thread', () => {
  test('is the graph that is folded here', async () => {
    const fold = new Fold()
    fold.add('a.ts', large)
    expect(await new FoldThreads().fold(feed)).toEqual(fold.finish())
  })

  test('is an error where its thread dies, and the next one has its place', async () => {
    let starts = 0
    const threads = new FoldThreads(() => ((starts += 1) <= 4 ? deadThread() : goodThread()))
    for (let attempt = 0; attempt < 4; attempt += 1)
      await expect(threads.fold(feed)).rejects.toBeInstanceOf(ThreadError)
    expect((await threads.fold(feed)).from).toHaveLength(count)
  })

  test('is one of two at a time, however many are asked for', async () => {
    let [running, most] = [0, 0]
    const threads = new FoldThreads(() => {
      const worker = goodThread()
      most = Math.max(most, (running += 1))
      const terminate = worker.terminate.bind(worker)
      worker.terminate = () => {
        running -= 1
        return terminate()
      }
      return worker
    })
    await Promise.all(Array.from({ length: 6 }, () => threads.fold(feed)))
    expect([most, running]).toEqual([2, 0])
  })

  test('fails when the store closes, and begins no more', async () => {
    const threads = new FoldThreads()
    const folding = threads.fold(() => threads.close())
    await expect(folding).rejects.toBeInstanceOf(ThreadError)
    await expect(threads.fold(feed)).rejects.toThrow('closed')
  })
})

describe('a store of graphs', () => {
  test('folds a large graph in a thread, again where that dies, and a small one without', async () => {
    let starts = 0
    const threads = new FoldThreads(() => ((starts += 1) === 1 ? deadThread() : goodThread()))
    const graph = new PostgresGraph(sql, { isOnlyWriter: true, threads })
    await graph.push(aPush('small', { 'a.ts': contributionOf(anEntity('a'), anEdge('a', 'b')) }))
    await graph.push(aPush('large', { 'a.ts': large }))
    expect(await graph.read('small', (view) => view.sizes())).toMatchObject({ nodes: 2, edges: 1 })
    expect(starts).toBe(0)
    expect(await graph.read('large', (view) => view.sizes())).toMatchObject({ nodes: count + 7, edges: count })
    expect(starts).toBe(2)
    await graph.close()
  })
})
