import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { gatherCommits, gatherFiles, type Source } from '../client/ingest/items.ts'
import { ingest } from '../client/ingest/run.ts'
import { memoryClient } from '../client/memory-client.ts'
import { termsOf } from '../engine/text/tokenize.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

/** The name in the code, what people call it, and what they complained of: words that no code holds. */
const parts = [
  ['vault', 'credential rotation', ['secret expires early', 'renewal happens twice', 'locked after restart']],
  ['ledger', 'nightly booking', ['sums differ', 'rows go missing', 'month closes late']],
  ['mailer', 'outgoing letters', ['letters repeat', 'attachment is empty', 'sender looks wrong']],
  ['resizer', 'picture preview', ['colours look pale', 'portrait lies sideways', 'large upload stalls']],
  ['limiter', 'call quota', ['customers get refused', 'quota resets late', 'burst slips through']],
  ['indexer', 'site search', ['umlauts never match', 'deleted pages appear', 'ranking feels stale']],
  ['invoicer', 'billing documents', ['rounding off by a cent', 'address breaks the page', 'currency sign is lost']],
  ['importer', 'partner feed', ['dates shift a day', 'duplicate customers', 'quotes break columns']],
  ['auditor', 'access records', ['entries out of order', 'who did it is blank', 'export takes hours']],
  ['scheduler', 'timed jobs', ['summer time skips one', 'two machines start it', 'pause is forgotten']],
] as const
const people = parts.flatMap(([, about, symptoms]) => [about, ...symptoms])

const repo = 'shop'
/** Six more that speak of the same in the same words. */
const others = ['depot', 'kiosk', 'market', 'office', 'plant', 'store']
const folder = mkdtempSync(join(tmpdir(), 'statewright-default-call-'))
let memory: TestMemory
let texts: ReadonlyMap<string, string>

function codeOf(name: string, about: string): string {
  const title = name[0]!.toUpperCase() + name.slice(1)
  return `/** Serves the ${about}. */\nexport class ${title} {\n  constructor(store) {\n    this.store = store\n  }\n  run(input) {\n    return this.store.apply(input)\n  }\n}\n`
}

/** Pages of a manual in the words of people: of every fourth symptom, so that each page has words of many questions. */
function manualPage(at: number): string {
  return people
    .filter((_, each) => each % 4 === at % 4)
    .map((phrase) => `When the ${phrase}, call support ${at}.`)
    .join('\n\n')
}

/** Each symptom was worked on before: a commit whose subject is in the words of people changed the code and its test. */
function makeRepository(): void {
  const stream: string[] = []
  let mark = 0
  const commit = (subject: string, files: Readonly<Record<string, string>>): void => {
    const when = 1_700_000_000 + ++mark * 86_400
    const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
    stream.push(
      `commit refs/heads/main\nmark :${mark}\ncommitter Ann <ann@example.org> ${when} +0000\n${data(subject)}`,
    )
    if (mark > 1) stream.push(`from :${mark - 1}\n`)
    for (const [file, text] of Object.entries(files)) stream.push(`M 100644 inline ${file}\n${data(text)}`)
  }
  commit('Begin', Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`manual/page${at}.md`, manualPage(at)])))
  for (const [name, about, symptoms] of parts)
    for (const [at, symptom] of symptoms.entries())
      commit(`Mend the ${about}: ${symptom}`, {
        [`src/${name}.js`]: `${codeOf(name, about)}// ${at}\n`,
        [`test/${name}.test.js`]: `import '../src/${name}.js'\n// ${at}\n`,
      })
  const git = (args: readonly string[], input?: string): unknown =>
    execFileSync('git', ['-C', folder, ...args], { input, stdio: ['pipe', 'ignore', 'pipe'] })
  git(['init', '-q', '-b', 'main'])
  git(['fast-import', '--quiet'], stream.join(''))
  git(['-c', 'core.hooksPath=/dev/null', 'checkout', '-q', '-f', 'main'])
}

function inRepository({ file, item, ...rest }: Source, name: string): Source {
  const content = item.content.replaceAll('support', `support of ${name}`)
  return { ...rest, file, item: { ...item, content, metadata: { ...item.metadata, repo: name } } }
}

const questions = parts.flatMap(([name, about, symptoms]) =>
  symptoms.map((symptom) => ({
    text: `${symptom} in the ${about} again`,
    right: [`src/${name}.js`, `test/${name}.test.js`],
  })),
)

beforeAll(async () => {
  makeRepository()
  memory = await openTestMemory()
  const tokens = { token: async () => 'good', forget: () => undefined }
  const client = memoryClient({ url: memory.url, tokens, clock: systemClock, fetch, wait: (ms) => wait(ms) })
  const files = await gatherFiles(folder, repo, { commit: 'HEAD', largestBytes: 1_000_000 })
  const commits = await gatherCommits(folder, repo, { commit: 'HEAD', most: 100, isKnown: () => false })
  const sources: Source[] = [...files.sources, ...commits.sources]
  for (const [at, name] of [repo, ...others].entries()) {
    // Of every second the files alone: histories take most of the time.
    const brought = at % 2 === 0 ? sources : files.sources
    const changed = name === repo ? sources : brought.map((one) => inRepository(one, name))
    const plan = { changed, gone: [], commit: undefined, leftOut: [] }
    expect((await ingest(plan, { client, repo: name, wait: (ms) => wait(ms) })).failed).toBe(0)
  }
  texts = new Map(files.sources.map(({ file, item }) => [file, item.content]))
}, 600_000)
afterAll(async () => {
  await memory?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Robertson and Zaragoza's, over whole files. */
function byWords(text: string): string[] {
  const files = [...texts].map(([file, content]) => {
    const terms = termsOf(content)
    return { file, terms, length: [...terms.values()].reduce((sum, count) => sum + count, 0) }
  })
  const average = files.reduce((sum, { length }) => sum + length, 0) / files.length
  const scored = files.map(({ file, terms, length }) => {
    let score = 0
    for (const term of termsOf(text).keys()) {
      const holders = files.filter((one) => one.terms.has(term)).length
      const count = terms.get(term) ?? 0
      const rarity = Math.log(1 + (files.length - holders + 0.5) / (holders + 0.5))
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average))
    }
    return { file, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ file }) => file)
}

/** What the tool `memory_query` sends when an agent leaves out all that it may; a file of another repository is none of these. */
async function byDefault(text: string): Promise<string[]> {
  const answer = await memory.ask('POST', '/queries', { mode: 'hybrid', text, repos_first: [repo] })
  const { results } = (await answer.json()) as {
    readonly results: { readonly metadata: { readonly repo?: string; readonly file?: string } }[]
  }
  return results.map(({ metadata }) => (metadata.repo === repo ? (metadata.file ?? '') : ''))
}

interface Quality {
  readonly recall: number
  readonly mrr: number
}

const slots = 10
/** More than the row asks for: what falls back to words alone has 1, real repositories have less (`bench/retrieval`). */
const margin = 1.4

async function qualityOf(rank: (text: string) => Promise<string[]> | string[]): Promise<Quality> {
  let [recall, mrr] = [0, 0]
  for (const { text, right } of questions) {
    const ranked = (await rank(text)).slice(0, slots)
    const first = ranked.findIndex((file) => right.includes(file))
    recall += right.filter((file) => ranked.includes(file)).length / right.length / questions.length
    mrr += first < 0 ? 0 : 1 / (first + 1) / questions.length
  }
  return { recall, mrr }
}

it('memory_query with its defaults finds the files that a question is about better than words alone do (QUERIES-24)', async () => {
  const [own, words] = [await qualityOf(byDefault), await qualityOf(byWords)]
  expect(words.recall).toBeGreaterThan(0.3)
  expect(own.recall).toBeGreaterThanOrEqual(words.recall * margin)
  expect(own.mrr).toBeGreaterThanOrEqual(words.mrr * margin)
})
