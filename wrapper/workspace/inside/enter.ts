import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gitSucceeds, gitText, type Git } from '../git.ts'
import { keptRef, oldRef, remoteRef } from '../repository.ts'
import type { Entered, Entry } from '../requests.ts'
import { reconcile } from './checkout.ts'
import { dropReplaced, setGitAside } from './gather.ts'
import { markMoving, undoMove, unmarkMoving, wasMoving } from './moving.ts'
import { configure } from './own-configuration.ts'
import type { WorkspacePaths } from './places.ts'
import { RepositoryReader } from './reader.ts'
import { commitAll } from './repair.ts'
import { bringBack, setPlantedAside, setUntrackedAside } from './set-aside.ts'

/** An empty repository without a template, where `path` names it. */
export async function begin(git: Git, { name }: WorkspacePaths, path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  await gitText(git, ['init', '--quiet', '--template=', '--initial-branch=none', '.'], { cwd: path })
  await configure(join(path, '.git'), name)
}

/**
 * Puts the fresh repository, which the wrapper filled, under the files that lie there, and reconciles it. Whatever
 * lay at the target is kept: its commits came over the wire, its files become a commit where git had lost them.
 */
export async function enter(git: Git, workspacePaths: WorkspacePaths, entry: Entry): Promise<Entered> {
  const { dir, fresh } = workspacePaths
  await placeHead(git, fresh, entry)
  await restoreLoose(git, fresh, entry.stamp)
  if (entry.salvaged?.wasMoving) await markMoving(join(fresh, '.git'))
  await setGitAside(workspacePaths, entry.isCarried)
  const committed = await placeFiles(git, workspacePaths, entry)
  await dropReplaced(workspacePaths, entry.isCarried, entry.stamp)
  if (!entry.isReview) await bringBack(workspacePaths)
  const { name, base, branch, sha, stamp } = entry
  const repository = { name, dir, url: '', base, branch, sha }
  const { result, findings } = await reconcile(git, repository, stamp, entry.fetchFailed)
  if (entry.isReview) await setUntrackedAside(git, workspacePaths)
  await leaveOut(git, dir)
  const planted = await setPlantedAside(workspacePaths, stamp)
  // What was tracked among it is gone from the tree now, and no deletion.
  if (planted.length > 0) await leaveOut(git, dir)
  return {
    result,
    findings: [
      ...salvageFindings(workspacePaths, entry, committed),
      ...findings,
      ...plantedFindings(workspacePaths, planted),
    ],
  }
}

/** HEAD goes to where the files of the work tree came from: only so is their commit what the agent changed. */
async function placeHead(git: Git, staging: string, { head, branch, base, start }: Entry): Promise<void> {
  const reader = new RepositoryReader(git, staging)
  const own = `refs/heads/${branch}`
  const run = { cwd: staging }
  if (head !== undefined && head !== own && head !== (await reader.sha(own)) && (await reader.sha(head))) {
    if (head.startsWith('refs/')) await gitText(git, ['symbolic-ref', 'HEAD', head], run)
    else await gitText(git, ['update-ref', '--no-deref', 'HEAD', head], run)
    return
  }
  const tips = [own, remoteRef(branch), remoteRef(base), ...(start === undefined ? [] : [remoteRef(start)])]
  await gitText(git, ['symbolic-ref', 'HEAD', own], run)
  for (const tip of tips) {
    const sha = await reader.sha(tip)
    if (sha !== undefined) return void (await gitText(git, ['update-ref', own, sha], run))
  }
}

/** What had no ref that is carried gets back what it was: the stash entry by entry, the oldest first, and the tags. */
async function restoreLoose(git: Git, dir: string, stamp: string): Promise<void> {
  const run = { cwd: dir }
  const format = '--format=%(objectname) %(refname)'
  const patterns = [oldRef(''), 'refs/tags/']
  const listed = await gitText(git, ['for-each-ref', '--sort=-refname', format, ...patterns], run)
  const refs = listed.split('\n').filter(Boolean)
  const known = new Map(refs.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]))
  const updates: string[] = []
  for (const [ref, sha] of known) {
    // Until HEAD stands there, only this names it.
    if (!ref.startsWith(oldRef('')) || ref === oldRef('head')) continue
    const name = ref.slice(oldRef('').length)
    const kept = keptRef(`${stamp}-${name.replaceAll('/', '-')}`)
    const isStash = name.startsWith('stash/')
    const target = isStash ? kept : known.get(`refs/${name}`) === undefined ? `refs/${name}` : kept
    const isThere = isStash ? await store(git, dir, sha) : known.get(`refs/${name}`) === sha
    if (!isThere) updates.push(`update ${target} ${sha}`)
    updates.push(`delete ${ref}`)
  }
  if (updates.length > 0) await gitText(git, ['update-ref', '--stdin'], { cwd: dir, input: `${updates.join('\n')}\n` })
}

async function store(git: Git, dir: string, sha: string): Promise<boolean> {
  const subject = await gitText(git, ['log', '-1', '--format=%s', sha], { cwd: dir })
  return gitSucceeds(git, ['stash', 'store', '--quiet', '--message', subject, sha], { cwd: dir })
}

/** Puts the repository under the files that lie there; true when they became a commit. */
async function placeFiles(git: Git, { dir, fresh }: WorkspacePaths, { salvaged, stamp }: Entry): Promise<boolean> {
  const files = existsSync(dir) ? await readdir(dir) : []
  if (files.length === 0) {
    if (await new RepositoryReader(git, fresh).sha('HEAD'))
      await gitText(git, ['reset', '--hard', '--quiet'], { cwd: fresh })
    await unmarkMoving(join(fresh, '.git'))
    await rm(dir, { recursive: true, force: true })
    await rename(fresh, dir)
    return false
  }
  await rename(join(fresh, '.git'), join(dir, '.git'))
  await rm(fresh, { recursive: true, force: true })
  await gitText(git, ['reset', '--quiet'], { cwd: dir })
  if (wasMoving(join(dir, '.git'))) return (await undoMove(git, dir, stamp), false)
  // Of a tree that was repaired nothing is left to commit.
  const committed = await commitAll(git, dir, 'Keep the files of a workspace whose repository data was unusable')
  return committed && salvaged !== undefined
}

/** Takes out of the work tree what the sparse checkout leaves out, which a merge may have put there. */
export async function leaveOut(git: Git, dir: string): Promise<void> {
  await git(['update-index', '--quiet', '--refresh'], { cwd: dir })
  await git(['sparse-checkout', 'reapply'], { cwd: dir })
}

function salvageFindings(
  { name }: WorkspacePaths,
  { salvaged, isCarried }: Entry,
  committed: boolean,
): readonly string[] {
  const left = isCarried
    ? []
    : [
        `Not all commits of the earlier git data of ${name} could be carried over; it lies in the folder .broken of the workspace.`,
      ]
  const refs = salvaged?.refs ?? []
  if (refs.length === 0 && !committed) return left
  const commits = refs.length > 0 ? ` Its own commits were carried over: ${refs.join(', ')}.` : ''
  const files = committed
    ? ' The files that lay there were committed; check that commit for files that are older than the branch.'
    : ''
  return [`The git data of ${name} was unusable, so it was cloned anew.${commits}${files}`, ...left]
}

function plantedFindings({ name }: WorkspacePaths, planted: readonly string[]): readonly string[] {
  if (planted.length === 0) return []
  return [
    `Untracked configuration of ${name} was moved to the folder .set-aside of the workspace: ${planted.slice(0, 10).join(', ')}.`,
  ]
}
