import { request } from 'node:http'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { flood, openDescriptors, walk } from '../../http/testing/strangers.ts'
import type { ActorAnswer, ActorRow, ActorsAnswer, ChoicesAnswer, HistoryRow } from './readings/answers.ts'
import { goodToken, issueFacts, openFixture, playStory, type Fixture } from './testing/fixture.ts'

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

/** The agent of the story's Task has asked, and read what was answered: its plan waits for the approval. */
async function endTurn({ send, runtime }: Fixture, task: ActorAddress): Promise<void> {
  const { journal } = (await runtime.read(task))!.context as { readonly journal?: { readonly eventSequence: number } }
  await send(task, { type: 'turn.accepted', pod: 1, turn: 0, eventsUpTo: journal!.eventSequence })
  await send(task, { type: 'agent.asked', pod: 1, repository: 'lib', number: 7 })
  const turn = { pod: 1, turn: 0, purpose: 'work', finalText: '', usage: {}, pushed: [], failed: [] }
  await send(task, { type: 'turn.ended', ...turn })
}

let fixture: Fixture
let task: ActorAddress
let end: () => Promise<void>

beforeAll(async () => {
  ;({ fixture, end } = await openFixture())
  task = await playStory(fixture)
})
afterAll(() => end())

const bearerHeaders = { authorization: `Bearer ${goodToken}` }

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${fixture.url}/inspector/api/${path}`, { headers: bearerHeaders })
  expect(answer.status, path).toBe(200)
  return (await answer.json()) as T
}

/** The cookie that a fresh link gives, as a browser sends it back. */
async function openSession(): Promise<string> {
  const answer = await fetch(fixture.link())
  expect(answer.status).toBe(200)
  return (answer.headers.get('set-cookie') ?? '').split(';')[0]!
}

function statusWith(headers: Record<string, string>, path = '/inspector/api/kinds'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${fixture.url}${path}`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('who may look', () => {
  test('nobody without a session or a token sees anything', async () => {
    for (const path of [
      'kinds',
      'actors?kind=task',
      `actor?address=${task}`,
      `history?address=${task}`,
      'charts/task',
    ]) {
      expect((await fetch(`${fixture.url}/inspector/api/${path}`)).status).toBe(401)
    }
    const root = await fetch(fixture.url, { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/inspector'])
    const page = await fetch(`${fixture.url}/inspector`)
    expect(page.status).toBe(401)
    expect(await page.text()).toContain('statewright inspector')
  })

  test('a link opens the page once; its cookie then opens the API, to nobody else and to no script (INSPECTOR-3)', async () => {
    const link = fixture.link()
    const first = await fetch(link)
    expect(first.status).toBe(200)
    expect(first.headers.get('set-cookie')).toMatch(
      /^statewright_inspector_\d+=\S+; Path=\/inspector; HttpOnly; SameSite=Strict$/,
    )
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!
    expect(await statusWith({ cookie })).toBe(200)
    expect(await statusWith({ cookie: `other=1; ${cookie}` })).toBe(200)
    expect(await statusWith({ cookie: `${cookie}x` })).toBe(401)
    const second = await fetch(link)
    expect([second.status, second.headers.get('set-cookie')]).toEqual([401, null])
  })

  test('a bearer token is judged as everywhere (INSPECTOR-5)', async () => {
    expect(await statusWith(bearerHeaders)).toBe(200)
    expect(await statusWith({ authorization: 'Bearer other' })).toBe(401)
  })

  test('another host name or another page is refused, whatever it carries (INSPECTOR-4)', async () => {
    const cookie = await openSession()
    expect(await statusWith({ cookie, host: 'evil.example' })).toBe(403)
    expect(await statusWith({ cookie, origin: 'http://evil.example' })).toBe(403)
    expect(await statusWith({ cookie, host: 'evil.example' }, '/inspector')).toBe(403)
    expect(await statusWith({ host: 'evil.example' }, '/inspector/page.js')).toBe(403)
    expect(await statusWith({ cookie, origin: fixture.url })).toBe(200)
  })

  test('the page loads nothing from elsewhere and is framed by nobody', async () => {
    const page = await fetch(fixture.link())
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const texts = [await page.text(), await (await fetch(`${fixture.url}/inspector/page.css`)).text()]
    for (const text of texts) expect(text).not.toMatch(/https?:\/\//)
    const script = await (await fetch(`${fixture.url}/inspector/page.js`)).text()
    expect(script.match(/https?:\/\/[^\s"'`]+/g)?.filter((url) => !url.startsWith('http://www.w3.org/')) ?? []).toEqual(
      [],
    )
  })

  test('INSPECTOR-RULE-1: nothing can be sent: every other method is refused (INSPECTOR-1)', async () => {
    for (const path of ['actors', 'actor', 'history', 'charts/task', 'kinds']) {
      const answer = await fetch(`${fixture.url}/inspector/api/${path}`, { method: 'POST', headers: bearerHeaders })
      expect(answer.status).toBe(405)
    }
  })
})

describe('what is shown', () => {
  test('the actors of a kind, page by page', async () => {
    const all = await get<Page<ActorRow>>('actors?kind=issue')
    expect(all.items.map(({ id }) => id)).toEqual(['default/lib-7', 'default/lib-8', 'default/lib-9'])
    const first = await get<Page<ActorRow>>('actors?kind=issue&limit=2')
    expect(first.items.map(({ id }) => id)).toEqual(['default/lib-7', 'default/lib-8'])
    const rest = await get<Page<ActorRow>>(`actors?kind=issue&limit=2&cursor=${first.nextCursor}`)
    expect(rest).toEqual({ total: 0, items: [expect.objectContaining({ id: 'default/lib-9' })] })
    const newest = (await get<Page<ActorRow>>('actors?kind=issue&sort=newest')).items
    expect(newest).toEqual(newest.toSorted((one, other) => other.updatedAt - one.updatedAt))
  })

  test('each row of a list says in one word how its actor stands', async () => {
    const word = async (kind: string, id: string): Promise<unknown> =>
      (await get<Page<ActorRow>>(`actors?kind=${kind}&q=${id}`)).items[0]?.standing.word
    expect(await word('task', task.slice('task:'.length))).toBe('working')
    expect(await word('queue', 'demo')).toBe('open')
    expect(await word('project', 'demo')).toBe('ready')
  })

  test('a search finds by id, and a filter by state, in any case', async () => {
    expect((await get<Page<ActorRow>>('actors?kind=issue&q=LIB-8')).items).toHaveLength(1)
    expect((await get<Page<ActorRow>>('actors?kind=task&state=Implementing.clocked')).items).toHaveLength(1)
    expect((await get<Page<ActorRow>>('actors?kind=task&q=nowhere')).items).toEqual([])
    expect((await get<Page<ActorRow>>('actors?kind=issue&status=done')).items).toEqual([])
  })

  test('a list is found and filtered by what people know of it, and says how many there are (INSPECTOR-7)', async () => {
    const found = async (query: string): Promise<string> => {
      const { total, items } = await get<ActorsAnswer>(`actors?kind=issue&${query}`)
      return `${total}: ${items.map(({ title }) => title).join(', ')}`
    }
    expect(await found('q=lib%238%20WITH')).toBe('1: Parse durations with 8 units')
    expect(await found('project=default/demo&person=rosa&limit=1')).toBe('3: Parse durations with 7 units')
    expect(await found('person=ro')).toBe('0: ')
    expect(await found('repository=lib&state=LIVE&rests=0&q=lib-9')).toBe('1: Parse durations with 9 units')
    expect(await found('rests=3600000')).toBe('0: ')
    expect((await get<ActorsAnswer>('actors?kind=task&repository=lib&reason=pod.working.busy')).total).toBe(1)
  })

  test('what a list may be filtered by has the words of the page, and finds as many as it says (INSPECTOR-7)', async () => {
    const { items } = await get<ChoicesAnswer>('choices')
    const of = (filter: string, kind: string): readonly string[] =>
      items.filter((one) => one.filter === filter && one.kind === kind).map(({ text, count }) => `${text}: ${count}`)
    expect(of('kind', 'issue')).toEqual(['issue: 3'])
    expect(of('project', 'task')).toEqual(['default/demo: 2'])
    expect(of('person', 'issue')).toEqual(['rosa: 3'])
    expect(of('reason', 'task')).toEqual(['the agent works on a turn: 1'])
    expect(of('state', 'task')).toEqual(
      expect.arrayContaining(['implementing: 1', 'rejected: 1', 'working (working.busy): 1']),
    )
    for (const { filter, kind, value, count } of items) {
      const query = new URLSearchParams({ kind, [filter]: value })
      expect([filter, value, (await get<ActorsAnswer>(`actors?${query}`)).total]).toEqual([filter, value, count])
    }
  })

  test('an actor with how it stands, its timers and what it has outstanding', async () => {
    const actor = await get<ActorAnswer>(`actor?address=${task}`)
    expect(actor.standing).toMatchObject({
      word: 'working',
      owner: 'agent',
      reason: 'the agent works on a turn',
      next: 'the turn ends',
    })
    expect(actor.timers).toEqual([expect.objectContaining({ name: 'implementingBudget' })])
    expect(actor).not.toHaveProperty('hindrance')
    expect(actor).toMatchObject({ lastTurn: { words: 'I stop here', tool: { name: 'Edit', failed: true } } })
    const turn = await get<ActorAnswer>(`actor?address=${task.replace('task:', 'turn:')}/1/0`)
    expect(turn.hindrance).toBe('the model has not answered for 4 min')
    const issue = await get<ActorAnswer>('actor?address=issue:default/lib-7')
    expect(issue.effects).toEqual([
      expect.objectContaining({ type: 'postComment', state: 'pending', lastError: expect.stringContaining('502') }),
    ])
  })

  test('the history, newest first, page by page without gap or repetition', async () => {
    const seqs: number[] = []
    let cursor = ''
    do {
      const page = await get<Page<HistoryRow>>(`history?address=${task}&limit=2${cursor}`)
      seqs.push(...page.items.map(({ seq }) => seq))
      cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`
    } while (cursor !== '')
    const { seq } = await get<ActorAnswer>(`actor?address=${task}`)
    expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => seq - index))
  })

  test('a page of the history may begin with any step, and leads back no further than what is kept', async () => {
    const issue: ActorAddress = 'issue:default/lib-31'
    for (let number = 0; number < 9; number += 1)
      await fixture.send(issue, { type: 'issue.observed', facts: { ...issueFacts(31), bodyHash: `b${number}` } })
    const read = async (query: string): Promise<readonly unknown[]> => {
      const { items, nextCursor } = await get<Page<HistoryRow>>(`history?address=${issue}&limit=3${query}`)
      const older =
        nextCursor && (await get<Page<HistoryRow>>(`history?address=${issue}&limit=3&cursor=${nextCursor}`)).items
      return [items.map(({ seq }) => seq), older ? older.map(({ seq }) => seq) : 'none']
    }
    expect(await read('&from=4')).toEqual([
      [6, 5, 4],
      [3, 2, 1],
    ])
    expect(await read('&from=1')).toEqual([[3, 2, 1], 'none'])
    expect(await read('&from=99')).toEqual(await read(''))
    await fixture.sql.query("update event set body = '' where actor = $1 and seq < 5", [issue])
    expect(await read('&from=2')).toEqual([[7, 6, 5], 'none'])
    expect(await read('&from=6')).toEqual([[8, 7, 6], [5]])
  })

  test('no secret, neither in a context nor in an event', async () => {
    const [history, actor, issue] = await Promise.all(
      [`history?address=${task}`, `actor?address=${task}`, 'actor?address=issue:default/lib-7'].map((path) =>
        get<object>(path),
      ),
    )
    for (const answer of [history, actor, issue]) expect(JSON.stringify(answer)).not.toContain('ghp_')
    expect(JSON.stringify(history)).toContain('Token: •••')
  })

  test('what is not there is a problem that says so', async () => {
    for (const [path, status] of [
      ['actor?address=task:default/nobody', 404],
      ['actor?address=nonsense', 404],
      ['history?address=task:default/nobody', 404],
      ['charts/nonsense', 404],
      ['actors?kind=nonsense', 400],
      ['actors?kind=task&cursor=nonsense', 400],
      ['actors', 400],
      ['actors?kind=task&rests=soon', 400],
      ['actors?kind=task&sort=oldest', 400],
      [`history?address=${task}&limit=0`, 400],
      [`history?address=${task}&from=0`, 400],
    ] as const) {
      const answer = await fetch(`${fixture.url}/inspector/api/${path}`, { headers: bearerHeaders })
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
  })

  test('a chart for every machine', async () => {
    const { kinds } = await get<{ readonly kinds: readonly string[] }>('kinds')
    expect(kinds).toContain('task')
    for (const kind of kinds) expect(await get(`charts/${kind}`)).toMatchObject({ kind, states: expect.any(Array) })
  })
})

interface Line {
  next(): Promise<Record<string, unknown>>
  close(): void
}

function openLine(headers: Record<string, string>, after = ''): Promise<Line> {
  const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/inspector/live${after}`, { headers })
  const come: Record<string, unknown>[] = []
  let wake = (): void => undefined
  socket.on('message', (data: Buffer) => {
    come.push(...[JSON.parse(data.toString()) as Record<string, unknown>].flat())
    wake()
  })
  const next = async (): Promise<Record<string, unknown>> => {
    while (come.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return come.shift()!
  }
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ next, close: () => socket.terminate() }))
    socket.on('error', reject)
  })
}

describe('the live feed', () => {
  const comment = { type: 'forge.event', repository: 'lib', number: 7, author: 'mira', kind: 'labeled' }

  test('tells of each committed step, and after a break of those that were missed', async () => {
    const line = await openLine(bearerHeaders)
    const hello = await line.next()
    expect(hello).toMatchObject({ feed: expect.any(String), missed: false })
    await fixture.send(task, comment)
    const step = await line.next()
    expect(step).toMatchObject({
      address: task,
      type: 'forge.event',
      status: 'active',
      path: expect.stringContaining('implementing'),
    })
    line.close()
    await fixture.send(task, comment)
    const again = await openLine(bearerHeaders, `?after=${String(hello['feed'])}.${String(step['n'])}`)
    expect(await again.next()).toMatchObject({ missed: false })
    expect(await again.next()).toMatchObject({ address: task, n: Number(step['n']) + 1, seq: Number(step['seq']) + 1 })
    again.close()
  })

  test('begins behind the position that came with the kinds, so that no step of a page that is opening is lost', async () => {
    const { position } = await get<{ readonly position: string }>('kinds')
    await fixture.send(task, comment)
    const line = await openLine(bearerHeaders, `?after=${position}`)
    expect(await line.next()).toMatchObject({ missed: false })
    expect(await line.next()).toMatchObject({ address: task, type: 'forge.event' })
    line.close()
  })

  test('says so when what was missed is no longer known', async () => {
    const line = await openLine(bearerHeaders, '?after=earlier.5')
    expect(await line.next()).toMatchObject({ missed: true })
    line.close()
  })

  test('opens to a session from our own page only', async () => {
    const cookie = await openSession()
    const line = await openLine({ cookie, origin: fixture.url })
    expect(await line.next()).toMatchObject({ missed: false })
    line.close()
    await expect(openLine({ cookie })).rejects.toThrow('403')
    await expect(openLine({ cookie, origin: 'http://evil.example' })).rejects.toThrow('403')
    await expect(openLine({ origin: fixture.url })).rejects.toThrow('401')
    await expect(openLine({ authorization: 'Bearer other' })).rejects.toThrow('401')
    await expect(openLine({ ...bearerHeaders, host: 'evil.example' })).rejects.toThrow('403')
  })
})

describe('a stranger', () => {
  test('ends nothing with odd targets, upgrades, resets and half-closed connections, and leaves no descriptor open (HTTP-RULE-7)', async () => {
    const place = { host: '127.0.0.1', port: Number(new URL(fixture.url).port) }
    const before = openDescriptors(process.pid)
    const heard = await walk(place)
    await flood(place, 200)
    expect(heard.filter(({ answer }) => !/^$|^HTTP\/1\.1 [2-5]\d\d /.test(answer))).toEqual([])
    expect(heard.filter(({ asked, answer }) => asked.startsWith('GET') && answer === '')).toEqual([])
    expect(heard.filter(({ answer }) => answer.startsWith('HTTP/1.1 5'))).toEqual([])
    await expect.poll(() => openDescriptors(process.pid), { timeout: 10_000 }).toBeLessThanOrEqual(before + 5)
    expect(await get('kinds')).toMatchObject({ kinds: expect.any(Array) })
  })
})

test('a Task that waits for the approval of a maintainer says so, and leads to the issue where it is given', async () => {
  await endTurn(fixture, task)
  const { standing, links } = await get<ActorAnswer>(`actor?address=${task}`)
  expect(standing).toMatchObject({
    word: 'waits for approval',
    tone: 'asks',
    owner: 'maintainer',
    reason: expect.stringContaining('the plan waits for the approval of a maintainer'),
    next: expect.stringContaining('/approve'),
  })
  expect(links).toEqual([{ text: 'lib#7', url: 'https://forge.example/lib/issues/7' }])
  const { items } = await get<Page<ActorRow>>('actors?kind=task')
  expect(items.find(({ address }) => address === task)?.standing.word).toBe('waits for approval')
})

test('a title that turns its own tail around, or rings, is shown with what no eye sees of it written out', async () => {
  const facts = { ...issueFacts(21), title: 'safe \u202ecba\u0007' }
  await fixture.send('issue:default/lib-21', { type: 'issue.observed', facts })
  const { items } = await get<Page<ActorRow>>('actors?kind=issue&q=lib-21')
  expect(items[0]?.title).toBe(String.raw`safe \u202ecba\u0007`)
  const { context } = await get<ActorAnswer>('actor?address=issue:default/lib-21')
  expect(context).toMatchObject({ facts: { title: items[0]?.title } })
})
