import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RepositoryConfig } from '../boot/repositories.ts'
import { gitText, type Git } from './git.ts'
import { markMoving, undoMove, unmarkMoving, wasMoving } from './moving.ts'
import { commitAll } from './repair.ts'
import { remoteRef, RepositoryReader } from './repository.ts'
import { salvageInto, type Salvaged } from './salvage.ts'

export interface CloneOptions {
  readonly git: Git
  readonly workspaceDir: string
  readonly taskBranch: string
  /** Names kept work; unique per boot. */
  readonly stamp: string
}

/**
 * Clones beside the target and renames, so that a clone that a crash cut short is never taken for a workspace. Whatever
 * lay at the target is kept: the commits of its `.git` are carried over, the `.git` itself is set aside, and its files
 * become a commit where they stood. Answers what the agent must know.
 */
export async function cloneInto(
  config: RepositoryConfig,
  dir: string,
  options: CloneOptions,
): Promise<readonly string[]> {
  const { git, workspaceDir, stamp } = options
  const staging = `${dir}.cloning`
  const aside = join(workspaceDir, '.broken', `${config.name}.git`)
  await rm(staging, { recursive: true, force: true })
  await mkdir(workspaceDir, { recursive: true })
  await gitText(git, ['clone', '--quiet', '--origin', 'origin', '--', config.url, staging], {
    cwd: workspaceDir,
    remote: true,
  })
  const isNew = !existsSync(dir)
  if (isNew && !existsSync(aside)) return (await rename(staging, dir), [])
  // A crash between the two renames below leaves only the one set aside.
  const broken = existsSync(join(dir, '.git')) ? join(dir, '.git') : aside
  const salvaged = await salvageInto(git, staging, broken, stamp)
  await placeHead(git, staging, salvaged, config.branch || options.taskBranch)
  if (wasMoving(broken)) await markMoving(join(staging, '.git'))
  if (existsSync(join(dir, '.git'))) await setAside(join(dir, '.git'), aside)
  const committed = await placeFiles(git, dir, staging, stamp)
  return findings(config.name, salvaged, committed)
}

/** HEAD goes to where the files of the work tree came from: only so is their commit what the agent changed. */
async function placeHead(git: Git, staging: string, { head }: Salvaged, branch: string): Promise<void> {
  const reader = new RepositoryReader(git, staging)
  const own = `refs/heads/${branch}`
  const run = { cwd: staging }
  if (head !== undefined && head !== own && head !== (await reader.sha(own))) {
    if (head.startsWith('refs/')) await gitText(git, ['symbolic-ref', 'HEAD', head], run)
    else await gitText(git, ['update-ref', '--no-deref', 'HEAD', head], run)
    return
  }
  const start = (await reader.sha(own)) ?? (await reader.sha(remoteRef(branch))) ?? (await reader.sha('HEAD'))
  if (start === undefined) return
  await gitText(git, ['update-ref', own, start], run)
  await gitText(git, ['symbolic-ref', 'HEAD', own], run)
}

async function setAside(from: string, aside: string): Promise<void> {
  await mkdir(dirname(aside), { recursive: true })
  await rm(aside, { recursive: true, force: true })
  await rename(from, aside)
}

/** Puts the clone under the files that lie there; true when they became a commit. */
async function placeFiles(git: Git, dir: string, staging: string, stamp: string): Promise<boolean> {
  const files = existsSync(dir) ? await readdir(dir) : []
  if (files.length === 0) {
    await gitText(git, ['reset', '--hard', '--quiet'], { cwd: staging })
    await unmarkMoving(join(staging, '.git'))
    await rm(dir, { recursive: true, force: true })
    await rename(staging, dir)
    return false
  }
  await rename(join(staging, '.git'), join(dir, '.git'))
  await rm(staging, { recursive: true, force: true })
  await gitText(git, ['reset', '--quiet'], { cwd: dir })
  if (wasMoving(join(dir, '.git'))) return (await undoMove(git, dir, stamp), false)
  return commitAll(git, dir, 'Keep the files of a workspace whose repository data was unusable')
}

function findings(name: string, { refs }: Salvaged, committed: boolean): readonly string[] {
  if (refs.length === 0 && !committed) return []
  const commits = refs.length > 0 ? ` Its own commits were carried over: ${refs.join(', ')}.` : ''
  const files = committed
    ? ' The files that lay there were committed; check that commit for files that are older than the branch.'
    : ''
  return [`The git data of ${name} was unusable, so it was cloned anew.${commits}${files}`]
}
