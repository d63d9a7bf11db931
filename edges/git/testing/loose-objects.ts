/** Objects written as git writes them, without a process for each: half the time of a test of trees was git making them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

/** A file's text, a link's target or a submodule's commit. */
export type Put = string | { readonly link: string } | { readonly gitlink: string }
export type Tree = Readonly<Record<string, Put>>

/** In a bare repository: exactly this tree, which no checkout need be able to make. */
export function writeCommit(dir: string, tree: Tree, parents: readonly string[], at: number): string {
  const by = `a <a> ${Math.floor(at / 1000)} +0000`
  const lines = [
    `tree ${writeTree(dir, Object.entries(tree))}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${by}`,
    `committer ${by}`,
  ]
  return writeObject(dir, 'commit', Buffer.from(`${lines.join('\n')}\n\nx\n`))
}

interface Entry {
  readonly mode: string
  readonly name: string
  readonly sha: string
}

function writeTree(dir: string, puts: readonly (readonly [path: string, put: Put])[]): string {
  const byName = Map.groupBy(puts, ([path]) => path.split('/')[0]!)
  const entries = [...byName].map(([name, inside]): Entry => {
    const below = inside.map(([path, put]) => [path.slice(name.length + 1), put] as const)
    const own = below.find(([path]) => path === '')
    if (own === undefined) return { mode: '40000', name, sha: writeTree(dir, below) }
    if (below.length > 1) throw new Error(`${name} is a file and a folder`)
    return { name, ...written(dir, own[1]) }
  })
  const sorted = entries
    .map((entry) => ({ ...entry, key: Buffer.from(entry.mode === '40000' ? `${entry.name}/` : entry.name) }))
    .toSorted((one, other) => Buffer.compare(one.key, other.key))
  const parts = sorted.flatMap(({ mode, name, sha }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')])
  return writeObject(dir, 'tree', Buffer.concat(parts))
}

function written(dir: string, put: Put): Omit<Entry, 'name'> {
  if (typeof put === 'string') return { mode: '100644', sha: writeObject(dir, 'blob', Buffer.from(put)) }
  if ('gitlink' in put) return { mode: '160000', sha: put.gitlink }
  return { mode: '120000', sha: writeObject(dir, 'blob', Buffer.from(put.link)) }
}

function writeObject(dir: string, type: 'blob' | 'commit' | 'tree', body: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
  const sha = createHash('sha1').update(bytes).digest('hex')
  const folder = join(dir, 'objects', sha.slice(0, 2))
  const file = join(folder, sha.slice(2))
  if (existsSync(file)) return sha
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, deflateSync(bytes))
  return sha
}
