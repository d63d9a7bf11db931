#!/usr/bin/env node
// `npm run long`: the long forms of what CI runs in short, one after another (--list). `--write` notes in docs/long-forms.md
// when each ran last, on which commit, and how it ended.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run long -- [NAME...] [options]

Runs the long forms of what CI runs in short, one after another. Without NAME it runs all of them.

  --list    print the names, the commands, and what CI runs instead
  --write   store date, commit and result of each in docs/long-forms.md

Example: npm run long -- chaos --write`

const page = join(root, 'docs', 'long-forms.md')
const npm = (...words) => ['npm', 'run', '--silent', ...words]
const vitest = (...words) => ['vitest', 'run', ...words]

/** What CI runs stands beside it. */
export const longForms = [
  {
    name: 'boundary',
    inCi: 'each attack in one kind of pod, a quarter of the controls',
    command: npm('test:boundary'),
  },
  {
    name: 'boundary-pods',
    inCi: 'pods of one machine',
    command: npm('test:boundary', '--', '--short', '--kubernetes'),
  },
  {
    name: 'hands',
    inCi: 'the same attacks on mirror and Issue alone',
    command: ['node', 'property-tests/injection/hands/main.ts'],
  },
  { name: 'demo-given', inCi: 'a cluster of its own', command: npm('test:kubernetes', '--', '--given') },
  { name: 'simulate', inCi: '80 seeds', command: npm('simulate', '--', '--seeds', '1000', '--jobs', '2') },
  {
    name: 'simulate-runtime',
    inCi: '40 schedules',
    command: npm('simulate:runtime', '--', '--seeds', '20000'),
  },
  { name: 'chaos', inCi: 'ten rounds', command: npm('chaos', '--', '--rounds', '200') },
  {
    name: 'prove',
    inCi: 'one deviation, where the certificate is of other code',
    command: npm('prove', '--', '--certify'),
  },
  { name: 'mutants', inCi: 'a tenth, each machine alone', command: npm('prove', '--', '--mutants') },
  { name: 'controls', inCi: 'a quarter, drawn by the commit', command: npm('test:laws') },
  { name: 'stories', inCi: 'a quarter, drawn by the commit', command: vitest('cli/demo/scenarios') },
  {
    name: 'words',
    inCi: '400 texts',
    command: vitest('property-tests/words'),
    env: { STATEWRIGHT_WORDS_RUNS: '10000' },
  },
  {
    name: 'laws',
    inCi: '300 histories a law',
    command: vitest('property-tests/machines/laws.test.ts'),
    env: { STATEWRIGHT_RUNS: '3000' },
  },
  { name: 'wrapper', inCi: 'the daily cases of the contract', command: npm('test:wrapper') },
  { name: 'inspector', inCi: 'a page over a dozen actors', command: npm('test:inspector') },
  { name: 'tools', inCi: 'no client of other people', command: npm('test:tools') },
  {
    name: 'node-loss',
    inCi: 'a lost node without its controllers',
    command: npm('test:kubernetes', '--', 'node-loss'),
    env: { KUBE_NODE_GRACE: '6s' },
  },
  {
    name: 'stack-full',
    inCi: 'the light profile, and `full` as objects alone',
    command: npm('test:stack', '--', 'full-stack'),
  },
  {
    name: 'dashboards',
    inCi: 'names of series and labels',
    command: ['node', 'deploy/monitoring/testing/demo-queries.ts'],
  },
  {
    name: 'rebuild-kills',
    inCi: '300 memories; an ingest is killed twice',
    command: vitest('cli/memory/rebuild-kills', 'cli/memory/memory.system'),
    env: { REBUILD_MEMORIES: '3000', MEMORY_KILLS: '9' },
  },
  {
    name: 'standbys',
    inCi: 'two instances, one failover',
    command: npm('test:stack', '--', 'standbys.stack.long'),
  },
  {
    name: 'stack-drills',
    inCi: 'a stack that ends and comes back',
    command: npm('test:stack', '--', 'orchestrator/memory/stack-'),
  },
  { name: 'memory', inCi: 'no LightRAG', command: npm('test:memory') },
  {
    name: 'secrets',
    inCi: 'made-up secrets, no package and no detect-secrets',
    command: ['node', 'memory/client/ingest/testing/judge-secrets.ts'],
  },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})

async function main() {
  const unknown = positionals.filter((name) => !longForms.some((form) => form.name === name))
  if (unknown.length > 0) throw new Error(`there is no long form ${unknown.join(', ')}: --list prints their names`)
  const chosen = longForms.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  if (values.list) {
    for (const { name, inCi, command } of chosen) console.log(`${name.padEnd(18)}${command.join(' ')}   (CI: ${inCi})`)
    return 0
  }
  const ended = []
  for (const form of chosen) ended.push(await runOne(form))
  console.log(
    ended
      .map(
        ({ name, code, seconds }) => `${name.padEnd(18)}${code === 0 ? 'passed' : `exit code ${code}`} in ${seconds} s`,
      )
      .join('\n'),
  )
  return ended.every(({ code }) => code === 0) ? 0 : 1
}

async function runOne({ name, command: [file, ...parameters], env = {} }) {
  console.log(`\n==== ${name}`)
  const began = Date.now()
  const code = await run(file, parameters, { env: { ...process.env, ...env } })
  const seconds = Math.round((Date.now() - began) / 1000)
  if (values.write) await note(name, code, seconds)
  return { name, code, seconds }
}

/** Replaces the row of this form. */
async function note(name, code, seconds) {
  const text = await readFile(page, 'utf8')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim()
  const date = new Date().toISOString().slice(0, 10)
  const row = rowOf(
    longForms.find((form) => form.name === name),
    `${date} | ${commit} | ${code === 0 ? 'passed' : `exit code ${code}`} | ${seconds} s`,
  )
  await writeFile(page, text.replace(new RegExp(`^\\| ${name} \\|.*$`, 'm'), row))
}

function rowOf({ name, inCi, command, env = {} }, last) {
  const words = [...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...command].join(' ')
  return `| ${name} | \`${words}\` | ${inCi} | ${last} |`
}

export function emptyPage() {
  const rows = longForms.map((form) => rowOf(form, 'never | | |'))
  return `# Long forms

CI runs a short form of each of these. \`npm run long\` runs them all, \`npm run long -- NAME\` one; \`--write\` notes the result here.

| name | command | in CI | last run | commit | result | took |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

if (process.argv[1] === import.meta.filename) await onNode24(import.meta.url, main, usage)
