/**
 * A bare copy of each repository, in which pushes are looked at before the forge sees them. It holds the forge's
 * branches and nothing of a push: what pods send lies in a folder of its own until the forge has taken it.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { credentials, gitOrThrow, type GitResult, type RunGit } from './run-git.ts'

type RepositoryRef = Pick<Remote, 'project' | 'repository' | 'forgeId'>

export interface Remote {
  /** Uid of the Project resource. */
  readonly project: string
  /** Name of the Repository resource. */
  readonly repository: string
  /** The forge's own id: objects of another repository that had the name are never in sight (MIRROR-7). */
  readonly forgeId: string
  readonly url: string
  readonly token: string
}

export interface CachedRepository {
  readonly dir: string
  /** Branches as the forge had them at the last update: full ref to object. */
  heads(): Promise<ReadonlyMap<string, string>>
  /** A folder for the objects of one push; gone when `use` is done. */
  quarantine<T>(use: (quarantine: Quarantine) => Promise<T>): Promise<T>
}

export interface Quarantine {
  /** git with the pushed objects in sight. */
  git(args: readonly string[], input?: AsyncIterable<Buffer>): Promise<GitResult>
  /** Brings one commit that no branch of the forge may have; false when the forge does not give it. */
  bring(sha: string): Promise<boolean>
  /** Sends one commit on to the forge, never by force. */
  pushOn(after: string, ref: string): Promise<GitResult>
}

export interface GitCache {
  /** The copy, brought up to what the forge has now. */
  update(remote: Remote): Promise<CachedRepository>
  /** Takes the copy away (MIRROR-8). */
  forget(repositoryRef: RepositoryRef): Promise<void>
}

export function createGitCache({ dir, run }: { readonly dir: string; readonly run: RunGit }): GitCache {
  const tails = new Map<string, Promise<unknown>>()
  /** Copies that this process has begun or mended: one that it died in the middle of is begun again. */
  const begun = new Set<string>()

  async function begin(folder: string): Promise<void> {
    if (begun.has(folder) && existsSync(join(folder, 'HEAD'))) return
    await mkdir(join(folder, 'quarantine'), { recursive: true, mode: 0o700 })
    await gitOrThrow(run, { dir: folder, args: ['init', '--quiet', '--bare', '.'] })
    begun.add(folder)
  }

  async function bring(remote: Remote): Promise<CachedRepository> {
    const folder = join(dir, folderOf(remote))
    await begin(folder)
    const args = [
      'fetch',
      '--quiet',
      '--prune',
      '--no-tags',
      '--force',
      '--no-auto-gc',
      remote.url,
      '+refs/heads/*:refs/heads/*',
    ]
    await gitOrThrow(run, { dir: folder, args, env: credentials(remote.url, remote.token) })
    return cached(run, folder, remote)
  }

  /** Calls for one repository follow one another. */
  function inTurn<T>(repositoryRef: RepositoryRef, work: () => Promise<T>): Promise<T> {
    const key = folderOf(repositoryRef)
    const mine = (tails.get(key) ?? Promise.resolve()).then(work, work)
    const tail = mine.catch(() => undefined)
    tails.set(key, tail)
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    return mine
  }

  return {
    update: (remote) => inTurn(remote, () => bring(remote)),
    forget: (repositoryRef) =>
      inTurn(repositoryRef, async () => {
        const folder = join(dir, folderOf(repositoryRef))
        await rm(folder, { recursive: true, force: true })
        // Of a Project with nothing left.
        await rmdir(dirname(folder)).catch(() => undefined)
      }),
  }
}

function folderOf({ project, repository, forgeId }: RepositoryRef): string {
  return join(encodeURIComponent(project), `${encodeURIComponent(`${repository}#${forgeId}`)}.git`)
}

function cached(run: RunGit, dir: string, remote: Remote): CachedRepository {
  return {
    dir,
    async heads() {
      const out = await gitOrThrow(run, {
        dir,
        args: ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads'],
      })
      const lines = out.split('\n').filter((line) => line !== '')
      return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
    },
    async quarantine(use) {
      const folder = await mkdtemp(join(dir, 'quarantine', 'push-'))
      const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(dir, 'objects') }
      try {
        await mkdir(join(folder, 'pack'))
        return await use({
          git: (args, input) => run({ dir, args, env, ...(input === undefined ? {} : { input }) }),
          bring: (sha) => bringCommit((args, own) => run({ dir, args, env: { ...env, ...own } }), remote, sha),
          pushOn: (after, ref) =>
            run({
              dir,
              args: ['push', '--porcelain', '--no-verify', remote.url, `${after}:${ref}`],
              env: { ...env, ...credentials(remote.url, remote.token) },
            }),
        })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

type RunThere = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<GitResult>

async function bringCommit(git: RunThere, { url, token }: Remote, sha: string): Promise<boolean> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return false
  if ((await git(['cat-file', '-e', `${sha}^{commit}`])).code === 0) return true
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc', url, sha]
  if ((await git(fetch, credentials(url, token))).code !== 0) return false
  return (await git(['cat-file', '-e', `${sha}^{commit}`])).code === 0
}
