/** Clones of repositories in memory: a folder name stands for a repository, who cloned it and the commit checked out. */
import { basename, dirname, join, relative } from 'node:path'
import type { Forge } from '../forge.ts'
import { bareAt, filesOf, historyOf, keepCommit, keepTree } from '../git/memory/objects.ts'
import { refOf, ZERO_SHA } from '../git/refs.ts'

interface Clone {
  readonly path: string
  readonly login: string
  head: string | undefined
}

interface MemoryClones {
  clone(login: string, name?: string): Promise<string>
  cloneOverHttp(login: string): Promise<string>
  push(folder: string, branch: string, files: Readonly<Record<string, string>>, message?: string): Promise<string>
}

export function memoryClones(
  forge: Forge,
  repositories: string,
  { path: first, defaultBranch }: { readonly path: string; readonly defaultBranch: string },
): MemoryClones {
  const clones = new Map<string, Clone>()
  return {
    cloneOverHttp: () => Promise.reject(new Error('git in memory is not cloned over HTTP')),
    async clone(login, name) {
      const path = name === undefined ? first : join(repositories, 'acme', `${name}.git`)
      const folder = `clone ${clones.size + 1} of ${path}`
      clones.set(folder, { path, login, head: bareAt(path).refs.get(refOf(defaultBranch)) })
      return folder
    },
    async push(folder, branch, files, message = 'Change') {
      const clone = clones.get(folder)
      if (!clone) throw new Error(`nobody cloned ${folder}`)
      const sha = commit(clone, files, message)
      const { path, login } = clone
      const ref = refOf(branch)
      const before = bareAt(path).refs.get(ref) ?? ZERO_SHA
      // Git's client refuses it before it asks the forge.
      if (before !== ZERO_SHA && !historyOf(bareAt(path), sha).includes(before))
        throw new Error(`${branch} is not behind the commit: non-fast-forward`)
      const owner = relative(repositories, dirname(path))
      await forge.receive(`Bearer token-of-${login}`, owner, basename(path), { ref, before, after: sha })
      return sha
    },
  }
}

function commit(clone: Clone, files: Readonly<Record<string, string>>, message: string): string {
  const bare = bareAt(clone.path)
  const old = clone.head === undefined ? [] : [...filesOf(bare, clone.head)]
  const tree = keepTree(bare, new Map([...old, ...Object.entries(files)]))
  const parents = clone.head === undefined ? [] : [clone.head]
  if (clone.head !== undefined && bare.commits.get(clone.head)?.tree === tree) throw new Error('nothing to commit')
  const date = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const person = { name: 'Ann', email: 'ann@example.org', date }
  clone.head = keepCommit(bare, { tree, parents, message, author: person, committer: person })
  return clone.head
}
