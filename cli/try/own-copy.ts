/**
 * The last commit of a person's repository, taken into a bare one of ours. Nothing of that repository runs: git never stands in
 * it with its configuration, except to serve its objects, where git obeys no command that a repository names.
 */
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { UsageError } from '../args.ts'
import { git } from '../local/git-seed.ts'

export interface OwnCopy {
  /** The bare repository. */
  readonly path: string
  readonly branch: string
  readonly commit: string
  /** In words: what the copy lacks of what lies in the folder. */
  readonly leftOut: readonly string[]
  /** Files above 50 MB: they come, and slow each checkout. */
  readonly large: readonly string[]
}

/** Above this a file slows each checkout, and forges refuse it. */
const largeBytes = 50 * 1024 * 1024
const pointer = '^version https://git-lfs.github.com/spec/v1$'
const promisor = String.raw`^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$`
const pointerLimit = 1024

/** @throws UsageError in one sentence, before anything is written. */
export async function copyOwn(given: string, to: string): Promise<OwnCopy> {
  const { root, branch, commit } = await readOwn(given)
  mkdirSync(to, { recursive: true, mode: 0o700 })
  await git(to, 'init', '--quiet', '--bare', `--initial-branch=${branch}`, '.')
  await git(to, 'fetch', '--quiet', '--no-auto-maintenance', root, `+${commit}:refs/heads/${branch}`)
  const files = namesIn(await git(to, 'ls-tree', '-r', '-l', '-z', 'HEAD')).flatMap(fileOf)
  const large = files.filter(({ size }) => size > largeBytes).map(({ path }) => path)
  return { path: to, branch, commit, leftOut: await leftOutOf(root, to, files), large }
}

/** One of an earlier start. */
export async function openOwn(path: string): Promise<OwnCopy> {
  const [branch, commit] = [await git(path, 'symbolic-ref', '--short', 'HEAD'), await git(path, 'rev-parse', 'HEAD')]
  return { path, branch, commit, leftOut: [], large: [] }
}

interface Own {
  readonly root: string
  readonly branch: string
  readonly commit: string
}

async function readOwn(given: string): Promise<Own> {
  if (!existsSync(given)) throw new UsageError(`there is no folder ${given}`)
  if (!statSync(given).isDirectory()) throw new UsageError(`${given} is no folder`)
  const ask = (...args: readonly string[]): Promise<string | undefined> =>
    git(given, 'rev-parse', ...args).catch(() => undefined)
  const isBare = await git(given, 'rev-parse', '--is-bare-repository').catch((error: unknown) => {
    throw new UsageError(
      String(error).includes('dubious ownership')
        ? `${given} belongs to another user, and git reads no such repository`
        : `${given} is no git repository: git init and a commit make one`,
    )
  })
  if (isBare === 'true') throw new UsageError(`${given} is a bare repository: clone it, and try the clone`)
  // Git would ask the remote for what is missing, by a command that the repository names.
  const promised = await git(given, 'config', '--get-regexp', promisor).catch(() => '')
  if (promised !== '') throw new UsageError(`${given} is a partial clone: a full clone can be tried`)
  const root = await ask('--show-toplevel')
  // A repository may name another folder as its own: what lies there is none of its files.
  if (root === undefined || !isBelow(realpathSync(given), realpathSync(root)) || !existsSync(join(root, '.git')))
    throw new UsageError(`${given} is not inside the working tree of its repository`)
  const commit = await ask('--quiet', '--verify', 'HEAD^{commit}')
  if (commit === undefined) throw new UsageError(`${root} has no commit yet: git commit makes one`)
  if ((await ask('--is-shallow-repository')) === 'true')
    throw new UsageError(`${root} is a shallow clone: git fetch --unshallow brings the rest`)
  const named = await git(root, 'symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => 'main')
  return { root, commit, branch: named }
}

/** Of the folder our git reads names and contents alone: the configuration, and with it each filter, is the copy's. */
async function leftOutOf(root: string, copy: string, files: readonly TreeFile[]): Promise<readonly string[]> {
  const submodules = files.filter(({ type }) => type === 'commit')
  const lfs = await pointersAmong(copy, files)
  await git(copy, 'read-tree', 'HEAD')
  const exclude = await git(root, 'rev-parse', '--path-format=absolute', '--git-path', 'info/exclude')
  const read = [
    `--git-dir=${copy}`,
    '-c',
    'core.bare=false',
    '-c',
    `core.excludesFile=${exclude}`,
    `--work-tree=${root}`,
  ]
  const list = async (...args: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set(namesIn(await git(root, ...read, 'ls-files', '-z', ...args)))
  const known = new Set([...submodules.map(({ path }) => path), ...lfs])
  const changed = [...(await list('--modified'))].filter((path) => !known.has(path))
  const untracked = await list('--others', '--directory', '--exclude-standard')
  return [
    ...counted(changed.length, 'file', 'changed since the last commit'),
    ...counted(untracked.size, 'file or folder', 'that git does not track'),
    ...counted(submodules.length, 'submodule', 'of which the copy has an empty folder'),
    ...counted(lfs.length, 'file', 'of Git LFS, of which the copy has the pointer'),
  ]
}

interface TreeFile {
  readonly type: string
  readonly size: number
  readonly path: string
}

/** A line of `ls-tree -l`. */
function fileOf(line: string): readonly TreeFile[] {
  const [, type = '', size = '', path = ''] = /^\d+ (\w+) \w+ +(\S+)\t(.*)$/s.exec(line) ?? []
  return path === '' ? [] : [{ type, size: Number(size) || 0, path }]
}

async function pointersAmong(copy: string, files: readonly TreeFile[]): Promise<readonly string[]> {
  const found = await git(copy, 'grep', '-l', '-z', '-e', pointer, 'HEAD').catch(() => '')
  const small = new Set(files.filter(({ size }) => size < pointerLimit).map(({ path }) => path))
  return namesIn(found)
    .map((name) => name.slice('HEAD:'.length))
    .filter((path) => small.has(path))
}

function namesIn(list: string): readonly string[] {
  return list.split('\0').filter((name) => name !== '')
}

function counted(count: number, one: string, words: string): readonly string[] {
  return count === 0
    ? []
    : [`${count} ${count === 1 ? one : `${one.replace(/(file|folder|submodule)/g, '$1s')}`} ${words}`]
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root + sep)
}
