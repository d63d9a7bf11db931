import { describe, expect, it } from 'vitest'
import type { AwaitedSql } from './contract/empty-store.ts'
import { event, task, until, type Harness } from './contract/harness.ts'
import { overStore } from './contract/over-store.ts'
import type { ActorView, Delivery, FindQuery, Runtime } from './runtime.ts'
import { writeListing } from './store/journal/commit-steps.ts'
import { openSharedSql } from './store/testing/shared-store.ts'

let sql: AwaitedSql
let world: Harness

overStore(openSharedSql, (...given) => void ([sql, world] = given))

function noted(id: string, key: string, note: string): Delivery {
  return { to: task(id), key, event: event('noted', { note }) }
}

function ids({ views }: { readonly views: readonly ActorView[] }): string {
  return views.map(({ id }) => id).join()
}

async function listed(): Promise<readonly object[]> {
  return (await sql.query('select address, seq, version, words, named, ended_at from listing order by address')).rows
}

async function fourOfThem(): Promise<Runtime> {
  const { runtime } = await world.start()
  for (const id of ['n/c', 'n/a', 'm/b', 'n/b']) {
    await runtime.deliver(noted(id, 'k', `About ${id} 100%`))
    world.clock.advance(1000)
  }
  await runtime.deliver({ to: task('n/c'), key: 'end', event: event('closed') })
  return runtime
}

describe('the runtime finds actors by what they list (INSPECTOR-7)', () => {
  it.each<[string, Partial<FindQuery>]>([
    ['n/a,n/b,n/c', { text: 'aBOUT N/' }],
    ['m/b,n/a,n/b,n/c', { text: '0%' }],
    ['n/b', { text: ' 100%  N/B about ' }],
    ['', { text: 'about n/b nothing' }],
    ['', { text: '1_0' }],
    ['', { text: '\\' }],
    ['m/b,n/a,n/b', { text: 'about', status: 'active' }],
    ['n/c', { path: 'END' }],
    ['', { path: 'en' }],
    ['m/b,n/a,n/b,n/c', { texts: { count: '1' } }],
    ['', { texts: { count: 'al' } }],
    ['n/a', { restsSince: 1_700_000_001_500 }],
  ])('%s for %o', async (expected, query) => {
    const runtime = await fourOfThem()
    const found = await runtime.find('task', { limit: 9, ...query })
    expect([ids(found), found.total]).toEqual([expected, expected.split(',').filter(Boolean).length])
  })

  it.each<[string, Pick<FindQuery, 'order'>]>([
    ['m/b,n/a,n/b,n/c', {}],
    ['n/c,n/b,m/b,n/a', { order: 'newest' }],
  ])('and leaves none out that moves while they are read page by page: %s', async (expected, order) => {
    const runtime = await fourOfThem()
    const first = await runtime.find('task', { ...order, limit: 2 })
    await runtime.deliver(noted(ids(first).slice(0, 3), 'k2', 'moves'))
    const after = first.found.at(-1)
    const second = await runtime.find('task', { ...order, limit: 2, ...(after ? { after } : {}) })
    expect(`${ids(first)},${ids(second)}`).toBe(expected)
    expect(first.total).toBe(4)
  })
})

it('the runtime counts actors by state, and by each word of the texts that are asked for (INSPECTOR-7)', async () => {
  const runtime = await fourOfThem()
  const { states, words } = await runtime.tally(['count'])
  expect(new Set(words)).toEqual(new Set(['all', '1'].map((word) => ({ kind: 'task', name: 'count', word, count: 4 }))))
  expect(new Set(states)).toEqual(
    new Set([
      { kind: 'task', path: 'idle', count: 3 },
      { kind: 'task', path: 'end', count: 1 },
    ]),
  )
})

it('many words of one text leave no word of another out, and of equal ones the first are counted (INSPECTOR-7)', async () => {
  const { runtime } = await world.start()
  await sql.query(`insert into listing (address, seq, version, words, named)
    select kind || ':' || i || '/' || j, 1, 1, '', e'\\nnote=w' || lpad(i::text, 4, '0') || e'\\n' ||
        case when i = 1 and j = 1 then e'\\ncount=rare\\n' else '' end
      from unnest(array['task', 'pod']) kind, generate_series(1, 2100) i, generate_series(1, 2) j`)
  const { words } = await runtime.tally(['count', 'note'])
  const of = (kind: string, name: string) => words.filter((one) => one.kind === kind && one.name === name)
  for (const kind of ['task', 'pod']) {
    expect(of(kind, 'count')).toEqual([{ kind, name: 'count', word: 'rare', count: 1 }])
    const expected = Array.from({ length: 200 }, (_, index) => `w${String(index + 1).padStart(4, '0')}`)
    expect(of(kind, 'note').map(({ word }) => word)).toEqual(expected)
  }
})

it('many states of one kind leave no state of another out', async () => {
  const runtime = await fourOfThem()
  await sql.query(`insert into actor (address, kind, seq, version, machine_hash, status, path, shard, created_at, updated_at)
    select 'pod:' || i || '/' || j, 'pod', 1, 1, '', 'done', 's' || lpad(i::text, 4, '0'), 0, 0, 0
      from generate_series(1, 2100) i, generate_series(1, 2) j`)
  const { states } = await runtime.tally([])
  expect(states.filter(({ kind }) => kind === 'task').map(({ path, count }) => `${path} ${count}`)).toEqual([
    'idle 3',
    'end 1',
  ])
  const pods = states.filter(({ kind }) => kind === 'pod')
  expect([pods.length, pods.at(0)?.path, pods.at(-1)?.path]).toEqual([2000, 's0001', 's2000'])
})

describe('what is listed of an actor', () => {
  it('is of its last step, whoever made it, and the same when all of it is made anew', async () => {
    const first = await world.start()
    await first.runtime.deliver(noted('a', 'k1', 'one'))
    await Promise.all(['k2', 'k3'].map((key) => first.runtime.deliver(noted('a', key, key))))
    await first.runtime.deliver(noted('b', 'k1', 'b'))
    first.crash()
    const { runtime } = await world.start()
    await runtime.deliver(noted('b', 'k2', 'x\u0000\ud800y'))
    await runtime.deliver({ to: task('b'), key: 'end', event: event('closed') })
    const before = await listed()
    expect(before).toMatchObject([
      { address: 'task:a', words: 'task:a\none,k2,k3\nall 3', ended_at: null },
      { address: 'task:b', named: expect.stringContaining('\nnote=\ufffdy\n'), ended_at: world.clock.now() },
    ])
    await sql.query("delete from listing where address = 'task:a'")
    await sql.query("update listing set version = 0, words = '' where address = 'task:b'")
    await runtime.find('task', { limit: 1 })
    await until(listed, (rows) => JSON.stringify(rows) === JSON.stringify(before))
  })

  it('is not taken back by a state that was read before a step', async () => {
    const { runtime } = await world.start()
    await runtime.deliver(noted('a', 'k1', 'one'))
    await runtime.deliver(noted('a', 'k2', 'two'))
    const [row] = await listed()
    await writeListing(sql, { address: task('a'), seq: 1, version: 1, words: '', named: '', endedAt: null })
    expect(await listed()).toEqual([row])
  })
})
