/**
 * `npm run bench -- retrieval --repos DIR`: what an agent's `memory_query` finds, asked of a real service over HTTP after
 * `statewright ingest`'s own code has sent it a repository; beside it plain BM25 over the same texts. Questions are subjects of
 * later commits, right is what those commits changed; the service knows nothing later than the base. DIR holds git
 * repositories. And conversations whose evidence is known.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchArguments } from '../kit/arguments.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { markdownTable } from '../kit/markdown.ts'
import { median } from '../kit/measure/percentile.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { askByTool, askByWords } from './ask.ts'
import { conversationsOf } from './conversations.ts'
import { lexicalIndex } from './lexical.ts'
import { changedLines, languages, lineShares, type LineShares, type Shown } from './lines.ts'
import { meanOverTime, qualityOf, type Quality } from './measure.ts'
import { readRepository, type CommitQuestion, type Question, type Repository } from './repository.ts'
import type { Source } from '../../memory/client/ingest/items.ts'
import { sourcesOf, withService, type BenchService } from './service.ts'

/** Weights were found on these, so that their own figures prove nothing. */
const tunedOn = ['fastify', 'click', 'gin', 'express']
/** The tool's slots. */
const slots = 10
/** Chunks among which BM25 has the best of each file. */
const mostChunks = 200
/** Asked before a second ingest, and over and over while it runs. */
const idleQuestions = 40
const talks = 'conversations'

const usage = `usage: npm run bench -- retrieval --repos DIR [--only NAME,...] [--quick] [--json] [--write]; DIR holds git repositories;
--write takes a whole run: no --quick, no --only`

interface Row extends Quality {
  readonly repository: string
  readonly base: string
  readonly texts: number
  readonly questions: number
  readonly ranker: 'BM25' | 'memory_query'
  /** Of one question over HTTP; BM25's is that of the service's own, in the same store. */
  readonly p50Ms: number | null
  /** The time while a second ingest runs, to that of the same service just before it. */
  readonly busy: number | null
  /** The same of the means over time, which a few long waits raise and the median hides. */
  readonly busyMean: number | null
  /** Null: no lines of a commit are known. */
  readonly lines: LineShares | null
  /** Characters that an answer shows, in the mean. */
  readonly shown: number | null
}

interface Asked {
  readonly name: string
  readonly base: string
  readonly texts: ReadonlyMap<string, string>
  readonly questions: readonly Question[]
}

type Ask = (text: string) => Promise<readonly Shown[]>
type LinesOf = (question: Question, shown: readonly Shown[]) => readonly LineShares[]

/** Turn by turn, so that what the machine does meanwhile meets both. */
async function rowsOf(
  { name, base, texts, questions }: Asked,
  byTool: Ask,
  byWords?: Ask,
  linesOf: LinesOf = () => [],
): Promise<Row[]> {
  const index = lexicalIndex(texts, mostChunks)
  const [answers, own, words] = [new Map<string, readonly string[]>(), [] as number[], [] as number[]]
  const [ownLines, wordLines] = [[] as LineShares[], [] as LineShares[]]
  const [ownShown, wordShown] = [[] as number[], [] as number[]]
  for (const question of questions) {
    const { text } = question
    const shown = await timed(own, () => byTool(text))
    answers.set(
      text,
      shown.map((one) => one.name),
    )
    ownLines.push(...linesOf(question, shown))
    ownShown.push(charactersOf(shown))
    if (byWords === undefined) continue
    const plain = await timed(words, () => byWords(text))
    wordLines.push(...linesOf(question, plain))
    wordShown.push(charactersOf(plain))
  }
  const all = { repository: name, base, texts: texts.size, questions: questions.length, busy: null, busyMean: null }
  return [
    {
      ...all,
      ranker: 'BM25',
      p50Ms: median(words) ?? null,
      lines: meanLines(wordLines),
      shown: meanOf(wordShown),
      ...qualityOf(questions, (text) => [...index(text).keys()].slice(0, slots)),
    },
    {
      ...all,
      ranker: 'memory_query',
      p50Ms: median(own) ?? null,
      lines: meanLines(ownLines),
      shown: meanOf(ownShown),
      ...qualityOf(questions, (text) => answers.get(text) ?? []),
    },
  ]
}

function meanLines(shares: readonly LineShares[]): LineShares | null {
  const mean = (of: keyof LineShares): number => shares.reduce((sum, each) => sum + each[of], 0) / shares.length
  return shares.length === 0 ? null : { found: mean('found'), beside: mean('beside') }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length
}

function charactersOf(shown: readonly Shown[]): number {
  return shown.reduce((sum, { content }) => sum + content.length, 0)
}

async function timed<T>(into: number[], run: () => Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await run()
  into.push(performance.now() - from)
  return result
}

/** `sources`: what the service has of the repository already. */
async function askRepository(
  { name, base, source, dir, questions }: Repository,
  sources: readonly Source[],
  { service, folder, quick }: { readonly service: BenchService; readonly folder: string; readonly quick: boolean },
): Promise<Row[]> {
  const attributes = join(folder, 'attributes')
  writeFileSync(attributes, languages)
  const files = sources.filter(({ file }) => !file.startsWith('@'))
  const texts = new Map(files.map(({ file, item }) => [file, item.content]))
  const known = questions
    .map((one) => ({ ...one, files: one.files.filter((file) => texts.has(file)) }))
    .filter((one) => one.files.length > 0)
  const asked = { name, base: base.slice(0, 8), texts, questions: quick ? known.slice(0, 60) : known }
  const options = { client: service.client, key: 'file', repository: name }
  const byTool: Ask = (text) => askByTool(text, options)
  const byWords: Ask = (text) => askByWords(text, options)
  const linesOf: LinesOf = (question, shown) => {
    const { sha, files: right } = question as CommitQuestion
    return lineShares(changedLines(source, { base, sha, files: right, attributes }), shown, texts)
  }
  const [words, own] = await rowsOf(asked, byTool, byWords, linesOf)
  const again = `${name}-again`
  const more = await sourcesOf(dir, again)
  const idle: number[] = []
  for (const { text } of asked.questions.slice(0, idleQuestions)) await timed(idle, () => byTool(text))
  const busy = await whileBusy(service.ingest(again, more), asked.questions.slice(0, idleQuestions), byTool)
  const busyMean = meanOverTime(busy) / meanOverTime(idle)
  return [words!, { ...own!, busy: median(busy)! / median(idle)!, busyMean }]
}

/** The milliseconds of each of the questions, over and over until this work is done. */
async function whileBusy(work: Promise<void>, questions: readonly Question[], ask: Ask): Promise<readonly number[]> {
  const ms: number[] = []
  const state = { isDone: false }
  const end = (): void => void (state.isDone = true)
  void work.then(end, end)
  for (let at = 0; !state.isDone; at += 1) await timed(ms, () => ask(questions[at % questions.length]!.text))
  await work
  return ms
}

function askConversations(quick: boolean): Promise<Row[]> {
  return withService(async (service) => {
    const { notes, questions } = conversationsOf(quick ? 20 : 60)
    await service.ingestNotes(notes)
    return rowsOf({ name: talks, base: '-', texts: notes, questions }, (text) =>
      askByTool(text, { client: service.client, key: 'name' }),
    )
  })
}

type Figure = 'recall10' | 'mrr'

function gain(rows: readonly Row[], repository: string, of: Figure): number {
  const value = (ranker: Row['ranker']): number =>
    rows.find((row) => row.repository === repository && row.ranker === ranker)?.[of] ?? 0
  return (value('memory_query') / value('BM25') - 1) * 100
}

function goalsOf(rows: readonly Row[]): Goal[] {
  const names = [...new Set(rows.map(({ repository }) => repository))]
  const heldOut = names.filter((name) => name !== talks && !tunedOn.some((tuned) => name.includes(tuned)))
  const mean = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length
  const higher = { unit: '%', better: 'higher' } as const
  const goals = (['recall10', 'mrr'] as const).flatMap((of): Goal[] => {
    const figure = of === 'recall10' ? 'recall@10' : 'MRR'
    const gains = heldOut.map((name) => gain(rows, name, of))
    const talk = names.includes(talks) ? gain(rows, talks, of) : undefined
    return [
      {
        name: `${figure} over BM25, mean of the held-out repositories`,
        value: mean(gains),
        ...higher,
        gate: 10,
        goal: 30,
      },
      {
        name: `${figure} over BM25, worst of the held-out repositories`,
        value: gains.length === 0 ? undefined : Math.min(...gains),
        ...higher,
        gate: 0,
        goal: 10,
      },
      { name: `${figure} over BM25, conversations`, value: talk, ...higher, gate: 0, goal: 5 },
    ]
  })
  const ofLines = rows.flatMap(({ repository, ranker, lines }) =>
    ranker === 'memory_query' && lines !== null && heldOut.includes(repository) ? [lines] : [],
  )
  return [
    ...goals,
    {
      name: 'changed lines that are shown, mean',
      value: mean(ofLines.map(({ found }) => found * 100)),
      ...higher,
      gate: 15,
      goal: 30,
    },
    {
      name: 'shown lines outside of any changed function, mean',
      value: mean(ofLines.map(({ beside }) => beside * 100)),
      unit: '%',
      better: 'lower',
      gate: 98,
      goal: 90,
    },
    {
      name: 'time to that of BM25 in the same store',
      value: mean(ratios(rows)),
      unit: '×',
      better: 'lower',
      gate: 3,
      goal: 2,
    },
    {
      name: 'time while an ingest runs to that of an idle service, worst',
      value: highest(rows.flatMap(({ busy }) => busy ?? [])),
      unit: '×',
      better: 'lower',
      gate: 2,
      goal: 1.5,
    },
  ]
}

function highest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values)
}

function ratios(rows: readonly Row[]): number[] {
  return rows.flatMap(({ repository, ranker, p50Ms }) => {
    const words = rows.find((row) => row.repository === repository && row.ranker === 'BM25')?.p50Ms
    return ranker === 'memory_query' && p50Ms !== null && words ? [p50Ms / words] : []
  })
}

function tableOf(rows: readonly Row[]): string {
  const share = (value: number): string => value.toFixed(3)
  return markdownTable(
    [
      'repository',
      'base',
      'texts',
      'questions',
      'ranker',
      'hit@1',
      'recall@10',
      'MRR',
      'nDCG@10',
      'lines',
      'beside',
      'shown',
      'p50 ms',
      'busy ×',
      'busy mean ×',
    ],
    rows.map((row) => [
      row.repository,
      row.base,
      String(row.texts),
      String(row.questions),
      row.ranker,
      share(row.hit1),
      share(row.recall10),
      share(row.mrr),
      share(row.ndcg10),
      row.lines === null ? '–' : share(row.lines.found),
      row.lines === null ? '–' : share(row.lines.beside),
      row.shown === null ? '–' : row.shown.toFixed(0),
      row.p50Ms === null ? '–' : row.p50Ms.toFixed(1),
      row.busy === null ? '–' : row.busy.toFixed(2),
      row.busyMean === null ? '–' : row.busyMean.toFixed(2),
    ]),
  )
}

/** Folders that are repositories, bare or not, or that hold one named `repo`. */
function repositoriesIn(dir: string): { name: string; source: string }[] {
  return readdirSync(dir)
    .filter((name) => statSync(join(dir, name)).isDirectory())
    .flatMap((name) => {
      const source = [join(dir, name), join(dir, name, 'repo')].find(
        (each) =>
          existsSync(join(each, '.git')) || (existsSync(join(each, 'HEAD')) && existsSync(join(each, 'objects'))),
      )
      return source === undefined ? [] : [{ name: name.replace(/\.git$/, ''), source }]
    })
}

async function measure({ quick, only, more: { repos = '' } }: BenchArguments, journal: RunJournal): Promise<Measured> {
  const isAsked = (name: string): boolean => only.size === 0 || only.has(name)
  const folder = mkdtempSync(join(tmpdir(), 'statewright-retrieval-'))
  const rows: Row[] = []
  try {
    await withService(async (service) => {
      const known: { readonly repository: Repository; readonly sources: readonly Source[] }[] = []
      for (const { name, source } of repositoriesIn(repos)) {
        journal.say(`reading ${name}`)
        const repository = readRepository(source, name, folder)
        const sources = await sourcesOf(repository.dir, name)
        await service.ingest(name, sources)
        known.push({ repository, sources })
      }
      for (const { repository, sources } of known.filter((one) => isAsked(one.repository.name))) {
        const { name } = repository
        journal.say(`asking about ${name} among ${known.length}`)
        const asked = await journal.attempt(name, () => askRepository(repository, sources, { service, folder, quick }))
        rows.push(...(asked ?? []))
      }
    })
    if (isAsked(talks)) rows.push(...(await askConversations(quick)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const invalid = rows.length === 0 ? [`no repository was measured in ${repos}`] : []
  return { invalid, rows, goals: goalsOf(rows), tables: tableOf(rows), heading: 'Retrieval', about }
}

const about = `A question is the subject of a commit
after the base, right are the files that it changed (1 to 8). The service is asked over HTTP by the tool \`memory_query\` with its default
arguments, after \`statewright ingest\` has sent it a clone of each repository that holds nothing later than the base: one service
holds them all, and a question is asked as a Task of its repository asks it; of its ten slots each counts.
BM25 ranks the same texts by their best chunk. Its time and lines are those of the service's own, in the same store. \`lines\`: of the
lines of the base that the commit changed those that the answer shows. \`beside\`: of the lines shown those outside of any function that
it changed, as git finds functions. \`shown\`: the characters of an answer. \`busy\`: the time while the
same repository comes in once more under another name, to that just before, each the median. \`busy mean\`: the same of the means
over time, what somebody waits who asks at any moment. BM25 gives several chunks of one file where
memory_query gives one passage of each file. Weights and lengths of passages were found on ${tunedOn.join(', ')},
which therefore count for no goal. Conversations are generated, with known evidence.`

process.exitCode = await runBench({
  name: 'retrieval',
  more: ['repos'],
  usage,
  isRefused: ({ more: { repos } }) => repos === undefined || !existsSync(repos),
  measure,
})
