import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { piecesOf } from '../graph/postgres/piece.ts'
import type { WrittenPiece } from '../graph/port.ts'
import { ThreadError } from '../threads/asked-thread.ts'
import { PushScan } from './push-reader.ts'
import { sortPush, type SortedPush } from './push.ts'
import { PushReading } from './read-push.ts'

const deadThread = (): Worker => new Worker('process.exit(3)', { eval: true })
const goodThread = (): Worker => new Worker(new URL('./push-worker.ts', import.meta.url))

/** As a socket brings it. */
function requestOf(body: string): FastifyRequest {
  const pieces = body.match(/[^]{1,60000}/g) ?? []
  return { headers: {}, body: Readable.from(pieces.map((piece) => Buffer.from(piece))) } as unknown as FastifyRequest
}

function bodyOf(edges: number, more: object = {}): string {
  return JSON.stringify({
    mode: 'snapshot',
    commit: 'c1',
    files: Array.from({ length: 1_200 }, (_, at) => ({ file: `f${at}.ts`, sha: `${at}` })),
    entities: Array.from({ length: edges }, (_, at) => ({
      id: `e${at}`,
      type: 'function',
      name: `e${at}`,
      file: `f${at % 3}.ts`,
      metadata: { at },
    })),
    edges: Array.from({ length: edges }, (_, at) => ({
      from: `e${at}`,
      to: `lib${at % 5}`,
      relation: 'calls',
      confidence: at % 9 === 0 ? 0.5 : 1,
    })),
    hyperedges: [{ id: 'h', relation: 'all', label: 'all', members: ['e1', 'e2'] }],
    ...more,
  })
}

interface Whole extends Omit<SortedPush, 'contributions' | 'written'> {
  readonly pieces: readonly WrittenPiece[]
}

async function whole({ contributions, written, ...rest }: SortedPush): Promise<Whole> {
  const pieces: WrittenPiece[] = []
  if (written !== undefined) for await (const piece of written()) pieces.push(piece)
  for (const [file, one] of contributions) for (const body of piecesOf(one)) pieces.push({ file, body })
  const unsettled = 'text' in rest.unsettled ? JSON.parse(rest.unsettled.text) : rest.unsettled
  return { ...rest, unsettled, pieces }
}

function sortedHere(body: string, strict = false): Promise<SortedPush> {
  const scan = new PushScan({ strict })
  scan.write(Buffer.from(body))
  return sortPush(scan.finish())
}

/** What a promise was rejected with, in words. */
async function refusal(work: () => Promise<unknown>): Promise<object> {
  const { name, code, status, message, members } = await work().then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error as Record<string, unknown>,
  )
  return { name, code, status, message, members }
}

async function withReading(start: () => Worker, use: (reading: PushReading, starts: () => number) => Promise<void>) {
  let starts = 0
  const reading = new PushReading(systemClock, () => ((starts += 1), start()))
  try {
    await use(reading, () => starts)
  } finally {
    await reading.close()
  }
}

/** Of some 500 KiB: from 64 KiB on a push is read in a thread. */
const large = 3_000
/** Each third is of one file, which is more than a piece has rows. */
const ofManyPieces = 12_003

describe('a push', () => {
  test.each([{}, { snapshot_id: 's', part: 1 }])(
    'that is large is read in a thread as it is here, %j (CODE-PUSH-27)',
    async (more) => {
      await withReading(goodThread, async (reading, starts) => {
        const body = bodyOf(ofManyPieces, more)
        const read = await reading.read(requestOf(body), { strict: false }, whole)
        expect(starts()).toBe(1)
        expect(read).toEqual(await whole(await sortedHere(body)))
        expect(read.pieces.length).toBeGreaterThan(3)
        expect(read.offRubric.count).toBe(Math.ceil(ofManyPieces / 9))
      })
    },
  )

  test('that is small has no thread', async () => {
    await withReading(deadThread, async (reading, starts) => {
      const body = JSON.stringify({ mode: 'snapshot', entities: [{ id: 'a', type: 'function', name: 'a' }] })
      expect(await reading.read(requestOf(body), { strict: false }, whole)).toEqual(await whole(await sortedHere(body)))
      expect(starts()).toBe(0)
    })
  })

  test.each([
    ['has faults', bodyOf(large, { hyperedges: [{ id: 'h' }], what: 1 }), false],
    ['breaks the rubric, and must not', bodyOf(large), true],
    ['is no JSON', `${bodyOf(large)}]`, false],
    ['ends too early', bodyOf(large).slice(0, -1), false],
    ['names files that it does not list', bodyOf(large, { mode: 'files', files: [] }), false],
  ])('that %s is refused by its thread in the words that it is refused in here', async (_, body, strict) => {
    await withReading(goodThread, async (reading, starts) => {
      const there = await refusal(() => reading.read(requestOf(body), { strict }, whole))
      expect(there).toEqual(await refusal(async () => sortedHere(body, strict)))
      expect([starts(), there]).toMatchObject([1, { name: 'Problem', status: 400 }])
      const next = await reading.read(requestOf(bodyOf(large)), { strict: false }, async ({ counts }) => counts)
      expect([starts(), next.edges]).toEqual([1, large])
    })
  })

  test('is read again where its thread died, once', async () => {
    let starts = 0
    const start = (): Worker => ((starts += 1) === 1 ? deadThread() : goodThread())
    await withReading(start, async (reading) => {
      const { counts } = await reading.read(requestOf(bodyOf(large)), { strict: false }, async (sorted) => sorted)
      expect([starts, counts.entities]).toEqual([2, large])
    })
    await withReading(deadThread, async (reading, started) => {
      const reads = reading.read(requestOf(bodyOf(large)), { strict: false }, whole)
      await expect(reads).rejects.toBeInstanceOf(ThreadError)
      expect(started()).toBe(2)
    })
  })
})
