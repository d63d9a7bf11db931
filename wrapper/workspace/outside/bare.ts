/**
 * The wrapper's private copy of one repository, made anew in every pod and out of the agent's view (law B1). Only it is
 * pushed, and only it is fetched into with the pod's credential; what it holds of the agent's work came over the wire.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gitSucceeds, gitText, lastLines, type Git } from '../git.ts'
import { agentRef, pinnedRef, remoteRef, type BranchTips, type Repository } from '../repository.ts'
import type { Wire } from './wire.ts'

/** What the bare repository of `repository` is reached by. */
export interface Bare {
  readonly repository: Repository
  readonly dir: string
}

export async function makeBare(git: Git, bareDir: string, name: string): Promise<string> {
  const dir = join(bareDir, `${name}.git`)
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await gitText(git, ['init', '--quiet', '--bare', '--template=', '--initial-branch=none', '.'], { cwd: dir })
  return dir
}

/** Every branch and tag of the remote, as they stand now; answers why not. */
export function refresh(git: Git, dir: string, url: string): Promise<string | undefined> {
  return fetchRemote(git, dir, url, [url, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'])
}

/** One branch of the remote, as it stands now; answers why not. */
export function refreshBranch(git: Git, { dir, repository }: Bare, branch: string): Promise<string | undefined> {
  const { url } = repository
  return fetchRemote(git, dir, url, [url, `+refs/heads/${branch}:${remoteRef(branch)}`])
}

/** The exact head under review, which may lie on no branch any more; answers why not. */
export async function pin(git: Git, dir: string, url: string, sha: string): Promise<string | undefined> {
  const isHere = await gitSucceeds(git, ['cat-file', '-e', `${sha}^{commit}`], { cwd: dir })
  const failure = isHere ? undefined : await fetchRemote(git, dir, url, [url, sha])
  if (failure === undefined) await gitText(git, ['update-ref', pinnedRef(sha), sha], { cwd: dir })
  return failure
}

async function fetchRemote(
  git: Git,
  dir: string,
  remote: string,
  args: readonly string[],
): Promise<string | undefined> {
  const result = await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...args], { cwd: dir, remote })
  return result.code === 0 ? undefined : lastLines(result.stderr)
}

/** The branch that the remote's HEAD names. */
export async function defaultBranch(git: Git, dir: string, url: string): Promise<string> {
  const remote = await git(['ls-remote', '--symref', url, 'HEAD'], { cwd: dir, remote: url })
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(remote.stdout)?.[1] ?? 'main'
}

/** Where the bare repository has the work branch, as the agent and as the remote have it, and the base. */
export async function tips(git: Git, { dir, repository: { branch, base } }: Bare): Promise<BranchTips> {
  const asked = { head: agentRef(branch), remote: remoteRef(branch), base: remoteRef(base) }
  const format = '--format=%(objectname) %(refname)'
  const refs = (await gitText(git, ['for-each-ref', format, ...Object.values(asked)], { cwd: dir })).split('\n')
  // A name matches what lies below it too.
  const tip = (ref: string): string | undefined => refs.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0]
  return { head: tip(asked.head), remote: tip(asked.remote), base: tip(asked.base) }
}

/** The work branch as the clone has it now, and no other ref; answers why not. */
export async function takeWork(wire: Wire, { dir, repository }: Bare): Promise<string | undefined> {
  const { branch, dir: clone } = repository
  const refspecs = [`+refs/heads/${branch}:${agentRef(branch)}`]
  const result = await wire({ direction: 'take', bare: dir, clone, refspecs })
  return result.code === 0 ? undefined : `the work could not be taken out of the clone: ${lastLines(result.stderr)}`
}

/** A branch that stands where the remote has it needs no transfer. */
export async function adoptWork(git: Git, { dir, repository }: Bare, sha: string): Promise<void> {
  await gitText(git, ['update-ref', agentRef(repository.branch), sha], { cwd: dir })
}

/** Brings the clone's own ref of a remote branch up to what the bare repository has; answers why not. */
export async function serveRemote(wire: Wire, { dir, repository }: Bare, branch: string): Promise<string | undefined> {
  const ref = remoteRef(branch)
  const result = await wire({ direction: 'serve', bare: dir, clone: repository.dir, refspecs: [`+${ref}:${ref}`] })
  return result.code === 0 ? undefined : lastLines(result.stderr)
}

export async function isPartOf(git: Git, { dir }: Bare, older: string, newer: string): Promise<boolean> {
  return older === newer || gitSucceeds(git, ['merge-base', '--is-ancestor', older, newer], { cwd: dir })
}

/** A file of the base branch; undefined when there is none. */
export function readBaseFile(git: Git, { dir, repository }: Bare, path: string): Promise<string | undefined> {
  return gitText(git, ['cat-file', 'blob', `${remoteRef(repository.base)}:${path}`], { cwd: dir }).catch(
    () => undefined,
  )
}
