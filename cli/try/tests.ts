/** What tests a change of a person's repository: as in its CI, in a fresh clone. */
import { UsageError } from '../args.ts'
import { git } from '../local/git-seed.ts'
import { namedSteps } from '../local/processes/while-named.ts'
import { executeCi } from '../local/standins.ts'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { OwnCopy } from './own-copy.ts'

const Names = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const Manifest = Type.Object({
  scripts: Type.Object({ test: Type.String() }),
  dependencies: Names,
  devDependencies: Names,
})
const limitMs = 10 * 60_000

/** Undefined: it has none that we know. A fresh clone has nothing installed. */
export async function testsOf({ path }: Pick<OwnCopy, 'path'>): Promise<string | undefined> {
  const manifest = parsed(await git(path, 'show', 'HEAD:package.json').catch(() => ''))
  if (!Value.Check(Manifest, manifest)) return undefined
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length
  if (needed === 0) return 'npm test'
  const isLocked = await git(path, 'cat-file', '-e', 'HEAD:package-lock.json').then(
    () => true,
    () => false,
  )
  return `npm ${isLocked ? 'ci' : 'install'} --no-audit --no-fund && npm test`
}

/** The shell names each command before it runs. */
const traced = 'set -x; '

interface TestRun {
  readonly command: string
  readonly signal: AbortSignal
  readonly write: (line: string) => void
  /** Milliseconds. */
  readonly within?: number
}

/** @throws UsageError: red before the change, they would hold each change back. */
export async function checkTests(
  { path, commit }: Pick<OwnCopy, 'path' | 'commit'>,
  { command, signal, write, within = limitMs }: TestRun,
): Promise<void> {
  const steps = namedSteps(write)
  let last = ''
  const begin = (step: string): void => steps.begin(`before any change: ${(last = step)}`)
  begin('a fresh clone')
  let begun = ''
  // A shell writes the sign and the command apart.
  const hear = (text: string): void => {
    const lines = (begun + text).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('+ ')) begin(line.slice(2))
  }
  const work = executeCi(path, commit, traced + command, within, signal, hear)
  const { conclusion, summary, log } = await work.finally(() => steps.end())
  if (conclusion === 'success') return
  const why = summary.includes('timed out')
    ? `\`${last}\` was not through after ${within / 60_000} min, before any change: give --test-command CMD that takes less.`
    : `the tests fail before any change, so none could be merged: give --test-command CMD. ${summary.replace(traced, '')}`
  const end = log.trimEnd().split('\n').slice(-8)
  throw new UsageError([why, ...end.map((line) => `  ${line}`)].join('\n'))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
