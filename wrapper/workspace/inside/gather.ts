import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gitText, type Git } from '../git.ts'
import { keptRef, oldRef } from '../repository.ts'
import type { Gathered, Salvaged } from '../requests.ts'
import { wasMoving } from './moving.ts'
import { configure } from './own-configuration.ts'
import type { WorkspacePaths } from './places.ts'
import { RepositoryReader } from './reader.ts'
import { isUsableClone, repair } from './repair.ts'
import { salvageInto } from './salvage.ts'
import { move } from './set-aside.ts'
import { messageOf } from '../../errors.ts'

const nothing: Gathered = { state: 'none', refs: [], findings: [], aborted: [], sweptLocks: [], committed: false }
const maxRefs = 4000

/** In a `.git` that was replaced: the fresh one holds everything of it. */
const carriedMark = 'statewright-carried'

/**
 * Makes ready what an earlier pod left: its configuration is gone before git looks at it, what was going on is
 * repaired, and everything that a fresh `.git` must hold has a ref.
 */
export async function gather(git: Git, workspacePaths: WorkspacePaths, stamp: string): Promise<Gathered> {
  const { dir } = workspacePaths
  await recover(workspacePaths, stamp)
  for (const staging of [workspacePaths.fresh, workspacePaths.rescue])
    await rm(staging, { recursive: true, force: true })
  if (!existsSync(dir)) return nothing
  await configure(join(dir, '.git'), workspacePaths.name)
  if (!(await isUsableClone(git, dir))) return { ...nothing, state: 'broken' }
  try {
    const repaired = await repair(git, dir, stamp)
    const head = await nameLoose(git, dir, stamp)
    return {
      ...repaired,
      aborted: [...repaired.aborted],
      state: 'usable',
      head,
      refs: await refsOf(git, dir),
      findings: [],
      sweptLocks: [...repaired.sweptLocks],
    }
  } catch (error) {
    const finding = `The clone of ${workspacePaths.name} could not be resumed: ${messageOf(error)}`
    return { ...nothing, state: 'broken', findings: [finding] }
  }
}

/** A kill between the steps of `replaceGit` leaves the old `.git` where it was set aside. */
async function recover({ dir, replaced, left }: WorkspacePaths, stamp: string): Promise<void> {
  // A file or link where the clone belongs is kept as what it is.
  const found = await lstat(dir).catch(() => undefined)
  if (found && !found.isDirectory()) await move(dir, `${left(stamp)}.file`)
  if (!existsSync(replaced)) return
  if (!existsSync(join(dir, '.git'))) {
    await mkdir(dir, { recursive: true })
    await rename(replaced, join(dir, '.git'))
  } else if (existsSync(join(replaced, carriedMark))) await rm(replaced, { recursive: true, force: true })
  else await rename(replaced, left(stamp))
}

/** Takes the old `.git` out of its place. */
export async function setGitAside({ dir, replaced }: WorkspacePaths, isCarried: boolean): Promise<void> {
  const old = join(dir, '.git')
  if (!existsSync(old)) return
  if (isCarried && (await lstat(old)).isDirectory()) await writeFile(join(old, carriedMark), '')
  await mkdir(dirname(replaced), { recursive: true })
  await rm(replaced, { recursive: true, force: true })
  await rename(old, replaced)
}

/** Once the fresh `.git` stands in its place. */
export async function dropReplaced(
  { replaced, left }: WorkspacePaths,
  isCarried: boolean,
  stamp: string,
): Promise<void> {
  if (!existsSync(replaced)) return
  if (isCarried) await rm(replaced, { recursive: true, force: true })
  else await rename(replaced, left(stamp))
}

/** Gives a ref to what has none that is carried: a detached HEAD, entries of the stash, heads of other work trees, tags. */
async function nameLoose(git: Git, dir: string, stamp: string): Promise<string> {
  const run = { cwd: dir }
  const old = await gitText(git, ['for-each-ref', '--format=delete %(refname)', oldRef('')], run)
  const named = [...(await stashes(git, dir)), ...(await otherHeads(dir, stamp)), ...(await tags(git, dir))]
  const branch = await new RepositoryReader(git, dir).branch()
  const head = branch === undefined ? await gitText(git, ['rev-parse', 'HEAD'], run) : `refs/heads/${branch}`
  if (branch === undefined) named.push([oldRef('head'), head])
  const input = [...old.split('\n').filter(Boolean), ...named.map(([ref, sha]) => `update ${ref} ${sha}`), ''].join(
    '\n',
  )
  if (input !== '') await gitText(git, ['update-ref', '--stdin'], { cwd: dir, input })
  return head
}

async function stashes(git: Git, dir: string): Promise<[ref: string, sha: string][]> {
  const listed = await git(['log', '--walk-reflogs', '--format=%H', 'refs/stash', '--'], { cwd: dir })
  const entries = listed.code === 0 ? listed.stdout.split('\n').filter(Boolean) : []
  return entries.map((sha, index) => [oldRef(`stash/${String(index).padStart(4, '0')}`), sha])
}

async function tags(git: Git, dir: string): Promise<[ref: string, sha: string][]> {
  const format = '--format=%(refname:lstrip=2) %(objectname)'
  const listed = await gitText(git, ['for-each-ref', format, 'refs/tags/'], { cwd: dir })
  return listed
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([name, sha = '']) => [oldRef(`tags/${name}`), sha])
}

async function otherHeads(dir: string, stamp: string): Promise<[ref: string, sha: string][]> {
  const root = join(dir, '.git', 'worktrees')
  const found: [string, string][] = []
  for (const [index, name] of (await readdir(root).catch(() => [])).entries()) {
    const head = (await readFile(join(root, name, 'HEAD'), 'utf8').catch(() => '')).trim()
    if (/^[0-9a-f]{40}$/.test(head)) found.push([keptRef(`${stamp}-worktree-${index}`), head])
  }
  return found
}

async function refsOf(git: Git, dir: string): Promise<string[]> {
  const patterns = ['refs/heads/', keptRef(''), oldRef('')]
  const listed = await gitText(git, ['for-each-ref', '--format=%(refname)', ...patterns], { cwd: dir })
  return listed.split('\n').filter(Boolean).slice(0, maxRefs)
}

/** Reads what git itself no longer reads. */
export async function salvage(git: Git, { dir, rescue }: WorkspacePaths, stamp: string): Promise<Salvaged> {
  const broken = join(dir, '.git')
  const { refs, head } = await salvageInto(git, rescue, broken, stamp)
  return { refs: refs.slice(0, maxRefs), wasMoving: wasMoving(broken), ...(head === undefined ? {} : { head }) }
}
