import { existsSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gitSucceeds, gitText, type Git } from '../git.ts'
import { addAll, keepState } from './keep.ts'
import { undoMove, wasMoving } from './moving.ts'
import { RepositoryReader } from './reader.ts'

/**
 * Resume repairs instead of trusting (WORKSPACE-3 to WORKSPACE-7): locks swept, operations in progress aborted, uncommitted
 * work committed, never stashed. No line the agent wrote is lost: what an abort would drop is first kept as a
 * commit under `refs/statewright/kept/`.
 */
interface RepairReport {
  readonly sweptLocks: readonly string[]
  readonly aborted: readonly string[]
  readonly kept?: string
  readonly committed: boolean
}

interface Operation {
  readonly name: string
  readonly mark: string
  readonly abort: readonly string[]
  /** Instead, when HEAD is on a branch again: the abort would move that branch back over what came after. */
  readonly quit?: readonly string[]
}

/** In this order: a rebase that stops in a cherry-pick has both marks, and its own abort clears the inner one. */
const operations: readonly Operation[] = [
  { name: 'rebase', mark: 'rebase-merge', abort: ['rebase', '--abort'], quit: ['rebase', '--quit'] },
  { name: 'am', mark: 'rebase-apply/applying', abort: ['am', '--abort'] },
  { name: 'rebase', mark: 'rebase-apply', abort: ['rebase', '--abort'], quit: ['rebase', '--quit'] },
  { name: 'merge', mark: 'MERGE_HEAD', abort: ['merge', '--abort'] },
  { name: 'cherry-pick', mark: 'CHERRY_PICK_HEAD', abort: ['cherry-pick', '--abort'] },
  { name: 'revert', mark: 'REVERT_HEAD', abort: ['revert', '--abort'] },
  { name: 'sequence', mark: 'sequencer', abort: ['cherry-pick', '--abort'] },
  { name: 'bisect', mark: 'BISECT_LOG', abort: ['bisect', 'reset'] },
]

/**
 * Can git work here at all? A folder without commits or with a broken `.git` can't be resumed, nor one where an object of
 * a commit that no remote has is torn or gone: it could never be pushed.
 */
export async function isUsableClone(git: Git, dir: string): Promise<boolean> {
  if (!statSync(join(dir, '.git'), { throwIfNoEntry: false })?.isDirectory()) return false
  const run = { cwd: dir }
  return (
    (await gitSucceeds(git, ['rev-parse', '--git-dir'], run)) &&
    (await gitSucceeds(git, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}'], run)) &&
    (await gitSucceeds(git, ['for-each-ref', '--count=1'], run)) &&
    (await gitSucceeds(git, ['rev-list', '--quiet', '--verify-objects', 'HEAD', '--not', '--remotes=origin'], run))
  )
}

export async function repair(git: Git, dir: string, stamp: string): Promise<RepairReport> {
  const sweptLocks = await sweepLocks(join(dir, '.git'))
  await dropBrokenIndex(git, dir)
  if (wasMoving(join(dir, '.git'))) {
    await abortAll(git, dir)
    await undoMove(git, dir, stamp)
  }
  const pending = operations.find((operation) => existsSync(join(dir, '.git', operation.mark)))
  const kept = pending && (await keepState(git, dir, `${stamp}-${pending.name}`))
  const aborted = await abortAll(git, dir)
  const committed = await commitAll(git, dir, 'Keep uncommitted work of an interrupted session')
  return { sweptLocks, aborted, committed, ...(kept ? { kept } : {}) }
}

/**
 * Commits everything that is not ignored; false when there was nothing. What git can't add (a repository without a commit
 * inside this one, a file that can't be read) stays where it is and keeps nothing else back.
 */
export async function commitAll(git: Git, dir: string, message: string): Promise<boolean> {
  if (!(await new RepositoryReader(git, dir).isDirty())) return false
  await git(addAll, { cwd: dir })
  if (await gitSucceeds(git, ['diff', '--cached', '--quiet'], { cwd: dir })) return false
  await gitText(git, ['commit', '--quiet', '--no-verify', '-m', message], { cwd: dir })
  return true
}

async function abortAll(git: Git, dir: string): Promise<readonly string[]> {
  const aborted: string[] = []
  for (const operation of operations) {
    const mark = join(dir, '.git', operation.mark)
    if (!existsSync(mark)) continue
    const { quit, abort } = operation
    const ending = quit && (await new RepositoryReader(git, dir).branch()) !== undefined ? quit : abort
    const clean = await gitSucceeds(git, ending, { cwd: dir })
    // The work tree is kept already, so a mark that its own abort can't clear is cleared by force.
    if (!clean || existsSync(mark)) await clearByForce(git, dir, operation.mark.replace(/\/.*/, ''))
    aborted.push(operation.name)
  }
  return aborted
}

async function clearByForce(git: Git, dir: string, mark: string): Promise<void> {
  await git(['reset', '--hard', '--quiet', 'HEAD'], { cwd: dir })
  await rm(join(dir, '.git', mark), { recursive: true, force: true })
}

/** A half-written index can't be read; HEAD rebuilds it and the work tree is untouched. */
async function dropBrokenIndex(git: Git, dir: string): Promise<void> {
  if (await gitSucceeds(git, ['ls-files', '--stage', '-z'], { cwd: dir })) return
  await rm(join(dir, '.git', 'index'), { force: true })
  await gitText(git, ['reset', '--quiet'], { cwd: dir })
}

async function sweepLocks(gitDir: string): Promise<readonly string[]> {
  const entries = await readdir(gitDir, { recursive: true, withFileTypes: true })
  const locks = entries.filter(
    (entry) => entry.isFile() && entry.name.endsWith('.lock') && !entry.parentPath.includes(`${gitDir}/objects`),
  )
  for (const lock of locks) await rm(join(lock.parentPath, lock.name), { force: true })
  return locks.map((lock) => join(lock.parentPath, lock.name).slice(gitDir.length + 1))
}
