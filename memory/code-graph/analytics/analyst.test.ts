import { describe, expect, it } from 'vitest'
import type { GraphArrays, GraphView } from '../../graph/port.ts'
import { Analyst, OvertakenError, type Question } from './analyst.ts'
import type { Job, JobKind, JobResults } from './jobs.ts'
import { runInThread } from './thread.ts'

const arrays: GraphArrays = {
  ids: ['a', 'b', 'c'],
  entities: ['a.ts', 'b.ts', 'c.test.ts'].map((file, at) => ({ id: 'abc'.charAt(at), type: 'file', name: file, file })),
  relations: ['calls', 'contains'],
  from: Int32Array.of(0, 1, 0),
  to: Int32Array.of(1, 2, 2),
  relation: Uint32Array.of(0, 0, 1),
  confidence: Float64Array.of(1, 0.5, 1),
  tier: Uint8Array.of(0, 2, 0),
}

function aView(version: number, repo = 'r'): GraphView {
  return { head: { repo, version, commit: null, pushedAt: 0 }, arrays: async () => arrays } as GraphView
}

const bridgesOfAll: Question<JobKind> = { kind: 'bridges', filter: {}, seed: 1 }

/** Jobs that end when they are told to, or when they are aborted. */
function heldJobs(): {
  readonly begun: Job[]
  readonly end: (at: number) => void
  readonly run: ConstructorParameters<typeof Analyst>[0]
} {
  const begun: Job[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    end: (at) => ends[at]?.(),
    run: (job, signal) =>
      new Promise((resolve, reject) => {
        begun.push(job)
        const result: JobResults['degree'] = { scores: Int32Array.of(begun.length) }
        ends.push(() => resolve(result))
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  }
}

/** Lets what is ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('an analyst', () => {
  it('works out a question once a version, for everyone who asks (CODE-QUERY-17)', async () => {
    const jobs = heldJobs()
    const analyst = new Analyst(jobs.run)
    const asked = [analyst.ask(aView(1), bridgesOfAll), analyst.ask(aView(1), bridgesOfAll)]
    await settle()
    jobs.end(0)
    const [one, other] = await Promise.all(asked)
    expect(one).toBe(other)
    expect(jobs.begun).toHaveLength(1)
  })

  it('looks only at edges that pass', async () => {
    const jobs = heldJobs()
    const analyst = new Analyst(jobs.run)
    const filter = { minConfidence: 0.6, tiers: ['EXTRACTED'], relations: ['calls'] } as const
    void analyst.ask(aView(1), { kind: 'bridges', filter, seed: 1 })
    await settle()
    expect(jobs.begun[0]?.edges).toEqual({
      nodes: 3,
      from: Int32Array.of(0),
      to: Int32Array.of(1),
      weight: Float64Array.of(1),
    })
  })

  it('leaves out entities of some sorts, and counts those that are left from 0', async () => {
    const jobs = heldJobs()
    const analyst = new Analyst(jobs.run)
    const asked = analyst.ask(aView(1), { kind: 'degree', filter: {}, without: ['tests'], seed: 1 })
    await settle()
    expect(jobs.begun[0]?.edges).toEqual({
      nodes: 2,
      from: Int32Array.of(0),
      to: Int32Array.of(1),
      weight: Float64Array.of(1),
    })
    jobs.end(0)
    expect((await asked).places).toEqual(Int32Array.of(0, 1))
    void analyst.ask(aView(1), { kind: 'degree', filter: {}, seed: 1 })
    await settle()
    expect(jobs.begun[1]?.edges.nodes).toBe(3)
  })

  it('drops what is under way for a version that is overtaken, and never gives its answer', async () => {
    const jobs = heldJobs()
    const analyst = new Analyst(jobs.run)
    const old = analyst.ask(aView(1), bridgesOfAll)
    await settle()
    const now = analyst.ask(aView(2), bridgesOfAll)
    await expect(old).rejects.toThrow(OvertakenError)
    await settle()
    jobs.end(1)
    expect((await now).result).toEqual({ scores: Int32Array.of(2) })
    await expect(analyst.ask(aView(1), bridgesOfAll)).rejects.toThrow(OvertakenError)
  })

  it('has two threads at work at most, and drops who waits when it stops', async () => {
    const jobs = heldJobs()
    const analyst = new Analyst(jobs.run)
    const asked = ['x', 'y', 'z'].map((repo) => analyst.ask(aView(1, repo), bridgesOfAll))
    await settle()
    expect(jobs.begun).toHaveLength(2)
    jobs.end(0)
    await settle()
    expect(jobs.begun).toHaveLength(3)
    analyst.close()
    const ended = await Promise.allSettled(asked)
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it('tries anew what failed', async () => {
    let tries = 0
    const analyst = new Analyst(async () => {
      if (++tries === 1) throw new Error('no memory')
      return { scores: new Int32Array() }
    })
    await expect(analyst.ask(aView(1), bridgesOfAll)).rejects.toThrow('no memory')
    await expect(analyst.ask(aView(1), bridgesOfAll)).resolves.toBeDefined()
  })

  it('works in a thread that an abort ends in the middle (CODE-QUERY-17)', { timeout: 60_000 }, async () => {
    const nodes = 3_000
    const random = Int32Array.from({ length: 300_000 }, (_, at) => (at * 7919) % nodes)
    const edges = { nodes, from: random, to: random.toReversed(), weight: new Float64Array(random.length).fill(1) }
    const stop = new AbortController()
    const working = runInThread({ kind: 'betweenness', edges, seed: 1 }, stop.signal)
    stop.abort(new OvertakenError('newer'))
    await expect(working).rejects.toThrow(OvertakenError)
    await expect(runInThread({ kind: 'betweenness', edges, seed: 1 }, stop.signal)).rejects.toThrow(OvertakenError)
  })
})
