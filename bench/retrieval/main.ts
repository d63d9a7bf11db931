/**
 * `npm run bench -- retrieval --repos DIR`: which files a question is about. Questions are subjects of later commits, right
 * is what those commits changed; the index knows nothing later than the base. DIR holds git repositories.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileKey, FileRanker, rankFiles, weights, type Weights } from '../../memory/query/file-ranker.ts'
import { chunksToRank } from '../../memory/query/rank-by-file.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import type { Goal } from '../kit/goals.ts'
import { markdownTable } from '../kit/markdown.ts'
import { publish, usageExitCode } from '../kit/publish.ts'
import { goalTable, verdictLines, type Report } from '../kit/report.ts'
import { lexicalIndex } from './lexical.ts'
import { qualityOf, type Quality } from './measure.ts'
import { readRepository, type Repository } from './repository.ts'

/** The weights were found here, so that its own figures prove nothing. */
const tunedOn = 'fastify'

const usage = `usage: npm run bench -- retrieval --repos DIR [--only NAME,...] [--quick] [--json] [--write]; DIR holds git repositories;
--write takes a whole run: no --quick, no --only`

interface Row extends Quality {
  readonly repository: string
  readonly base: string
  readonly files: number
  readonly questions: number
  readonly ranker: string
}

const bm25: Weights = {
  bestChunk: 1,
  chunks: 0,
  path: 0,
  named: 0,
  history: 0,
  together: 0,
  namesake: 0,
  often: 0,
}

function rowsOf({ name, base, texts, corpus, questions }: Repository): Row[] {
  const index = lexicalIndex(texts, chunksToRank)
  const ranker = new FileRanker('')
  for (const file of corpus.files) ranker.addFile(file)
  for (const [at, change] of corpus.changes.entries()) ranker.addChange(String(at), change)
  const row = (named: string, using: Weights): Row => {
    const quality = qualityOf(questions, (text) => {
      const chunks = new Map([...index(text)].map(([file, scores]) => [fileKey('', file), scores]))
      return rankFiles(new Map([['', ranker]]), text, chunks, using).map(({ file }) => file)
    })
    return {
      repository: name,
      base: base.slice(0, 8),
      files: texts.size,
      questions: questions.length,
      ranker: named,
      ...quality,
    }
  }
  return [row('BM25', bm25), row('ours', weights)]
}

function gain(rows: readonly Row[], repository: string, of: 'recall10' | 'mrr'): number {
  const value = (ranker: string): number =>
    rows.find((row) => row.repository === repository && row.ranker === ranker)?.[of] ?? 0
  return (value('ours') / value('BM25') - 1) * 100
}

function goalsOf(rows: readonly Row[]): Goal[] {
  const heldOut = [...new Set(rows.map(({ repository }) => repository))].filter((name) => !name.includes(tunedOn))
  return (['recall10', 'mrr'] as const).map((of) => {
    const gains = heldOut.map((name) => gain(rows, name, of))
    const mean = gains.length === 0 ? undefined : gains.reduce((sum, each) => sum + each, 0) / gains.length
    const name = `${of === 'recall10' ? 'recall@10' : 'MRR'} over BM25, mean of ${heldOut.length} held-out repositories`
    return { name, value: mean, unit: '%', better: 'higher', gate: 10, goal: 20 }
  })
}

function tableOf(rows: readonly Row[]): string {
  const share = (value: number): string => value.toFixed(3)
  return markdownTable(
    ['repository', 'base', 'files', 'questions', 'ranker', 'hit@1', 'recall@10', 'MRR', 'nDCG@10'],
    rows.map((row) => [
      row.repository,
      row.base,
      String(row.files),
      String(row.questions),
      row.ranker,
      share(row.hit1),
      share(row.recall10),
      share(row.mrr),
      share(row.ndcg10),
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

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      repos: { type: 'string' },
      only: { type: 'string' },
      write: { type: 'boolean' },
    },
  })
  const { repos, only, json = false, quick = false, write = false } = values
  if (repos === undefined || !existsSync(repos) || (write && (quick || only !== undefined))) {
    console.error(usage)
    return usageExitCode
  }
  const startedAt = new Date()
  const folder = mkdtempSync(join(tmpdir(), 'statewright-retrieval-'))
  const rows: Row[] = []
  const invalid: string[] = []
  try {
    for (const { name, source } of repositoriesIn(repos)) {
      if (only !== undefined && !only.split(',').includes(name)) continue
      console.error(`reading ${name}`)
      try {
        rows.push(...rowsOf(readRepository(source, name, folder)))
      } catch (error) {
        invalid.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (rows.length === 0) invalid.push(`no repository was measured in ${repos}`)
  const report: Report = {
    name: 'retrieval',
    machine: describeMachine(),
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    quick,
    invalid,
    rows,
    goals: goalsOf(rows),
  }
  const tables = `${tableOf(rows)}\n\n${goalTable(report.goals)}`
  return publish(report, { json, write }, { tables, section: () => sectionOf(report, tables) })
}

function sectionOf(report: Report, tables: string): string {
  const { machine } = report
  return `## Retrieval

\`npm run bench -- retrieval --repos DIR --write\`, ${report.startedAt.slice(0, 10)}, ${report.minutes.toFixed(0)} minutes. ${machine.cores} cores of ${machine.cpu},
${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}; load ${machine.loadBefore} before the run. A question is the subject of a commit
after the base, right are the files that it changed (1 to 8). The index is made from a clone that holds nothing later than the base.
BM25 ranks files by their best chunk. Weights were found on ${tunedOn}, which therefore counts for no goal.

${verdictLines(report).join('  \n')}

${tables}`
}

process.exitCode = await main()
