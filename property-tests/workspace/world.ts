import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeOrigin, runGit } from '../../wrapper/testing/pod.ts'
import { openWorkspace, type WorkspaceFixture, type Wrap } from '../../wrapper/testing/workspace.ts'
import type { Git } from '../../wrapper/workspace/git.ts'
import type { Checkout } from '../../wrapper/workspace/outside/prepare.ts'
import { publishAll, push, readHeads } from '../../wrapper/workspace/outside/publish.ts'
import type { Act, breakages, operations } from './acts.ts'

export const taskBranch = 'platform/task-1'
export type Mutate = (git: Git) => Git

/** A killed process runs no further command; what it wrote so far stays, and git moves the files before it moves HEAD. */
class Killed extends Error {}

/** Commands of both sides count alike, and so does what crosses between them. */
function killable(after: number | undefined): Wrap {
  let left = after ?? Number.POSITIVE_INFINITY
  const step = async (dying: () => Promise<unknown>): Promise<void> => {
    if (left === 0) await dying()
    if (left <= 0) {
      left = -1
      throw new Killed('the process was killed')
    }
    left -= 1
  }
  return {
    git: (git) => async (args, run) => {
      const moves = ['checkout', 'merge'].includes(args[0]!) && !args.at(-1)!.startsWith('-')
      const half = ['restore', '--worktree', '--source', args.at(-1)!, '--', '.']
      await step(async () => (moves ? git(half, run) : undefined))
      return git(args, run)
    },
    wire: (wire) => async (crossing) => {
      await step(async () => undefined)
      return wire(crossing)
    },
  }
}

/** One volume, one origin, one agent and its wrapper, which may be killed between any two commands. */
export class World {
  readonly dir: string
  readonly clone: string
  readonly origin: string
  /** Every line that was written into the task's work or the base, in the order of writing. */
  readonly lines: string[] = []
  last: Checkout | undefined
  #isDown = false
  readonly #fixture: WorkspaceFixture

  constructor(mutate: Mutate = (git) => git) {
    this.dir = mkdtempSync(join(tmpdir(), 'volume-'))
    this.origin = makeOrigin(this.dir)
    this.#fixture = openWorkspace({ dir: this.dir, url: this.origin, branch: taskBranch, mutate })
    this.clone = this.#fixture.clone
  }

  async live(acts: readonly Act[]): Promise<void> {
    await this.#boot(undefined)
    for (const act of acts) await this.#perform(act)
    this.#isDown = false
    this.last = await this.#boot(undefined)
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }

  async #perform(act: Act): Promise<void> {
    switch (act.kind) {
      case 'write':
        return this.#write(act.file, act.isCommitted)
      case 'leave':
        return void this.#try(
          ...(act.isDetached ? ['checkout', '--detach'] : ['checkout', '-b', `side-${this.lines.length}`]),
        )
      case 'begin':
        return this.#begin(act.operation)
      case 'other':
        return this.#other(act.on === 'base' ? 'main' : taskBranch, act.file)
      case 'tear':
        return this.#tear(act.what)
      case 'outage':
        return void (this.#isDown = act.isDown)
      case 'boot':
        return void (await this.#survive(() => this.#boot(act.killedAt)))
      case 'turnEnd':
      case 'safetyPush':
        return void (await this.#survive(() => this.#push(act)))
    }
  }

  #next(): string {
    this.lines.push(`line-${this.lines.length}-`)
    return this.lines.at(-1)!
  }

  #write(file: number, isCommitted: boolean): void {
    if (!existsSync(this.clone)) return
    appendFileSync(join(this.clone, `file-${file}.txt`), `${this.#next()}\n`)
    if (!isCommitted) return
    this.#try('add', '--all')
    this.#try('commit', '--quiet', '-m', 'work')
  }

  /** Both sides write the end of one file, so that whatever is begun stops in a conflict. */
  #begin(operation: (typeof operations)[number]): void {
    const side = `other-${this.lines.length}`
    const start = this.#try('rev-parse', 'HEAD')
    const branch = this.#try('symbolic-ref', '--short', 'HEAD')
    if (!start || !branch || this.#try('status', '--porcelain') !== '') return
    this.#write(0, true)
    this.#write(1, true)
    this.#try('checkout', '--quiet', '-b', side, start)
    this.#write(0, true)
    this.#write(1, true)
    this.#try('checkout', '--quiet', branch)
    const begin: Record<typeof operation, readonly string[]> = {
      merge: ['merge', side],
      rebase: ['rebase', side],
      'cherry-pick': ['cherry-pick', `${start}..${side}`],
      revert: ['revert', '--no-edit', 'HEAD~1'],
      bisect: ['bisect', 'start', 'HEAD', 'HEAD~2'],
    }
    this.#try(...begin[operation])
  }

  #other(ref: string, file: number): void {
    const dir = mkdtempSync(join(this.dir, 'other-'))
    runGit(dir, 'clone', '-q', this.origin, '.')
    const from = runGit(dir, 'branch', '--remotes', '--list', `origin/${ref}`) ? `origin/${ref}` : 'origin/main'
    runGit(dir, 'checkout', '-q', '-B', ref, from)
    appendFileSync(join(dir, `file-${file}.txt`), `${this.#next()}\n`)
    runGit(dir, 'add', '-A')
    runGit(dir, 'commit', '-qm', 'of somebody else')
    runGit(dir, 'push', '-q', 'origin', ref)
  }

  #tear(what: (typeof breakages)[number]): void {
    const inGit = (name: string): string => join(this.clone, '.git', name)
    if (!existsSync(inGit('HEAD'))) return
    if (what === 'head') writeFileSync(inGit('HEAD'), '')
    if (what === 'index') writeFileSync(inGit('index'), 'DIRC')
    if (what === 'clone') mkdirSync(`${this.clone}.cloning`, { recursive: true })
    if (what === 'branch' && existsSync(inGit(`refs/heads/${taskBranch}`)))
      writeFileSync(inGit(`refs/heads/${taskBranch}`), '')
    if (what === 'locks')
      for (const name of ['index.lock', 'HEAD.lock', 'packed-refs.lock']) writeFileSync(inGit(name), '')
  }

  async #push(act: { readonly kind: string; readonly killedAt?: number | undefined }): Promise<void> {
    if (!this.last) return
    const crossings = this.#fixture.wrapped(killable(act.killedAt))
    const { bare } = this.last
    if (act.kind === 'safetyPush') return this.#safetyPush(() => push(crossings, bare))
    const heads = await readHeads(crossings.git, [bare])
    await publishAll(crossings, [bare], heads, `turn-${this.lines.length}`)
  }

  /** In a clone that is torn it fails; the wrapper logs that, and the next one comes (WORK-PUSH-2). */
  async #safetyPush(push: () => Promise<unknown>): Promise<void> {
    const isWhole = this.#try('rev-parse', '--git-dir') !== undefined
    await push().catch((error: unknown) => {
      if (isWhole || error instanceof Killed) throw error
    })
  }

  async #boot(killedAt: number | undefined): Promise<Checkout> {
    this.last = await this.#fixture.boot({
      ...(this.#isDown ? { url: join(this.dir, 'nowhere.git') } : {}),
      wrap: killable(killedAt),
    })
    return this.last
  }

  /** A wrapper that is killed, or that can't clone while the remote is away, is started again by a later act. */
  async #survive(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Killed) && !this.#isDown) throw error
    }
  }

  /** The agent's own git: it may fail, as it does in a broken repository. */
  #try(...args: readonly string[]): string | undefined {
    try {
      return runGit(this.clone, ...args)
    } catch {
      return undefined
    }
  }
}

/** Every line in a commit that a ref of the volume or of the remote reaches, or in the work tree. */
export function linesReached(world: World): ReadonlySet<string> {
  const found = new Set<string>()
  for (const dir of [world.clone, world.origin]) {
    const commits = runGit(dir, 'rev-list', '--all').split('\n').filter(Boolean)
    for (const line of grep(dir, ...commits)) found.add(line)
  }
  return found
}

export function linesInHead(world: World): ReadonlySet<string> {
  return new Set(grep(world.clone, 'HEAD'))
}

function grep(dir: string, ...revisions: readonly string[]): readonly string[] {
  try {
    const args = ['grep', '--only-matching', '-h', '-I', '-E', 'line-[0-9]+-', ...revisions]
    return execFileSync('git', args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .split('\n')
  } catch {
    return []
  }
}

export function isAtRest(world: World): boolean {
  const marks = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG']
  return (
    runGit(world.clone, 'status', '--porcelain') === '' &&
    readFileSync(join(world.clone, '.git', 'HEAD'), 'utf8').trim() === `ref: refs/heads/${taskBranch}` &&
    !marks.some((mark) => existsSync(join(world.clone, '.git', mark)))
  )
}
