/** BM25 as the textbook has it, over the chunks as they are, against what the kept posting lists give. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import type { EngineMemory, QueryFilter } from '../port.ts'
import { termsOf } from '../text/tokenize.ts'
import { createEmbeddedEngine } from './engine.ts'
import { ChunkGroups } from './chunk-groups.ts'
import { askedTerms, rankLexically, type Index, type RankedChunk } from './lexical.ts'
import { Postings } from './postings.ts'
import { prepare } from './prepare.ts'
import { b, k1 } from './score.ts'

let sql: Sql

beforeAll(async () => {
  sql = await openMemoryStore()
}, 60_000)
afterAll(() => sql?.close())

function engine(): ReturnType<typeof createEmbeddedEngine> {
  return createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
}

function aText(id: string, content: string, repo = 'one'): EngineMemory {
  return { id, content, metadata: {}, repo, file: null }
}

function anIndex(most?: number): Index {
  return { postings: new Postings(most), groups: new ChunkGroups() }
}

async function ask(index: Index, text: string, limit: number, filter?: QueryFilter): Promise<RankedChunk[]> {
  return rankLexically(sql, await askedTerms(sql, index, text, filter), limit, filter)
}

interface Scored {
  readonly id: string
  readonly score: number
}

/** Every chunk of the repository that has any of the terms, by its chunks alone, in the order in which they were stored. */
function scoredPlainly(stored: readonly EngineMemory[], text: string, repo?: string): Scored[] {
  const within = stored.filter((memory) => repo === undefined || memory.repo === repo)
  const chunks = within.flatMap((memory) => prepare(memory).chunks.map((chunk, ord) => ({ ...chunk, memory, ord })))
  const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length
  return chunks
    .map(({ terms, length, memory, ord }) => {
      let score = 0
      for (const [term, asked] of termsOf(text)) {
        const count = terms.get(term) ?? 0
        const holders = chunks.filter((each) => each.terms.has(term)).length
        const idf = Math.log(1 + (chunks.length - holders + 0.5) / (holders + 0.5))
        score += (asked * idf * (k1 + 1) * count) / (count + k1 * (1 - b) + (k1 * b * length) / average)
      }
      return { id: `${memory.id}:${ord}`, score }
    })
    .filter((one) => one.score > 0)
}

/** Sums of the same terms in another order differ in their last digit: places are compared by their scores. */
function expectSame(given: readonly RankedChunk[], all: readonly Scored[], limit: number): void {
  const best = all.toSorted((x, y) => y.score - x.score).slice(0, limit)
  const scores = new Map(all.map((one) => [one.id, one.score]))
  const ids = given.map((one) => `${one.memoryId}:${one.ord}`)
  expect(new Set(ids).size).toBe(best.length)
  for (const [at, { score }] of given.entries()) {
    expect(score).toBeCloseTo(best[at]!.score, 9)
    expect(score).toBeCloseTo(scores.get(ids[at]!) ?? Number.NaN, 9)
  }
}

/** Few words, so that most are in many texts; the first in nearly all. */
const word = fc.constantFrom('the', 'the', 'the', 'token', 'token', 'vault', 'ledger', 'queue', 'lantern', 'meadow')
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(' '))
const id = fc.integer({ min: 0, max: 11 }).map((number) => `text-${number}`)
const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ put: fc.array(fc.tuple(id, words, fc.constantFrom('one', 'two')), { maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ remove: fc.array(id, { maxLength: 3 }) }) },
)
const question = fc.record({
  text: words,
  limit: fc.integer({ min: 1, max: 8 }),
  repo: fc.constantFrom(undefined, undefined, 'one', 'two'),
})

it('ranks as plain BM25 does, whatever came, changed and went between the questions, by whomever', async () => {
  const rounds = fc.array(fc.tuple(change, question), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      await emptyMemoryStore(sql)
      const writer = engine()
      const readers = [anIndex(), anIndex(3)]
      const stored = new Map<string, EngineMemory>()
      for (const [at, [changed, { text, limit, repo }]] of all.entries()) {
        if ('put' in changed) {
          const memories = [...new Map(changed.put.map((each) => [each[0], aText(...each)])).values()]
          await writer.upsert(memories)
          for (const memory of memories) {
            const known = stored.get(memory.id)
            if (known?.content === memory.content && known.repo === memory.repo) continue
            stored.delete(memory.id)
            stored.set(memory.id, memory)
          }
        } else {
          await writer.remove(changed.remove)
          for (const each of changed.remove) stored.delete(each)
        }
        const plain = scoredPlainly([...stored.values()], text, repo)
        // One that is not asked for a while misses what came and went meanwhile.
        const asked = at % 2 === 0 ? readers : readers.slice(1)
        for (const reader of [...asked, anIndex()])
          expectSame(await ask(reader, text, limit, repo === undefined ? undefined : { repos: [repo] }), plain, limit)
      }
    }),
    { numRuns: 15 },
  )
}, 120_000)

it('of two that say the same the older comes first', async () => {
  await emptyMemoryStore(sql)
  const writer = engine()
  for (const name of ['b', 'a', 'c']) await writer.upsert([aText(name, 'a lantern in the meadow')])
  const found = await ask(anIndex(), 'lantern', 3)
  expect(found.map((one) => one.memoryId)).toEqual(['b', 'a', 'c'])
})

it('gives as many as were asked for when a filter leaves few of many', async () => {
  await emptyMemoryStore(sql)
  const texts = Array.from({ length: 120 }, (_, at) =>
    aText(`text-${at}`, `a lantern ${'meadow '.repeat(at % 9)}`, at % 40 === 0 ? 'rare' : 'usual'),
  )
  await engine().upsert(texts)
  const filter = { repos: ['rare'] }
  expectSame(await ask(anIndex(), 'lantern', 2, filter), scoredPlainly(texts, 'lantern', 'rare'), 2)
  expect(await ask(anIndex(), 'lantern', 10, filter)).toHaveLength(3)
})

it('reads a known term again only when one of its chunks has gone', async () => {
  await emptyMemoryStore(sql)
  const writer = engine()
  await writer.upsert([aText('a', 'a lantern'), aText('b', 'another lantern')])
  const asked: unknown[][] = []
  const told: Sql = {
    ...sql,
    query: (text, params = []) => {
      asked.push([...params])
      return sql.query(text, params)
    },
  }
  const postings = new Postings()
  const until = async (): Promise<unknown[]> => {
    asked.length = 0
    await postings.read(told, ['lantern'])
    return asked.map(([, from]) => from)
  }
  const fresh = await until()
  expect(fresh).toEqual([[0]])
  const [[last] = []] = (await until()) as number[][]
  expect(last).toBeGreaterThan(0)
  await writer.remove(['a'])
  await writer.upsert([aText('c', 'one more lantern')])
  expect(await until()).toEqual([[last], [0]])
})
