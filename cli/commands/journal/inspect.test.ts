/** `statewright inspect` over files: what it serves, and what it refuses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActorAnswer, ActorsAnswer, HistoryRow } from '../../../edges/inspector/readings/answers.ts'
import type { StoryAnswer } from '../../../edges/inspector/readings/read-story.ts'
import { bundleOf, playStory, withFixture } from '../../../edges/inspector/testing/fixture.ts'
import type { Board } from '../../../machines/why/board.ts'
import type { ActorBundle, BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { run } from '../../main.ts'
import { inspect, openBundle } from './inspect.ts'
import { said } from '../testing/fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'inspect-'))
let story: BundleFile
let task: string

beforeAll(() =>
  withFixture(async (fixture) => {
    task = await playStory(fixture)
    await fixture.runtime.stop()
    story = await bundleOf(fixture)
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

function written(content: unknown, name = 'story.json'): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

interface Page {
  readonly html: string
  ask(path: string, init?: RequestInit): Promise<Response>
  get<T>(path: string): Promise<T>
}

/** Of a browser that opened the link. */
async function opened(path: string, use: (page: Page) => Promise<void>): Promise<void> {
  const { server, link } = await openBundle(path, 0)
  try {
    const answer = await fetch(link)
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const ask = (asked: string, init: RequestInit = {}): Promise<Response> =>
      fetch(new URL(`/inspector/api/${asked}`, link), { ...init, headers: { cookie, ...init.headers } })
    await use({
      html: await answer.text(),
      ask,
      async get<T>(asked: string) {
        const given = await ask(asked)
        expect(given.status, asked).toBe(200)
        return (await given.json()) as T
      },
    })
  } finally {
    await server.close({ graceMs: 0 })
  }
}

test('a file opens on its board, with list, page, story and history of each actor, as of its export (INSPECTOR-8)', () =>
  opened(written(story), async ({ html, get }) => {
    expect(html).toMatch(/<body data-file="story\.json, exported \d{4}-\d\d-\d\d \d\d:\d\d UTC">/)
    const { now, working, projects } = await get<Board>('board')
    expect(now).toBe(story.exportedAt)
    expect(working.cards.map((card) => `task:${card.task}`)).toContain(task)
    expect(projects).toMatchObject([{ project: 'default/demo' }])
    const { items, total } = await get<ActorsAnswer>('actors?kind=task&q=durations')
    expect([total, items.length]).toEqual([2, 2])
    const asked = encodeURIComponent(task)
    const actor = await get<ActorAnswer>(`actor?address=${asked}`)
    expect(actor).toMatchObject({ address: task, now: story.exportedAt, standing: { tone: 'goes' } })
    expect((await get<StoryAnswer>(`story?address=${asked}`)).story.lanes.length).toBeGreaterThan(2)
    const { items: rows } = await get<{ readonly items: readonly HistoryRow[] }>(`history?address=${asked}`)
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: actor.seq }, (_, index) => actor.seq - index))
    await get('charts/task')
  }))

test('story and board of a file name turns and tokens and no price, as no file knows whether a scripted model was asked', () => {
  const actors = story.actors.map((actor): ActorBundle => {
    if (actor.address !== task) return actor
    const text = JSON.stringify(actor.snapshot)
    const spent = text.replace(/"usage":\{[^{}]*\}/g, '"usage":{"inputTokens":42000,"costUsd":0.3}')
    return { ...actor, snapshot: JSON.parse(spent.replace(/"count":0/, '"count":1')) }
  })
  return opened(written({ ...story, actors }), async ({ get }) => {
    const { why } = await get<StoryAnswer>(`story?address=${encodeURIComponent(task)}`)
    expect(why?.rows.filter(({ name }) => name === 'cost')).toEqual([
      { name: 'cost', text: '1 turn, 42,000 tokens so far' },
    ])
    const { working } = await get<Board>('board')
    expect(working.cards.find((card) => `task:${card.task}` === task)).toMatchObject({ tokens: 42_000, usd: 0 })
  })
})

test('the history of a file may begin with any step, and goes no further back than the file (INSPECTOR-8)', () => {
  const isCut = (address: string): boolean => address === 'issue:default/lib-7'
  const actors = story.actors.map((actor) =>
    isCut(actor.address) ? { ...actor, events: actor.events.slice(1) } : actor,
  )
  const last = actors.find(({ address }) => isCut(address))!.seq
  expect(last).toBeGreaterThan(3)
  return opened(written({ ...story, actors }), async ({ get }) => {
    const read = async (query: string): Promise<unknown> => {
      const { items, nextCursor } = await get<{
        readonly items: readonly HistoryRow[]
        readonly nextCursor?: string
      }>(`history?address=issue:default/lib-7&limit=2&${query}`)
      return [items.map(({ seq }) => seq), nextCursor !== undefined]
    }
    expect(await read('from=2')).toEqual([[3, 2], true])
    expect(await read('from=1')).toEqual([[3, 2], false])
    expect(await read('from=999')).toEqual([[last, last - 1], true])
  })
})

test('nobody looks without the link, no other page does, and nothing can be sent (INSPECTOR-8)', () =>
  opened(written(story), async ({ ask }) => {
    expect((await ask('board', { headers: { cookie: '' } })).status).toBe(401)
    expect((await ask('board', { headers: { authorization: 'Bearer people' } })).status).toBe(401)
    expect((await ask('board', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await ask('actors?kind=task', { method: 'POST' })).status).toBe(405)
    expect((await ask('../../operations/retry', { method: 'POST' })).status).toBe(404)
  }))

test('a file leaves the inspector open that runs beside it on this machine, in the same browser (INSPECTOR-3)', async () => {
  const path = written(story)
  const both = [await openBundle(path, 0), await openBundle(path, 0)]
  // Browsers keep one cookie of a name for a host, whatever its port.
  const kept = new Map<string, string>()
  for (const { link } of both) {
    const [cookie = ''] = ((await fetch(link)).headers.get('set-cookie') ?? '').split(';')
    kept.set(cookie.split('=')[0] ?? '', cookie)
  }
  const cookie = [...kept.values()].join('; ')
  for (const { server, link } of both) {
    expect((await fetch(new URL('/inspector/api/kinds', link), { headers: { cookie } })).status).toBe(200)
    await server.close({ graceMs: 0 })
  }
})

test('texts of a file are masked and made visible as those of a store (INSPECTOR-8)', () => {
  const evil = '<script>alert(1)</script>\u202Egnp.exe ghp_0123456789abcdefghij0123456789abcdef'
  const actors = story.actors.map((actor): ActorBundle => {
    const spoilt = JSON.stringify(actor).replaceAll(/Parse durations with \d units/g, () =>
      JSON.stringify(evil).slice(1, -1),
    )
    return JSON.parse(spoilt) as ActorBundle
  })
  expect(JSON.stringify(actors)).toMatch(/\u202e.*ghp_/)
  return opened(written({ ...story, actors }, '"><b>.json'), async ({ html, get, ask }) => {
    expect(html).toContain('data-file="&quot;&gt;&lt;b&gt;.json, exported')
    const issue = actors.find(({ kind }) => kind === 'issue')!.address
    const asked = encodeURIComponent(issue)
    for (const path of ['board', 'actors?kind=issue', `actor?address=${asked}`, `history?address=${asked}`]) {
      const text = JSON.stringify(await get(path))
      expect(text, path).not.toMatch(/\u202e|ghp_/)
    }
    expect((await ask(`actor?address=${asked}`)).headers.get('content-type')).toContain('application/json')
  })
})

test.each<readonly [what: string, content: () => unknown, faults: RegExp]>([
  ['cut off', () => JSON.stringify(story).slice(0, 999), /is not valid JSON: it is cut off, or another file$/],
  ['of another format', () => ({ ...story, format: 'x' }), /is not a bundle of statewright export:\n {2}\/format /],
  ['of no actor', () => ({ ...story, actors: [] }), /\n {2}\/actors must /],
  [
    'of an actor twice',
    () => ({ ...story, actors: [...story.actors, story.actors[0]] }),
    /\/address \S+ is that of an actor/,
  ],
  [
    'of an unknown kind',
    () => ({ ...story, actors: [{ ...story.actors[0], kind: 'a\nFORGED' }] }),
    /\/kind a\S+FORGED is no kind/,
  ],
  [
    'of no end of levels',
    () => JSON.stringify(story).replace(/(?<="context":)\{/, `{"x":${deep},`),
    /nests deeper than 256 levels$/,
  ],
  [
    'of a time that is none',
    () => ({ ...story, exportedAt: 1e300 }),
    /\n {2}\/exportedAt must be <= 8640000000000000$/,
  ],
  ['of no end of faults', () => ({ ...story, actors: Array.from({ length: 99 }, () => ({})) }), /\n {2}and \d+ more$/],
])('a file %s is refused by its faults, with code 2 (INSPECTOR-8)', async (_, content, faults) => {
  let code = 0
  const { out, err } = await said(async () => (code = await run(['inspect', written(content())])))
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(faults)
  expect(err.split('\n').filter((line) => line.startsWith('FORGED'))).toEqual([])
})

test('a link that was used says how to open the file again', async () => {
  const { server, link } = await openBundle(written(story), 0)
  await fetch(link)
  expect(await (await fetch(link)).text()).toContain('Start <code>statewright inspect FILE</code> again')
  await server.close({ graceMs: 0 })
})

test.each([
  ['that is missing', 'nowhere.json'],
  ['that is a folder', '.'],
])('a file %s is named, with code 2', async (_, name) => {
  let code = 0
  const { err } = await said(async () => (code = await run(['inspect', join(folder, name)])))
  expect([code, err.includes(folder), /cannot be read: E/.test(err)]).toEqual([2, true, true])
})

test('the command prints the link and ends with code 0 at Ctrl-C', async () => {
  let code = 1
  const heard = process.listeners('SIGINT')
  const timer = setInterval(() => {
    if (process.listeners('SIGINT').length === heard.length) return
    // Once: a second one, a second later, ends the process at once.
    clearInterval(timer)
    process.emit('SIGINT', 'SIGINT')
  }, 20)
  const { out } = await said(async () => (code = await inspect([written(story)])))
  clearInterval(timer)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    for (const each of process.listeners(name).slice(-1)) if (!heard.includes(each as never)) process.off(name, each)
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/inspector\?ticket=\S+$/)
  expect(code).toBe(0)
})
