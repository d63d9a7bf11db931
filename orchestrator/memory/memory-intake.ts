/**
 * Takes what a Repository holds into the memory of its Project: `statewright ingest` and, once all of a commit is there,
 * `statewright code-graph push`. Each is a process of its own, behind the normal work, which works on the orchestrator's copy
 * and is the client that pods are.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { gitOrThrow, type RunGit } from '../../edges/git/store/run-git.ts'
import type { MemoryIntake, MemorySource } from '../../edges/ports/memory-intake.ts'
import { CheckoutSize, listingOf } from '../../runtime/checkout-size.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Indexed } from '../../machines/memory/events.ts'
import type { MemoryServices } from './memory-services.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface MemoryIntakeOptions {
  readonly settings: Pick<OrchestratorSettings, 'oidc'> & {
    readonly memory: Pick<OrchestratorSettings['memory'], 'audience' | 'clientId' | 'clientSecret'>
    readonly git: Pick<OrchestratorSettings['git'], 'mostCheckoutBytes'>
  }
  readonly memories: Pick<MemoryServices, 'addressOf'>
  /** Where this program lies. */
  readonly programDir: string
  readonly git: RunGit
}

/** Of a step: what a cut one does again. */
const mostJobs = 5
/** Of a Repository; a step begins none after as long, and its actor gives it up after an hour. */
const longestMs = 25 * 60_000
const mostTrouble = 300

/** What `statewright ingest --json` prints. */
const Outcome = Type.Object({
  /** The commit that the record named before; null: none. */
  before: Type.Union([Type.String(), Type.Null()]),
  /** The commit that the record names now; null: none yet. */
  indexed: Type.Union([Type.String(), Type.Null()]),
  due: Type.Integer({ minimum: 0 }),
  errors: Type.Array(Type.String()),
})
type Outcome = Static<typeof Outcome>

export function memoryIntake({ settings, memories, programDir, git }: MemoryIntakeOptions): MemoryIntake {
  return async (source, stopped) => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(longestMs)])
    const url = (await memories.addressOf(source.project))?.url
    if (url === undefined)
      throw new Error('the Project has no memory service: neither a stack of its own nor one of MEMORY_URLS')
    const folder = await mkdtemp(join(tmpdir(), 'statewright-intake-'))
    try {
      const env = await environmentIn(folder, settings)
      await refuseLarge(git, source, settings.git.mostCheckoutBytes)
      const statewright = (given: readonly string[]): Promise<string> =>
        run({ command: [join(programDir, 'bin', 'statewright.mjs'), ...given], env, cwd: folder, signal })
      const issues = join(folder, 'issues.json')
      await writeFile(issues, JSON.stringify(source.issues), { mode: 0o600 })
      const outcome = outcomeOf(await statewright(argumentsFor(source, { url, issues })))
      const indexed = indexedOf(outcome)
      const isKnown = source.known === source.commit
      if (indexed.commit !== source.commit || (isKnown && outcome.before === source.commit)) return indexed
      // Until its code graph is there too, the memory does not hold the commit whole.
      const tree = await checkedOut(git, source, folder)
      try {
        await statewright([
          ...['code-graph', 'push', tree, ...locationOf(source, url)],
          ...['--commit', source.commit, '--no-cache'],
        ])
      } catch (error) {
        signal.throwIfAborted()
        if (!isKnown) throw error
        // Of a memory that had lost it: else the next step would find the commit there, and known.
        return { commit: '', due: 1, trouble: messageOf(error).slice(0, mostTrouble) }
      }
      return indexed
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

async function environmentIn(
  folder: string,
  { memory, oidc }: MemoryIntakeOptions['settings'],
): Promise<Readonly<Record<string, string>>> {
  const secret = join(folder, 'client-secret')
  await writeFile(secret, memory.clientSecret, { mode: 0o600 })
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder,
    OIDC_ISSUER: oidc.issuer,
    OIDC_CLIENT_ID: memory.clientId,
    OIDC_CLIENT_SECRET_FILE: secret,
    MEMORY_AUDIENCE: memory.audience,
  }
}

/** Ingest reads every name of it too. */
async function refuseLarge(git: RunGit, { gitDir, commit }: MemorySource, mostBytes: number): Promise<void> {
  const size = new CheckoutSize(mostBytes)
  const { code, err } = await git({ dir: gitDir, args: listingOf(commit), until: size.take })
  if (size.fault !== undefined)
    throw new Error(`commit ${commit.slice(0, 12)} has ${size.fault}: GIT_MOST_CHECKOUT_BYTES lets none so large in`)
  if (code !== 0) throw new Error(`git ls-tree failed: ${lastLine(err)}`)
}

/** The files of the commit, in an index of their own; a link is a file that holds where it leads. */
async function checkedOut(git: RunGit, { gitDir, commit }: MemorySource, folder: string): Promise<string> {
  const tree = join(folder, 'tree')
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(folder, 'index') }
  await mkdir(tree)
  await gitOrThrow(git, { dir: tree, env, args: ['read-tree', commit] })
  await gitOrThrow(git, { dir: tree, env, args: ['-c', 'core.symlinks=false', 'checkout-index', '--all'] })
  return tree
}

function argumentsFor(
  source: MemorySource,
  { url, issues }: { readonly url: string; readonly issues: string },
): readonly string[] {
  const what = ['--ref', source.commit, '--issues', issues, '--jobs', `${mostJobs}`]
  return ['ingest', source.gitDir, ...locationOf(source, url), ...what]
}

function locationOf({ repository }: MemorySource, url: string): readonly string[] {
  return ['--repo', repository, '--url', url, '--json']
}

interface Run {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal: AbortSignal
}

/** What it prints, whether it could do all or not; it throws where that is nothing. */
function run({ command, env, cwd, signal }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { env, cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, complaint] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4096)))
    child.once('spawn', () => lower(child.pid!))
    let fault: Error | undefined
    // Until one that is told to stop has closed it may still write into its folder, which goes next.
    child.once('error', (error) => (child.pid === undefined ? reject(error) : (fault = error)))
    child.once('close', () => {
      if (fault !== undefined) reject(fault)
      else if (out.trim() === '') reject(new Error(lastLine(complaint)))
      else resolve(out)
    })
  })
}

/** Work of people and agents goes first. */
function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already.
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'statewright ingest printed nothing'
}

function outcomeOf(printed: string): Outcome {
  const outcome: unknown = JSON.parse(printed)
  if (!Value.Check(Outcome, outcome)) throw new Error('statewright ingest printed no outcome')
  return outcome
}

function indexedOf(outcome: Outcome): Indexed {
  return { commit: outcome.indexed ?? '', due: outcome.due, trouble: troubleOf(outcome) }
}

function troubleOf({ errors }: Outcome): string {
  const [first, ...more] = errors
  if (first === undefined) return ''
  return `${first.slice(0, mostTrouble)}${more.length === 0 ? '' : ` and ${more.length} more`}`
}
