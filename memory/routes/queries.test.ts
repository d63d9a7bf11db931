import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EngineError, type Passage, type Retrieval, type RetrievalEngine } from '../engine/port.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

let memory: TestMemory
let fault: EngineError | undefined
/** What the engine was last given to describe. */
let described: readonly Passage[] = []
/** What the engine found since the test began. */
let retrieved: Retrieval[] = []

/** The embedded engine, which a test may make fail. */
function failing(engine: RetrievalEngine): RetrievalEngine {
  return {
    ...engine,
    retrieve: async (query) => {
      if (fault) throw fault
      const found = await engine.retrieve(query)
      retrieved.push(found)
      return found
    },
    describe: (text, passages) => {
      described = passages
      return engine.describe(text, passages)
    },
  }
}

beforeAll(async () => {
  memory = await openTestMemory({
    engine: (sql) =>
      failing(createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })),
  })
})
afterAll(() => memory?.close())

interface Body {
  readonly id: string
  readonly [key: string]: unknown
}

// oxlint-disable-next-line no-explicit-any -- answers are read by their shape, which is what the tests say
async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const answer = await memory.ask(method, path, body)
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** A memory that is found already. */
async function stored(text: string, metadata: Record<string, string> = {}): Promise<string> {
  const { body } = await ask('POST', '/memories', { text, metadata })
  await memory.service.deps.feed.put([body.id])
  return body.id as string
}

async function entityNamed(name: string): Promise<Body> {
  const { body } = await ask('GET', `/entities?q=${encodeURIComponent(name)}`)
  return body.items[0] as Body
}

beforeEach(async () => {
  fault = undefined
  retrieved = []
  const { rows } = await memory.sql.query<{ id: string }>('select id from memory')
  for (const { id } of rows) await ask('DELETE', `/memories/${id}`)
  await memory.engine.clear()
  await memory.sql.exec('delete from knowledge_note; delete from knowledge_assertion')
})

describe('queries', () => {
  it('answer ranked results of a named kind of score, with the metadata of each memory (QUERIES-1, QUERIES-7, QUERIES-17)', async () => {
    const id = await stored('The SessionStore keeps login tokens.', { team: 'blue' })
    await stored('The InvoicePrinter prints.')
    const { status, body } = await ask('POST', '/queries', { mode: 'naive', text: 'login tokens', top_k: 5 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ mode: 'naive', score_kind: 'bm25' })
    expect(body.results).toEqual([
      {
        id,
        content: 'The SessionStore keeps login tokens.',
        metadata: { team: 'blue' },
        score: expect.any(Number),
        kind: 'chunk',
        memory_kind: 'notes',
      },
    ])
  })

  it('tell entities and relations beside the texts in the modes that go by them, never more than asked for (QUERIES-8, QUERIES-20)', async () => {
    await stored('The SessionStore asks the RedisCluster.')
    const { body } = await ask('POST', '/queries', { mode: 'local', text: 'SessionStore', top_k: 8 })
    expect(new Set(body.results.map((one: { kind: string }) => one.kind))).toEqual(
      new Set(['chunk', 'entity', 'relation']),
    )
    const scores = body.results.map((one: { score: number }) => one.score)
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    const few = await ask('POST', '/queries', { mode: 'local', text: 'SessionStore', top_k: 1 })
    expect(few.body.results).toHaveLength(1)
  })

  it('tell their parts on the data path (QUERIES-9)', async () => {
    const id = await stored('The SessionStore asks the RedisCluster.')
    const { body } = await ask('POST', '/queries:data', { mode: 'hybrid', text: 'SessionStore' })
    expect(body.results).toMatchObject([{ id, rank: 1, chunk_id: `${id}:0` }])
    expect(body.entities.map((one: { name: string }) => one.name)).toContain('SessionStore')
    expect(body.relations).toMatchObject([{ relation: 'mentioned_with' }])
  })

  it('are described by sentences of the memories, and say so (QUERIES-11, QUERIES-14)', async () => {
    const id = await stored('The SessionStore keeps login tokens for one hour. It then asks the user to come again.')
    const { body } = await ask('POST', '/queries:describe', { mode: 'naive', text: 'How long are login tokens kept?' })
    expect(body).toMatchObject({ generated_by: 'extractive', references: [{ id }] })
    expect(body.summary).toContain('for one hour')
  })

  it('are described over the very chunks of the list, with references to what the summary uses (QUERIES-12, QUERIES-13)', async () => {
    await stored('The vault keeps login tokens for one hour.', { repo: 'one', file: 'docs/vault.md' })
    const data = await stored('{"login": 1, "tokens": 2}', { repo: 'one', file: 'data.json' })
    await stored('Ask Ann when login tokens go missing.')
    await stored('fix: login tokens\n\ndiff --git a/a b/a\n@@ -1 +1 @@\n+login tokens of old', {
      repo: 'one',
      file: '@commit/1',
      kind: 'commit',
      commit: '1',
      subject: 'fix: login tokens',
      files: 'docs/vault.md',
    })
    for (const mode of ['naive', 'local', 'global', 'hybrid'])
      for (const more of [{}, { top_k: 2 }, { filter: { repo: 'one' } }, { kinds: ['changes'] }]) {
        const query = { mode, text: 'login tokens', ...more }
        const list = await ask('POST', '/queries', query)
        const chunks = list.body.results.filter((one: { kind: string }) => one.kind === 'chunk')
        const { body } = await ask('POST', '/queries:describe', query)
        expect(described.map(({ content }) => content)).toEqual(chunks.map((one: { content: string }) => one.content))
        expect(body.summary).not.toMatch(/@@|of old/)
        const ids = body.references.map((one: { id: string }) => one.id)
        expect(ids).not.toContain(data)
        for (const id of ids) expect(chunks.map((one: { id: string }) => one.id)).toContain(id)
      }
    const { body } = await ask('POST', '/queries:describe', { mode: 'hybrid', text: 'login tokens' })
    expect(body.summary).toContain('docs/vault.md: The vault keeps login tokens for one hour.')
    expect(body.references).toHaveLength(3)
  })

  it('no longer find a memory once its deletion was answered, whatever the engine still holds (MEMORIES-22, QUERIES-22)', async () => {
    const id = await stored('The SessionStore shall go.')
    await memory.sql.query('delete from memory where id = $1', [id])
    expect((await memory.engine.retrieve({ mode: 'naive', text: 'SessionStore', topK: 5 })).chunks).toHaveLength(1)
    for (const path of ['/queries', '/queries:data'])
      expect((await ask('POST', path, { mode: 'naive', text: 'SessionStore' })).body.results).toEqual([])
    const { body } = await ask('POST', '/queries:describe', { mode: 'naive', text: 'SessionStore' })
    expect(body.references).toEqual([])
  })

  it('are filtered by repository and metadata (QUERIES-5)', async () => {
    await stored('The SessionStore of one.', { repo: 'one' })
    const id = await stored('The SessionStore of two.', { repo: 'two', team: 'red' })
    const filters = [{ repo: 'two' }, { metadata: { team: 'red' } }, { repo: 'two', metadata: { team: 'red' } }]
    for (const filter of filters) {
      const { body } = await ask('POST', '/queries:data', { mode: 'naive', text: 'SessionStore', filter })
      expect(body.results.map((one: { id: string }) => one.id)).toEqual([id])
    }
  })

  it('give files and notes first by score, and changes in the places that are left, whatever words these hold', async () => {
    await stored('fix: login tokens of the vault expire, login tokens stay', {
      repo: 'one',
      file: '@commit/1',
      kind: 'commit',
      commit: '1',
      subject: 'fix: login tokens',
      files: 'src/vault.ts',
    })
    await stored('src/vault.ts keeps what the vault has', { repo: 'one', file: 'src/vault.ts' })
    await stored('src/door.ts opens with tokens', { repo: 'one', file: 'src/door.ts' })
    await stored('login tokens live for one hour')
    for (const mode of ['naive', 'hybrid']) {
      const kindsOf = async (more: object): Promise<string[]> => {
        const { body } = await ask('POST', '/queries', { mode, text: 'login tokens', ...more })
        const scores = body.results.map((one: { score: number }) => one.score)
        expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
        return body.results
          .filter((one: { kind: string }) => one.kind === 'chunk')
          .map((one: { memory_kind: string }) => one.memory_kind)
      }
      const all = await kindsOf({})
      expect(all.at(-1)).toBe('changes')
      expect(all.filter((kind) => kind === 'changes')).toHaveLength(1)
      expect(await kindsOf({ top_k: 1 })).toEqual(['notes'])
      expect(await kindsOf({ kinds: ['changes'] })).toEqual(['changes'])
      expect(await kindsOf({ kinds: ['notes'] })).toEqual(['notes'])
      expect(new Set(await kindsOf({ kinds: ['files'] }))).toEqual(new Set(['files']))
    }
  })

  it('find in mode hybrid of plain conversation what words alone find, in their order, and more where there is room', async () => {
    await stored('The SessionStore and the LedgerSync, and nothing else of the week.')
    await stored('The LedgerSync lost rows.')
    await stored('In this week the SessionStore lost rows at night.')
    await stored('We keep rows of the week in the SessionStore.')
    const ids = async (mode: string, text: string): Promise<string[]> => {
      const { body } = await ask('POST', '/queries', { mode, text })
      return body.results.filter((one: Body) => one['kind'] === 'chunk').map((one: Body) => one.id)
    }
    const words = await ids('naive', 'SessionStore rows of the week')
    expect((await ids('hybrid', 'SessionStore rows of the week')).slice(0, words.length)).toEqual(words)
    const [alone, more] = [await ids('naive', 'SessionStore'), await ids('hybrid', 'SessionStore')]
    expect(alone).toHaveLength(3)
    expect(more.slice(0, 3)).toEqual(alone)
    expect(more).toHaveLength(4)
  })

  it('look for entities and relations only where texts and changes leave them a place', async () => {
    await stored('The SessionStore asks the RedisCluster.')
    await stored('The SessionStore asks the RedisCluster again.')
    const kinds = async (top: number): Promise<Set<string>> => {
      const { body } = await ask('POST', '/queries', { mode: 'hybrid', text: 'SessionStore', top_k: top })
      return new Set(body.results.map((one: { kind: string }) => one.kind))
    }
    expect(await kinds(2)).toEqual(new Set(['chunk']))
    expect(retrieved.map(({ entities, relations }) => [entities, relations])).toEqual([[[], []]])
    expect(await kinds(8)).toEqual(new Set(['chunk', 'entity', 'relation']))
    for (const at of [1, 2, 3]) await stored(`{"SessionStore": ${at}}`, { repo: 'one', file: 'src/a.ts' })
    // Five chunks of three texts: the engine has enough, the answer has not.
    expect(await kinds(5)).toContain('entity')
    // Beside a change, too: what changes name comes from the engine, and what is shown is asked of the texts.
    await stored('The SessionStore feeds the LedgerSync.', {
      repo: 'one',
      file: '@commit/1',
      kind: 'commit',
      commit: '1',
    })
    retrieved = []
    expect(await kinds(5)).toContain('entity')
    expect(retrieved.map(({ entities }) => entities.length > 0)).toEqual([false, true, true])
  })

  it('name the kind of score that the engine states for the mode, on each path and with every filter (QUERIES-19)', async () => {
    await stored('src/a.ts has login tokens', { repo: 'one', file: 'src/a.ts' })
    const { body: engine } = await ask('GET', '/engine')
    for (const mode of ['naive', 'local', 'global', 'hybrid'])
      for (const path of ['/queries', '/queries:data', '/queries:describe'])
        for (const more of [{}, { filter: { repo: 'one' } }, { kinds: ['files'] }]) {
          const { body } = await ask('POST', path, { mode, text: 'login tokens', ...more })
          expect([path, mode, body.score_kind]).toEqual([path, mode, engine.score_kinds[mode]])
        }
  })

  it('answer on the data path in the order of the engine itself (QUERIES-10)', async () => {
    for (const [file, words] of [
      ['src/tokens.ts', 'a door'],
      ['src/a.ts', 'tokens tokens of a login'],
      ['src/b.ts', 'login tokens and a door, and a window, and a roof'],
    ] as const)
      await stored(words, { repo: 'one', file })
    await stored('login tokens', { repo: 'one', file: '@commit/1', kind: 'commit', commit: '1' })
    const filter = { repo: 'one' }
    for (const mode of ['naive', 'local', 'global', 'hybrid'] as const) {
      const query = { mode, text: 'login tokens', filter }
      const { chunks } = await memory.engine.retrieve({ ...query, filter: { repos: ['one'] }, topK: 10 })
      const { body } = await ask('POST', '/queries:data', query)
      const told = body.results.map((one: { chunk_id: string; score: number }) => [one.chunk_id, one.score])
      expect(told).toEqual(chunks.map(({ chunkId, score }) => [chunkId, score]))
    }
  })

  it('find a file by its history without any filter, in whichever repository it is', async () => {
    await stored('src/keep.ts holds open what is open', { repo: 'one', file: 'src/keep.ts' })
    await stored('src/other.ts has the idle word', { repo: 'two', file: 'src/other.ts' })
    await stored('close idle sockets', {
      repo: 'one',
      file: '@commit/1',
      kind: 'commit',
      commit: '1',
      subject: 'close idle sockets on shutdown',
      committed_at: '2024-01-01T00:00:00.000Z',
      files: 'src/keep.ts',
    })
    const files = async (filter?: object): Promise<string[]> => {
      const body = { mode: 'hybrid', text: 'idle sockets', kinds: ['files'], ...(filter ? { filter } : {}) }
      const answer = await ask('POST', '/queries', body)
      return answer.body.results
        .filter((one: { kind: string }) => one.kind === 'chunk')
        .map((one: { metadata: { file: string } }) => one.metadata.file)
    }
    expect((await files()).toSorted()).toEqual(['src/keep.ts', 'src/other.ts'])
    expect(await files({ repo: 'one' })).toEqual(['src/keep.ts'])
    const { rows } = await memory.sql.query<{ id: string }>(`select id from memory where file = '@commit/1'`)
    await ask('DELETE', `/memories/${rows[0]!.id}`)
    expect(await files({ repo: 'one' })).toEqual([])
  })

  it('put the repositories that are named and memories of none first, as if there were no others, which follow (QUERIES-26)', async () => {
    const login = 'login tokens of the SessionStore'
    for (const at of [1, 2, 3]) await stored(`${login}, ${at}`, { repo: 'loud', file: `src/login/tokens${at}.ts` })
    await stored('keeps tokens', { repo: 'own', file: 'src/vault.ts' })
    await stored('a change of tokens', { repo: 'own', file: '@commit/1', kind: 'commit', commit: '1' })
    await stored('Ann knows of login')
    for (const mode of ['naive', 'local', 'global', 'hybrid']) {
      const repos = async (more: object): Promise<string[]> => {
        const { body } = await ask('POST', '/queries', { mode, text: login, ...more })
        const scores = body.results.map((one: { score: number }) => one.score)
        expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
        const chunks = body.results.filter((one: { kind: string }) => one.kind === 'chunk')
        return chunks.map((one: { metadata: { repo?: string } }) => one.metadata.repo ?? '')
      }
      expect((await repos({}))[0], mode).toBe('loud')
      const own = await repos({ repos_first: ['own'] })
      expect([own.slice(0, 3).toSorted(), own.slice(3)], mode).toEqual([['', 'own', 'own'], Array(3).fill('loud')])
      expect(await repos({ repos_first: ['own'], top_k: 2 })).not.toContain('loud')
      expect(new Set(await repos({ repos_first: ['own'], filter: { repo: 'loud' } })), mode).toEqual(new Set(['loud']))
    }
  })

  it('show a note right behind the file that it is about, whatever its words, the newest two of a file (QUERIES-27)', async () => {
    await stored('keeps login tokens', { repo: 'one', file: 'src/vault.ts' })
    await stored('checks login tokens', { repo: 'one', file: 'src/door.ts' })
    const about = { about: 'src/vault.ts' }
    await stored('Oldest: one hour was asked for.', about)
    const notes = [
      await stored('Ann decided on a day.', about),
      await stored('No: login tokens live for a week.', { ...about, repo: 'one' }),
    ]
    await stored('Of somebody else: never.', { ...about, repo: 'two' })
    for (const mode of ['naive', 'hybrid']) {
      const shown = async (more = {}): Promise<readonly string[]> => {
        const { body } = await ask('POST', '/queries', { mode, text: 'keeps login tokens', ...more })
        const chunks = body.results.filter((one: { kind: string }) => one.kind === 'chunk')
        return chunks.map((one: { id: string; metadata: { file?: string } }) => one.metadata.file ?? one.id)
      }
      expect((await shown()).toSorted(), mode).toEqual(['src/door.ts', 'src/vault.ts', ...notes].toSorted())
      const first = await shown({ top_k: 3 })
      const at = first.indexOf('src/vault.ts')
      expect(first.slice(at + 1, at + 3), mode).toEqual(notes.toReversed().slice(0, 2 - at))
      expect(await shown({ kinds: ['files'] })).toHaveLength(2)
      // Another memory of several chunks keeps them all.
      const long = await stored(
        `door tokens\n\n${'word '.repeat(400)}\n\ndoor tokens once more\n\n${'word '.repeat(400)}`,
      )
      const words = { text: 'door tokens', kinds: ['files', 'notes'], top_k: 9 }
      const chunks = async (more: object): Promise<number> =>
        (await shown({ ...words, ...more })).filter((id) => id === long).length
      expect([mode, await chunks({})]).toEqual([mode, await chunks({ kinds: ['notes'] })])
      await ask('DELETE', `/memories/${long}`)
      expect(await shown({ filter: { repo: 'one' } })).not.toContain(notes[0])
    }
  })

  it('answer ten results unless another number is asked for (QUERIES-4)', async () => {
    for (let at = 0; at < 12; at += 1) await stored(`rows of night ${at}`)
    for (const mode of ['naive', 'hybrid'])
      for (const [asked, given] of [
        [{}, 10],
        [{ top_k: 11 }, 11],
      ] as const) {
        const { body } = await ask('POST', '/queries', { mode, text: 'rows of the night', ...asked })
        expect([mode, body.results.length]).toEqual([mode, given])
      }
  })

  it('that break their schema are refused with every fault (QUERIES-2, QUERIES-3, QUERIES-4)', async () => {
    const { status, body } = await ask('POST', '/queries', {
      mode: 'vague',
      text: '  ',
      top_k: 201,
      filter: { extra: 1 },
      kinds: ['files', 'songs'],
      repos_first: ['a', '\0'],
    })
    expect(status).toBe(400)
    const paths = body.errors.map((one: { path: string }) => one.path)
    for (const path of ['/mode', '/text', '/top_k', '/filter/extra', '/kinds/1', '/repos_first/1'])
      expect(paths).toContain(path)
  })

  it('answer 502 or 504, and nothing of what is behind, when the engine can not be asked (KNOWLEDGE-4, QUERIES-23)', async () => {
    fault = new EngineError('failed', 'a secret address')
    const failed = await ask('POST', '/queries', { mode: 'naive', text: 'anything' })
    expect(failed).toMatchObject({ status: 502, body: { code: 'upstream-failed' } })
    expect(JSON.stringify(failed.body)).not.toContain('secret')
    fault = new EngineError('timeout', 'late')
    expect(await ask('POST', '/queries:data', { mode: 'naive', text: 'anything' })).toMatchObject({ status: 504 })
  })
})

describe('the engine', () => {
  it('says what it is and what its scores are (KNOWLEDGE-6, KNOWLEDGE-20, ENGINE-1)', async () => {
    expect(await ask('GET', '/engine')).toMatchObject({
      status: 200,
      body: {
        engine: 'embedded',
        llm: false,
        embeddings: 'none',
        embedding_model: null,
        ready: true,
        score_kinds: { naive: 'bm25' },
      },
    })
  })
})

describe('entities', () => {
  it('are found by part of their name, the best fit first, a page at a time (ENTITIES-2)', async () => {
    await stored('SessionStore and SessionStoreFactory and OldSessionStore are three.')
    const all = await ask('GET', '/entities?q=sessionstore')
    expect(all.body.items.map((one: { name: string }) => one.name)).toEqual([
      'SessionStore',
      'SessionStoreFactory',
      'OldSessionStore',
    ])
    const names: string[] = []
    let cursor = ''
    do {
      const { body } = await ask('GET', `/entities?q=sessionstore&limit=1${cursor && `&cursor=${cursor}`}`)
      names.push(...body.items.map((one: { name: string }) => one.name))
      cursor = body.next_cursor ?? ''
    } while (cursor !== '')
    expect(names).toEqual(['SessionStore', 'SessionStoreFactory', 'OldSessionStore'])
    expect(await ask('GET', '/entities?cursor=nonsense')).toMatchObject({ status: 400 })
  })

  it('are patched by a body of either type; another type is 415 (ENTITIES-8)', async () => {
    await stored('The PatchedStore keeps login tokens.')
    const { id } = (await ask('GET', '/entities?q=patchedstore')).body.items[0]
    const patched = async (type: string, room: string): Promise<[number, unknown]> => {
      const body = JSON.stringify({ metadata: { room } })
      const answer = await memory.ask('PATCH', `/entities/${id}`, body, { 'content-type': type })
      return [answer.status, ((await answer.json()) as { readonly metadata?: unknown }).metadata]
    }
    expect(await patched('application/json', '1')).toEqual([200, { room: '1' }])
    expect(await patched('application/merge-patch+json', '2')).toEqual([200, { room: '2' }])
    expect(await patched('application/json-patch+json', '3')).toEqual([415, undefined])
    const headers = { 'content-type': 'application/merge-patch+json' }
    const path = `/entities/${id}`
    for (const odd of ['{"name":"a"}', '{"description":"a\\u0000"}', '{', ''])
      expect([odd, (await memory.ask('PATCH', path, odd, headers)).status]).toEqual([odd, 400])
    expect((await memory.ask('POST', '/queries', '{"mode":"naive","text":"a"}', headers)).status).toBe(415)
    const document = (await ask('GET', '/openapi.json')).body
    expect(Object.keys(document.paths['/entities/{id}'].patch.requestBody.content)).toEqual([
      'application/json',
      'application/merge-patch+json',
    ])
  })

  it('are patched by a merge patch of metadata and description, and keep both when memories come again (ENTITIES-1, ENTITIES-4, ENTITIES-6, MEMORY-RULE-7)', async () => {
    await stored('The SessionStore, first.')
    const { id } = await entityNamed('SessionStore')
    await ask('PATCH', `/entities/${id}`, { metadata: { owner: 'ann', tier: '1' }, description: 'Keeps sessions.' })
    const patched = await ask('PATCH', `/entities/${id}`, { metadata: { tier: null, room: '7' } })
    expect(patched).toMatchObject({ status: 200, body: { description: 'Keeps sessions.' } })
    expect(patched.body.metadata).toEqual({ owner: 'ann', room: '7' })
    await stored('The SessionStore, second.')
    expect((await ask('GET', `/entities/${id}`)).body).toEqual(patched.body)
    const emptied = await ask('PATCH', `/entities/${id}`, { metadata: null, description: null })
    expect(emptied.body).toMatchObject({ metadata: {}, description: '' })
  })

  it('take every text in a patch; half of a surrogate pair becomes U+FFFD (ENTITIES-9)', async () => {
    await stored('The SessionStore.')
    const { id } = await entityNamed('SessionStore')
    const odd = { metadata: { owner: 'a\ud800b' }, description: '\udc00' }
    expect((await ask('PATCH', `/entities/${id}`, odd)).body).toMatchObject({
      metadata: { owner: 'a\ufffdb' },
      description: '\ufffd',
    })
    expect(await ask('PATCH', `/entities/${id}`, { description: 'a\u0000' })).toMatchObject({ status: 400 })
  })

  it('refuse other fields, an empty patch and too many keys, and answer 404 for an unknown id (ENTITIES-3, ENTITIES-5, ENTITIES-7, MEMORY-RULE-7)', async () => {
    await stored('The SessionStore.')
    const { id } = await entityNamed('SessionStore')
    expect(await ask('PATCH', `/entities/${id}`, { name: 'Other' })).toMatchObject({ status: 400 })
    expect(await ask('PATCH', `/entities/${id}`, {})).toMatchObject({ status: 400 })
    const keys = (from: number): object =>
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${from + at}`, 'v']))
    expect(await ask('PATCH', `/entities/${id}`, { metadata: keys(0) })).toMatchObject({ status: 200 })
    expect(await ask('PATCH', `/entities/${id}`, { metadata: keys(40) })).toMatchObject({ status: 400 })
    for (const unknown of ['nobody', '00000000-0000-0000-0000-000000000000']) {
      expect(await ask('GET', `/entities/${unknown}`)).toMatchObject({ status: 404 })
      expect(await ask('PATCH', `/entities/${unknown}`, { description: 'x' })).toMatchObject({ status: 404 })
    }
  })
})

describe('edges', () => {
  async function ends(): Promise<{ from: string; to: string }> {
    await stored('The SessionStore is here.\n\nThe RedisCluster is there.')
    return { from: (await entityNamed('SessionStore')).id, to: (await entityNamed('RedisCluster')).id }
  }

  it('are asserted, typed and directed; the same one again is the one that is there (EDGES-1, EDGES-2, EDGES-3, EDGES-4)', async () => {
    const { from, to } = await ends()
    const made = await ask('POST', '/edges', { from, to, relation: 'stores-in', metadata: { by: 'ann' } })
    expect(made).toMatchObject({
      status: 201,
      body: { from, to, relation: 'stores-in', weight: 1, metadata: { by: 'ann' } },
    })
    const again = await ask('POST', '/edges', { from, to, relation: 'stores-in' })
    expect(again).toMatchObject({ status: 200, body: { id: made.body.id } })
    const back = await ask('POST', '/edges', { from: to, to: from, relation: 'stores-in' })
    expect(back.status).toBe(201)
    expect((await ask('GET', `/edges?from=${from}&relation=stores-in`)).body.items).toMatchObject([
      { id: made.body.id },
    ])
    expect((await ask('GET', `/edges?to=${from}`)).body.items.map((one: Body) => one.id)).toContain(back.body.id)
    expect((await ask('GET', '/edges?from=nobody')).body.items).toEqual([])
  })

  it('need both their ends, and go with them (EDGES-4)', async () => {
    const { from, to } = await ends()
    const unknown = '00000000-0000-0000-0000-000000000000'
    for (const given of [
      { from, to: unknown },
      { from: 'nobody', to },
    ])
      expect(await ask('POST', '/edges', { ...given, relation: 'r' })).toMatchObject({ status: 404 })
    await ask('POST', '/edges', { from, to, relation: 'r' })
    const { rows } = await memory.sql.query<{ id: string }>('select id from memory')
    await memory.engine.remove(rows.map((row) => row.id))
    expect((await ask('GET', '/edges')).body.items).toEqual([])
    expect(await ask('GET', `/entities/${from}`)).toMatchObject({ status: 404 })
  })

  it('have a relation of 1 to 256 characters (EDGES-6)', async () => {
    const { from, to } = await ends()
    for (const relation of ['', ' ', 'x'.repeat(257)])
      expect(await ask('POST', '/edges', { from, to, relation })).toMatchObject({ status: 400 })
    for (const relation of ['r', 'x'.repeat(256)])
      expect(await ask('POST', '/edges', { from, to, relation })).toMatchObject({ status: 201, body: { relation } })
  })

  it('tell the action log when they are written and deleted, as an entity does when it is patched (MEMORY-LOG-10)', async () => {
    const { from, to } = await ends()
    const before = memory.log.lines().length
    await ask('PATCH', `/entities/${from}`, { description: 'Keeps sessions.' })
    const { body } = await ask('POST', '/edges', { from, to, relation: 'r' })
    await ask('DELETE', `/edges/${body.id}`)
    const lines = memory.log
      .lines()
      .slice(before)
      .filter((line) => line['action'] !== undefined)
    expect(lines.map((line) => line['resource_id'])).toEqual([from, body.id, body.id])
    expect(lines.map((line) => line['action'])).toEqual(['entity.patched', 'edge.asserted', 'edge.deleted'])
  })

  it('are deleted once (EDGES-7)', async () => {
    const { from, to } = await ends()
    const { body } = await ask('POST', '/edges', { from, to, relation: 'r' })
    expect(await ask('DELETE', `/edges/${body.id}`)).toMatchObject({ status: 204 })
    expect(await ask('DELETE', `/edges/${body.id}`)).toMatchObject({ status: 404 })
    expect(await ask('DELETE', '/edges/nobody')).toMatchObject({ status: 404 })
  })
})
