import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

let memory: TestMemory
beforeAll(async () => (memory = await openTestMemory()), 60_000)
afterAll(() => memory?.close())

const linesOfPage = 120

/** Of four chunks; these lines have the word. */
function pageOf(name: string, withWord: readonly number[]): string {
  const lines = Array.from({ length: linesOfPage }, (_, at) =>
    withWord.includes(at)
      ? `  the kettle boils at step ${at} of ${name}`
      : `  another line of no matter, step ${at} of ${name}`,
  )
  return `pages/${name}.txt\n\n${lines.join('\n')}`
}

/** Its best chunk is the second; of those beside it the first has the word, but not in `behind`, where the third has. */
const pages = new Map([
  ...['one', 'two', 'three', 'four', 'five', 'six'].map((name): [string, string] => [
    name,
    pageOf(name, [28, 45, 46, 47, 48]),
  ]),
  ['behind', pageOf('behind', [45, 46, 47, 48, 49, 72])],
])
const note = `The kettle was mended.\n\n${'It boils water for the whole house again. '.repeat(30)}`

interface Shown {
  readonly content: string
  readonly metadata: { readonly file?: string }
}

async function store(content: string, metadata: object): Promise<void> {
  const answer = await memory.ask('POST', '/memories', { content, metadata })
  expect(answer.status).toBe(201)
  const { id } = (await answer.json()) as { id: string }
  // It answers before the engine has all of it where that takes long (MEMORIES-19).
  await vi.waitFor(
    async () => expect(await (await memory.ask('GET', `/memories/${id}`)).json()).toMatchObject({ status: 'ready' }),
    { timeout: 30_000 },
  )
}

async function answersTo(body: object): Promise<Shown[]> {
  const answer = await memory.ask('POST', '/queries', { text: 'kettle boils', ...body })
  return ((await answer.json()) as { results: Shown[] }).results
}

it('the first three files show more than a chunk, those from the fifth on the lines that have the words, notes all (QUERIES-25)', async () => {
  for (const [name, content] of pages) await store(content, { repo: 'house', file: `pages/${name}.txt`, kind: 'file' })
  await store(note, { topic: 'kettle' })
  const results = await answersTo({ mode: 'hybrid' })
  const files = results.filter(({ metadata }) => metadata.file !== undefined)
  expect(files).toHaveLength(pages.size)
  const chunks = new Map(
    (await answersTo({ mode: 'naive', top_k: 50 }))
      .toReversed()
      .map(({ content, metadata }) => [metadata.file, content]),
  )
  for (const [at, { content, metadata }] of files.entries()) {
    const page = pages.get(metadata.file!.slice('pages/'.length, -'.txt'.length))!
    const chunk = chunks.get(metadata.file)!
    expect(page).toContain(content)
    expect(content).toContain('the kettle boils at step 47')
    if (at < 3) {
      expect(content).toContain(chunk)
      expect(content.length).toBeGreaterThan(chunk.length + 1_000)
      expect(content).toContain(`the kettle boils at step ${page.includes('behind') ? 72 : 28} `)
    } else if (at === 3) expect(content).toBe(chunk)
    else {
      expect(chunk).toContain(content)
      expect(content.length).toBeLessThanOrEqual(800)
      for (const step of [45, 46, 47, 48]) expect(content).toContain(`the kettle boils at step ${step} `)
    }
  }
  expect(results.find(({ metadata }) => metadata.file === undefined)?.content).toBe(note.trimEnd())
})

it('of a first file of two chunks all is shown to its last character, and of one line no more than its chunk', async () => {
  const two = pageOf('two', [2, 3]).split('\n').slice(0, 50).join('\n')
  await store(two, { repo: 'short', file: 'pages/two.txt', kind: 'file' })
  const [whole] = await answersTo({ mode: 'hybrid', filter: { repo: 'short' } })
  expect(whole?.content).toBe(two)
  const line = `${'\u{1f680}'.repeat(3_000)}kettle boils${'\u{1f680}'.repeat(3_000)}`
  await store(line, { repo: 'line', file: 'line.txt', kind: 'file' })
  const [shown] = await answersTo({ mode: 'hybrid', filter: { repo: 'line' } })
  expect(shown?.content).toMatch(/kettle|boils/)
  expect(shown!.content.length).toBeLessThanOrEqual(1_600)
  expect(shown?.content.isWellFormed()).toBe(true)
})

it('a file of one chunk, and one whose text is another now, show their chunk', async () => {
  await store('short.txt\n\nThe teapot is short and stout.', { repo: 'tea', file: 'short.txt', kind: 'file' })
  const [shown] = await answersTo({ mode: 'hybrid', text: 'teapot', filter: { repo: 'tea' } })
  expect(shown?.content).toBe('short.txt\n\nThe teapot is short and stout.')
  await memory.sql.query(`update memory set content = 'nothing of it' where file = 'short.txt'`)
  const [again] = await answersTo({ mode: 'hybrid', text: 'teapot', filter: { repo: 'tea' } })
  expect(again?.content).toBe('short.txt\n\nThe teapot is short and stout.')
})
