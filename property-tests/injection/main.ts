/** `node property-tests/injection/main.ts --help`: exit code 0 when no text broke a law and every planted hole was exposed. */
import { forgeChoice } from '../../cli/local/forge-choice.ts'
import { ownCorpus, readCorpus, sampleOf } from './corpus.ts'
import { holes, plantedScene, type Hole } from './holes.ts'
import type { Played } from './play.ts'
import { readOptions, refuseCall } from '../../testing/options.ts'

const usage = `usage: node property-tests/injection/main.ts [options]

Plays every text of the corpus in each of its situations. An agent obeys every order in the text.
No order may break a law. With a planted hole, the text of that hole must break one.

  --forge NAME   the dialect of the local forge: github (default) or gitlab
  --corpus DIR   play the texts in DIR; each of its folders is a family (default: this project's own corpus)
  --sample N     play N texts of each family (default: all)
  --seed S       draw the sample from S (default 1)
  --only TEXT    play only texts whose name contains TEXT
  --holes        after the corpus, plant every hole in turn
  --hole NAME    after the corpus, plant this hole (repeat it for more); an unknown name lists all
  --no-corpus    skip the corpus: plant holes only
  --json         print the report as one line of JSON at the end`

const flags = readOptions(
  usage,
  {
    forge: { type: 'string', default: 'github' },
    corpus: { type: 'string', default: ownCorpus },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    hole: { type: 'string', multiple: true, default: [] },
    holes: { type: 'boolean', default: false },
    'no-corpus': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  ['seed', 'sample'],
)

/** What a run came to; without holes nothing may be broken, with one something must be. */
export interface Report {
  readonly texts: number
  readonly families: number
  readonly plays: number
  readonly calls: number
  readonly refused: number
  /** Texts in which nothing was found that could be obeyed. */
  readonly silent: readonly string[]
  readonly broken: readonly { readonly text: string; readonly situation: string; readonly faults: readonly string[] }[]
  readonly holes: readonly { readonly name: string; readonly exposedBy: string; readonly faults: readonly string[] }[]
  readonly seconds: number
}

const { forge: dialect = 'github' } = forgeChoice(flags.forge)

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const beganAt = performance.now()

async function playCorpus(): Promise<readonly Played[]> {
  const corpus = readCorpus(flags.corpus).filter(({ name }) => name.includes(flags.only))
  const chosen = flags.sample === undefined ? corpus : sampleOf(corpus, Number(flags.sample), Number(flags.seed))
  const { openScene } = await import('./scene.ts')
  const { play } = await import('./play.ts')
  const { openBystander, situationsOf } = await import('./stories.ts')
  const scene = await openScene(dialect)
  const played: Played[] = []
  try {
    const other = await openBystander(scene)
    for (const [index, text] of chosen.entries()) {
      const situations = situationsOf(text)
      const due =
        flags.sample === undefined ? situations : [situations[(index + Number(flags.seed)) % situations.length]!]
      for (const situation of due) {
        const one = await play(scene, text, situation, other)
        played.push(one)
        say(
          `${one.broken.length > 0 ? 'BROKEN' : 'held'} ${one.text} (${situation}): ${one.calls} calls, ${one.refused} refused; ${one.orders.join(' ')}`,
        )
        for (const fault of one.broken) say(`  ${fault}`)
      }
    }
  } finally {
    await scene.close()
  }
  return played
}

async function expose(hole: Hole): Promise<Report['holes'][number]> {
  const text = readCorpus(ownCorpus).find(({ name }) => name === hole.text)
  if (!text) throw new Error(`${hole.name} names no text of the corpus`)
  const { openScene, play, openBystander } = await plantedScene(hole)
  const scene = await openScene(dialect)
  try {
    const { broken } = await play(scene, text, hole.situation, await openBystander(scene))
    const faults = broken.filter((fault) => hole.law.test(fault))
    say(
      `${hole.name} ${faults.length > 0 ? `is exposed by ${text.name}: ${faults[0]}` : `IS NOT EXPOSED by ${text.name}; broken: ${broken.join('; ')}`}`,
    )
    return { name: hole.name, exposedBy: faults.length > 0 ? text.name : '', faults }
  } finally {
    await scene.close()
  }
}

async function main(): Promise<boolean> {
  const unknown = flags.hole.filter((name) => !holes.some((hole) => hole.name === name))
  if (unknown.length > 0)
    refuseCall(usage, `there is no hole ${unknown.join(', ')}: ${holes.map(({ name }) => name).join(', ')}`)
  const wanted = flags.holes ? holes : holes.filter(({ name }) => flags.hole.includes(name))
  const played = flags['no-corpus'] ? [] : await playCorpus()
  const exposed: Report['holes'][number][] = []
  for (const hole of wanted) exposed.push(await expose(hole))

  const report: Report = {
    texts: new Set(played.map(({ text }) => text)).size,
    families: new Set(played.map(({ text }) => text.split('/').at(0))).size,
    plays: played.length,
    calls: played.reduce((sum, { calls }) => sum + calls, 0),
    refused: played.reduce((sum, { refused }) => sum + refused, 0),
    silent: [...new Set(played.filter(({ orders }) => orders.length === 0).map(({ text }) => text))],
    broken: played
      .filter(({ broken }) => broken.length > 0)
      .map(({ text, situation, broken }) => ({ text, situation, faults: broken })),
    holes: exposed,
    seconds: Math.round((performance.now() - beganAt) / 100) / 10,
  }
  const isGood = report.broken.length === 0 && exposed.every(({ exposedBy }) => exposedBy !== '')
  say(
    `${report.texts} texts, ${report.plays} plays, ${report.calls} calls (${report.refused} refused), ${report.broken.length} broken, ${exposed.filter(({ exposedBy }) => exposedBy !== '').length}/${exposed.length} holes exposed, ${report.seconds} s`,
  )
  if (flags.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  return isGood
}

process.exitCode = (await main()) ? 0 : 1
