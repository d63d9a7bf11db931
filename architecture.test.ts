import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startsGit } from './testing/architecture/layout.ts'
import { readHouse } from './testing/architecture/house.ts'
import { differences, readList } from './testing/architecture/ratchet.ts'
import { ratchets } from './testing/architecture/ratchets.ts'
import { breaches, longFiles, type Packages } from './testing/architecture/rules.ts'
import { parseSource } from './testing/architecture/source.ts'
import { suitesOf } from './testing/suites.ts'

/** A clock's own method has a dot before it, its declaration a type or a body after it. */
const databaseClock =
  /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)(?!\s*[:{])|\bcurrent_timestamp\b/i

function withoutSqlComments(text: string): string {
  return text.replaceAll(/--.*$/gm, '')
}

const root = dirname(fileURLToPath(import.meta.url))
const house = readHouse(root)

function listedPackages(): Packages {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(`${root}/package.json`, 'utf8'),
  ) as Record<string, object>
  return { dependencies: Object.keys(dependencies), devDependencies: Object.keys(devDependencies) }
}

function breachesOf(path: string, text: string): string[] {
  return breaches([parseSource(path, text)], listedPackages())
}

test('every file is where the layout puts it and imports only what its folder may', () => {
  expect(house.files.length).toBeGreaterThan(20)
  expect(breaches(house.files, listedPackages()).join('\n')).toBe('')
  for (const line of longFiles(house.files)) console.warn(line)
})

test.each(ratchets)('the list of $name holds today’s breaches, no more and no fewer', (ratchet) => {
  const found = differences(ratchet.breaches(house), readList(ratchet.name), ratchet.remedy, ratchet.room)
  expect(found.join('\n')).toBe('')
})

test('the files that share a process are those that may, by what they import now', () => {
  const listed = JSON.parse(readFileSync(join(root, 'testing/suites.json'), 'utf8')) as object
  expect(listed, 'npm run generate writes the list').toEqual(suitesOf(house.files))
})

test('every module that starts git has a test with a canary in its repositories', () => {
  for (const [path, canary] of Object.entries(startsGit)) {
    expect(parseSource(path, readFileSync(join(root, path), 'utf8')).git).not.toEqual([])
    expect(readFileSync(join(root, canary), 'utf8')).toMatch(/canary/)
  }
})

test('every list has its ratchet, and CONTRIBUTING explains it', () => {
  const names = ratchets.map(({ name }) => name)
  expect(
    globSync('testing/architecture/*.json', { cwd: root })
      .map((path) => basename(path, '.json'))
      .toSorted(),
  ).toEqual(names)
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  expect(names.filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([])
})

test('no file holds what a merge left', () => {
  const files = globSync(['**/*.{ts,mjs,js,md,json,sql,sh,css,html,yaml,yml}', '.ci/*'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'dist/**', '.git/**'],
  }).filter((file) => statSync(join(root, file)).isFile())
  const isLeft = (text: string): boolean => /^(<{7}|>{7}) /m.test(text)
  expect(files.length).toBeGreaterThan(1000)
  expect(files.filter((file) => isLeft(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect([isLeft('a\n' + '<'.repeat(7) + ' HEAD\n'), isLeft('a <<<<<<< b')]).toEqual([true, false])
})

/** What a page says is in a file, and is not there: "`name` in `path`", with other names before and between. */
function misplacedNames(text: string, read: (path: string) => string): readonly string[] {
  const flat = text.replaceAll(/\n +/g, ' ')
  const places = [...flat.matchAll(/((?:`#?\w+`(?:,| and|, and)? )+)in `([\w./-]+\.(?:ts|mjs))`/g)]
  return places.flatMap(([, names = '', path = '']) =>
    [...names.matchAll(/`#?(\w+)`/g)]
      .filter(([, name = '']) => !new RegExp(`\\b${name}\\b`).test(read(path)))
      .map(([, name = '']) => `${name} in ${path}`),
  )
}

test('what a recipe names in a file is there', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  expect(misplacedNames(read('CONTRIBUTING.md'), read)).toEqual([])
  const text = 'Add it to `one`, `two` and\n   `three` in `a/b.ts`.'
  expect(misplacedNames(text, () => 'const one = three')).toEqual(['two in a/b.ts'])
})

test('the README of the edges names every folder', () => {
  const page = readFileSync(join(root, 'edges/README.md'), 'utf8')
  const folders = globSync('edges/*/', { cwd: root }).map((path) => path.split(/[/\\]/)[1]!)
  expect(folders.length).toBeGreaterThan(8)
  expect(folders.filter((name) => !page.includes(`\`${name}/\``))).toEqual([])
})

/** Beginnings of SHA-256. Some store has run each: it refuses to start with another text under the name (CONTRIBUTING, "A migration"). */
const landedMigrations: Readonly<Record<string, string>> = {
  'edges/agents/migrations/0001-ci-reads.sql': '4ed759f80e3622f5',
  'edges/agents/migrations/0002-spilled-notes.sql': '0d50af0bb9c2a17d',
  'edges/forge/mirror/migrations/0001-forge.sql': '6b381d8eff1091f8',
  'edges/forge/mirror/migrations/0002-hands.sql': '930f1064a88316d9',
  'edges/forge/mirror/migrations/0003-history.sql': '60e0282b65d5562f',
  'edges/forge/mirror/migrations/0004-budget.sql': '46625ec7925e2138',
  'edges/forge/mirror/migrations/0005-heard.sql': '742fb84c8460e3c5',
  'edges/forge/mirror/migrations/0006-owed.sql': '1a382e767ce9275c',
  'edges/forge/mirror/migrations/0007-places.sql': 'b443b8141a496977',
  'edges/forge/mirror/migrations/0008-pushes-of-people.sql': '3c2c8a63ca480961',
  'edges/forge/mirror/migrations/0009-accounts-of-pushes.sql': '6712058989c9e375',
  'edges/forge/mirror/migrations/0010-verdicts-by-thread.sql': '1c226da603fea6bd',
  'edges/forge/mirror/migrations/0011-by-maintainer.sql': 'b8b62bddbf100007',
  'edges/forge/mirror/migrations/0012-missed.sql': '67d3f11a63e8c44a',
  'edges/local/migrations/0001-resources.sql': 'aee1adc1e10e0999',
  'edges/pods/migrations/0001-transcripts.sql': '5982df5e49ae7f6c',
  'memory/store/migrations/0001-memories.sql': 'cb0691dcd67fbeb5',
  'memory/store/migrations/0002-ingest.sql': 'ae5a5ec30f8f0bfd',
  'memory/store/migrations/0010-knowledge.sql': '803eccb611205061',
  'memory/store/migrations/0011-embedded-engine.sql': '718afe40e65da61b',
  'memory/store/migrations/0012-lightrag.sql': '142872cc1ca37d5e',
  'memory/store/migrations/0020-code-graph.sql': 'e1f64e4939408308',
  'memory/store/migrations/0021-who-stands-for-a-memory.sql': 'f5dac9431589a9dd',
  'memory/store/migrations/0022-what-people-wrote.sql': '0b9b66c0daeba12a',
  'memory/store/migrations/0023-who-asked-for-a-job.sql': '30a083d62810a98d',
  'memory/store/migrations/0030-instance.sql': '07f7a8b740d99468',
  'memory/store/migrations/0031-ingest-record.sql': '4b77887c12ab32a8',
  'memory/store/migrations/0040-files-by-age.sql': 'b5eb639452cf4fc2',
  'memory/store/migrations/0041-notes-about-files.sql': '5f0095c4dd503274',
  'memory/store/migrations/0042-fed-engine.sql': 'd349d941750b29b6',
  'runtime/store/migrations/0001-actors.sql': 'ac25cda3761026af',
  'runtime/store/migrations/0002-hash-of-snapshots.sql': '005229a9e5f74cf1',
  'runtime/store/migrations/0003-retention.sql': 'ebd9941b609b4dd8',
  'runtime/store/migrations/0004-processes.sql': '93d4df8f2c403ee7',
  'runtime/store/migrations/0005-timers.sql': '49f2527443cc3aa1',
  'runtime/store/migrations/0006-pending-effects.sql': '37c599aa02e7daa4',
  'runtime/store/migrations/0007-snapshots-in-their-rows.sql': '543c9bda8d492edf',
  'runtime/store/migrations/0008-live-actors.sql': '7bd560b417320a70',
  'runtime/store/migrations/0009-listings.sql': '9169ece6e1f3b941',
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

test('a landed migration stays as it is, and a new one is listed', () => {
  const paths = globSync('**/migrations/*.sql', { cwd: root, exclude: ['**/node_modules/**', 'dist/**'] })
  const found = paths.map((path) => [path, digestOf(readFileSync(join(root, path), 'utf8'))] as const)
  expect(Object.fromEntries(found)).toEqual(landedMigrations)
  expect(digestOf('create table a ()')).not.toBe(digestOf('create table a () -- x'))
})

test('no SQL asks the database for the time: the clock is an argument of every verb', () => {
  const files = globSync(['**/migrations/*.sql', 'runtime/store/**/*.ts'], { cwd: root, exclude: ['node_modules/**'] })
  const asking = files.filter((file) => databaseClock.test(withoutSqlComments(readFileSync(join(root, file), 'utf8'))))
  expect(asking).toEqual([])
  expect('default now(),').toMatch(databaseClock)
  expect('readonly now(): number').not.toMatch(databaseClock)
})

describe('the rules are noticed when broken', () => {
  const cases: readonly [rule: string, path: string, text: string, complaint: string][] = [
    [
      'a machine takes no package but xstate and typebox',
      'machines/x.ts',
      "\nimport pg from 'pg'",
      'machines/x.ts:2 imports pg',
    ],
    ['a machine takes nothing of node', 'machines/x.ts', "import fs from 'node:fs'", 'imports node:fs'],
    [
      'machines do not know the runtime',
      'machines/x.ts',
      "import type { Runtime } from '../runtime/runtime.ts'",
      'imports runtime/runtime.ts',
    ],
    [
      'sibling edges do not know each other',
      'edges/git/x.ts',
      "import { y } from '../agents/y.ts'",
      'imports edges/agents/y.ts',
    ],
    [
      'an implementation of the forge is no port',
      'edges/git/x.ts',
      "import { y } from '../forge/github/y.ts'",
      'imports edges/forge/github/y.ts',
    ],
    [
      'edges and memory never meet',
      'memory/x.ts',
      "import { y } from '../edges/forge/port.ts'",
      'imports edges/forge/port.ts',
    ],
    [
      'the kit imports nothing of ours',
      'http/x.ts',
      "import { y } from '../runtime/clock.ts'",
      'imports runtime/clock.ts',
    ],
    [
      'the wrapper knows one schema of the machines',
      'wrapper/x.ts',
      "import { y } from '../machines/turn/machine.ts'",
      'imports machines/turn/machine.ts',
    ],
    [
      'nothing imports the command line',
      'runtime/x.ts',
      "import { y } from '../cli/compose.ts'",
      'imports cli/compose.ts',
    ],
    [
      'only tests start a stand-in',
      'edges/agents/x.ts',
      "import { y } from '../../standins/forge/y.ts'",
      'imports standins',
    ],
    [
      'a command starts a stand-in through the door alone',
      'cli/commands/x.ts',
      "import { y } from '../../standins/forge/y.ts'",
      'imports standins/forge/y.ts, which cli/ may not',
    ],
    [
      'the product does without the laboratory',
      'cli/x.ts',
      "import { y } from '../property-tests/prove/y.ts'",
      'imports property-tests/prove/y.ts',
    ],
    [
      'what builds fixtures for tests stays out of programs',
      'runtime/x.ts',
      "import { y } from './testing/y.ts'",
      'imports runtime/testing/y.ts, which is for tests',
    ],
    [
      'a lazy import is an import',
      'runtime/x.ts',
      "export const y = () => import('../cli/main.ts')",
      'imports cli/main.ts',
    ],
    [
      'an imported type is an import',
      'runtime/x.ts',
      "export type Y = import('../cli/main.ts').Y",
      'imports cli/main.ts',
    ],
    [
      'a program takes no development package',
      'runtime/x.ts',
      "import * as fc from 'fast-check'",
      'imports fast-check',
    ],
    ['a package is listed before it is used', 'runtime/x.ts', "import x from 'left-pad'", 'imports left-pad'],
    ['an import says its extension', 'runtime/x.ts', "import { y } from './y'", 'without its extension'],
    ['no folder is named for nothing', 'runtime/utils/x.ts', '', 'a folder named utils'],
    ['no folder is made up', 'services/x.ts', '', 'in no folder of the layout'],
    ['no default export', 'runtime/x.ts', 'export default 1', 'a default export'],
    ['no enum', 'runtime/x.ts', 'enum X { A }', 'an enum'],
    ['no namespace', 'runtime/x.ts', 'namespace X { export const a = 1 }', 'a namespace'],
    ['no barrel', 'runtime/x.ts', "export * from './y.ts'", 'a barrel'],
    [
      'no parameter property',
      'runtime/x.ts',
      'class X { constructor(private readonly a: number) {} }',
      'a parameter property',
    ],
    ['time is an argument', 'runtime/x.ts', 'export const x = new Date()', 'a `new Date()`'],
    ...[
      'console.error(x)',
      'process.stdout.write(x)',
      'const { stderr } = process',
      "import { stdout } from 'node:process'",
    ].map((text): (typeof cases)[number] => [
      'the command line writes to a terminal through one function',
      ...(['cli/commands/x.ts', text, 'x.ts:1 holds standard output or error, or the console'] as const),
    ]),
    ['timers are set by a clock', 'edges/x.ts', 'setInterval(look, 1000)', 'x.ts:1 holds a timer of its own'],
    [
      'timers are set by a clock',
      'edges/x.ts',
      "import { setTimeout } from 'node:timers/promises'",
      'a timer of its own',
    ],
    ...["server.on('upgrade', f)", "app.server.once('clientError', f)", "this.server.on('connect', f)"].map(
      (text): (typeof cases)[number] => [
        'the kit alone hears what node calls for a raw connection',
        ...(['edges/x.ts', text, 'x.ts:1 holds a listener of a raw event of a server'] as const),
      ],
    ),
    ['kebab-case', 'runtime/myFile.ts', '', 'not kebab-case'],
    ['git is started by few', 'edges/git/x.ts', "run('git', ['status'])", 'x.ts:1 starts git'],
    [
      'git is started by few, whatever starts it',
      'wrapper/x.ts',
      "space.spawn(['git', 'status'])",
      'x.ts:1 starts git',
    ],
  ]
  test.each(cases)('%s', (_rule, path, text, complaint) => {
    expect(breachesOf(path, text).join('\n')).toContain(complaint)
  })

  test('a file without end is named, and fails nothing', () => {
    const long = '\n'.repeat(401)
    expect(breachesOf('runtime/x.ts', long)).toEqual([])
    expect(longFiles([parseSource('runtime/x.ts', long)])).toEqual([
      'runtime/x.ts has 401 lines, more than 400: does it hold two subjects?',
    ])
  })

  test('but for what a generator writes, which nobody reads through', () => {
    expect(longFiles([parseSource('machines/generated/reasons.ts', '\n'.repeat(401))])).toEqual([])
  })
})

test('what is allowed passes', () => {
  const allowed: readonly [path: string, text: string][] = [
    ['machines/x.ts', "import { setup } from 'xstate'\nimport { y } from './turn/schema.ts'"],
    [
      'edges/git/x.ts',
      "import { y } from '../forge/port.ts'\nimport { z } from '../../http/problem.ts'\nimport fs from 'node:fs'",
    ],
    ['edges/forge/github/x.ts', "import { y } from '../port.ts'"],
    ['edges/forge/github/x.test.ts', "import { y } from '../../../standins/forge/y.ts'\nimport fc from 'fast-check'"],
    ['wrapper/x.ts', "import { y } from '../machines/turn/schema.ts'"],
    ['wrapper/testing/x.ts', "import { y } from '../../standins/identity/y.ts'"],
    ['runtime/contract/x.ts', "import { test } from 'vitest'"],
    ['cli/x.ts', "import { y } from '../runtime/clock.ts'\nimport { z } from '../edges/local/z.ts'"],
    ['cli/local/standins.ts', "import { y } from '../../standins/forge/y.ts'"],
    ['standins/identity/x.ts', "import Provider from 'oidc-provider'"],
    ['cli/x.ts', 'export const x = new Date()'],
    ['cli/output/terminal.ts', 'console.log(x)'],
    ['cli/x.test.ts', 'console.log(process.stdout)'],
    ['memory/x.ts', 'console.log(x)'],
    ['runtime/x.ts', 'export const x = new Date(5)'],
    ['edges/local/x.ts', "import type { PodPort } from '../ports/pods.ts'"],
    ['http/augment.ts', "declare module 'fastify' { interface X { y: 1 } }"],
  ]
  for (const [path, text] of allowed) expect(breachesOf(path, text)).toEqual([])
})
