/** What fills a memory is started as people would start it; here a program in its place writes down how, and what it was given. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRunGit } from '../../edges/git/store/run-git.ts'
import type { MemorySource } from '../../edges/ports/memory-intake.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { systemClock } from '../../runtime/clock.ts'
import { plantTreeBomb } from '../../wrapper/testing/tree-bomb.ts'
import { memoryIntake } from './memory-intake.ts'

interface Call {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly issues?: string
  readonly secret: string
  readonly secretMode: number
  readonly files: readonly string[]
}

/** Writes each call down as a line, prints what it is told to, and ends as it is told to. */
const program = `
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
const argv = process.argv.slice(2)
const folder = new URL('../', import.meta.url)
const answers = JSON.parse(readFileSync(new URL('answers.json', folder), 'utf8'))
const secretFile = process.env.OIDC_CLIENT_SECRET_FILE
const issues = argv[argv.indexOf('--issues') + 1]
const call = {
  argv,
  env: process.env,
  ...(argv.includes('--issues') ? { issues: readFileSync(issues, 'utf8') } : {}),
  secret: readFileSync(secretFile, 'utf8'),
  secretMode: statSync(secretFile).mode & 0o777,
  files: argv[0] === 'code-graph' ? readdirSync(argv[2]) : [],
}
appendFileSync(new URL('calls.ndjson', folder), JSON.stringify(call) + '\\n')
const answer = answers[argv[0]]
if (answer.hangs) setInterval(() => {}, 1000)
else if (answer.error) { console.error(answer.error); process.exitCode = 1 }
else console.log(JSON.stringify({ before: null, ...answer }))
`

const opened = {
  number: 1,
  title: 'One',
  user: { login: 'rita' },
  body: 'b',
  state: 'open',
  html_url: 'https://forge.invalid/1',
}

let dir: string
let source: MemorySource

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'intake-test-'))
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin', 'statewright.mjs'), program)
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [
      '-C',
      join(dir, 'repository'),
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@example.invalid',
      ...args,
    ])
      .toString()
      .trim()
  mkdirSync(join(dir, 'repository'))
  git('init', '-q', '-b', 'main')
  writeFileSync(join(dir, 'repository', 'a.ts'), 'export {}\n')
  execFileSync('ln', ['-s', '/etc/passwd', join(dir, 'repository', 'link')])
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  source = {
    project: 'default/demo',
    repository: 'lib',
    gitDir: join(dir, 'repository', '.git'),
    commit: git('rev-parse', 'HEAD'),
    known: '',
    issues: [{ ...opened, thread: [{ author: 'maria', edited_by: 'otto', body: 'c' }] }],
  }
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function intakeThat(
  answers: Readonly<Record<string, object>>,
  urls: Readonly<Record<string, string>> = {},
  mostBytes = mostCheckoutBytes,
) {
  writeFileSync(join(dir, 'answers.json'), JSON.stringify(answers))
  const clean = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock })
  return memoryIntake({
    programDir: dir,
    git: clean,
    memories: {
      addressOf: async (project) => {
        const url = { 'default/demo': 'http://memory.invalid', ...urls }[project]
        return url === undefined ? undefined : { url, publicUrl: undefined }
      },
    },
    settings: {
      git: { mostCheckoutBytes: mostBytes },
      memory: { audience: 'memory', clientId: 'pods', clientSecret: 'hunter2' },
      oidc: { issuer: 'http://id.invalid' } as never,
    },
  })
}

function calls(): readonly Call[] {
  const path = join(dir, 'calls.ndjson')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Call)
}

const never = new AbortController().signal

describe('a step of the intake', () => {
  test('ingests the commit, then pushes its code graph, each with the client that pods are', async () => {
    const intake = intakeThat({ ingest: { indexed: source.commit, due: 0, errors: [] }, 'code-graph': {} })
    expect(await intake(source, never)).toEqual({ commit: source.commit, due: 0, trouble: '' })
    const [ingest, push] = calls()
    const place = ['--repo', 'lib', '--url', 'http://memory.invalid', '--json']
    expect(ingest?.argv.slice(0, 7)).toEqual(['ingest', source.gitDir, ...place])
    expect(ingest?.argv).toEqual(expect.arrayContaining(['--ref', source.commit, '--jobs', '5']))
    expect(JSON.parse(ingest?.issues ?? '')).toEqual(source.issues)
    expect(push?.argv.slice(3)).toEqual([...place, '--commit', source.commit, '--no-cache'])
    // A link is a file that holds where it leads: nothing outside of the tree is read.
    expect(push?.files).toEqual(['a.ts', 'link'])
    for (const call of [ingest, push])
      expect(call).toMatchObject({
        env: { OIDC_ISSUER: 'http://id.invalid', OIDC_CLIENT_ID: 'pods', MEMORY_AUDIENCE: 'memory' },
        ...{ secret: 'hunter2', secretMode: 0o600 },
      })
    // Nothing else of the orchestrator's environment, and no secret in a list of processes.
    expect(Object.keys(ingest?.env ?? {}).filter((name) => name.startsWith('STATEWRIGHT_'))).toEqual([])
    expect(JSON.stringify(ingest?.argv)).not.toContain('hunter2')
    expect(existsSync(ingest?.env['HOME'] ?? '/')).toBe(false)
  })

  test('pushes no code graph of a commit that is known, or while files are due', async () => {
    const { commit } = source
    const whole = { ingest: { before: commit, indexed: commit, due: 0, errors: [] }, 'code-graph': { error: 'never' } }
    await intakeThat(whole)({ ...source, known: source.commit }, never)
    const some = { ingest: { indexed: null, due: 7, errors: [] }, 'code-graph': { error: 'never' } }
    expect(await intakeThat(some)(source, never)).toEqual({ commit: '', due: 7, trouble: '' })
    expect(calls().map(({ argv }) => argv[0])).toEqual(['ingest', 'ingest'])
  })

  test('pushes the code graph of a commit that is known to a memory that lacked it, as one that is another now or was restored', async () => {
    const known = { ...source, known: source.commit }
    const ingest = { before: 'c0', indexed: source.commit, due: 0, errors: [] }
    expect(await intakeThat({ ingest, 'code-graph': {} })(known, never)).toEqual({
      ...{ commit: source.commit, due: 0, trouble: '' },
    })
    expect(calls().map(({ argv }) => argv[0])).toEqual(['ingest', 'code-graph'])
    // The next step would find the commit there, and known.
    expect(await intakeThat({ ingest, 'code-graph': { error: 'the memory answered 503' } })(known, never)).toEqual({
      ...{ commit: '', due: 1, trouble: 'the memory answered 503' },
    })
  })

  test('fails where the code graph does: the commit is not held whole', async () => {
    const intake = intakeThat({
      ingest: { indexed: source.commit, due: 0, errors: [] },
      'code-graph': { error: 'reading\nthe memory answered 503' },
    })
    await expect(intake(source, never)).rejects.toThrow(/^the memory answered 503$/)
  })

  test('names the first fault and how many more there are', async () => {
    const errors = ['a.ts: no room', 'b.ts: no room', 'c.ts: no room']
    const intake = intakeThat({ ingest: { indexed: null, due: 3, errors } })
    expect(await intake(source, never)).toEqual({ commit: '', due: 3, trouble: 'a.ts: no room and 2 more' })
  })

  test('ends its process when the orchestrator stops, and leaves nothing behind', async () => {
    const stopping = new AbortController()
    const running = intakeThat({ ingest: { hangs: true } })(source, stopping.signal)
    while (calls().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    stopping.abort()
    await expect(running).rejects.toThrow(/abort/i)
    expect(existsSync(calls()[0]?.env['HOME'] ?? '/')).toBe(false)
  })

  test('refuses a tree of four objects that is a terabyte, before anything of it is read or written', async () => {
    const commit = plantTreeBomb(join(dir, 'repository'))
    const intake = intakeThat({ ingest: { indexed: commit, due: 0, errors: [] }, 'code-graph': {} })
    await expect(intake({ ...source, commit }, never)).rejects.toThrow(/more than \d+ bytes: GIT_MOST_CHECKOUT_BYTES/)
    expect(calls()).toEqual([])
  })

  test('takes in a tree of exactly the bytes that the setting allows, and none of one more', async () => {
    const commit = plantTreeBomb(join(dir, 'repository'), 1000, 3)
    const answers = { ingest: { indexed: commit, due: 0, errors: [] }, 'code-graph': {} }
    const bytes = 32 * 3 * 3 * 1000
    await expect(intakeThat(answers, {}, bytes - 1)({ ...source, commit }, never)).rejects.toThrow(
      'more than 287999 bytes',
    )
    expect(calls()).toEqual([])
    await intakeThat(answers, {}, bytes)({ ...source, commit }, never)
    expect(calls()[1]?.files).toEqual(['n0', 'n1', 'n2'])
  })

  test('asks for the setting where no service is named', async () => {
    const intake = intakeThat({ ingest: {} })
    await expect(intake({ ...source, project: 'default/other' }, never)).rejects.toThrow(/MEMORY_URLS/)
  })
})
