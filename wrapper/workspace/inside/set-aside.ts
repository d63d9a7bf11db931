/** Law B2: what an earlier pod left in a work tree is kept, out of the way of whoever would obey it. */
import { existsSync, readdirSync, type Dirent } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { gitText, type Git } from '../git.ts'
import { obeyed } from './own-configuration.ts'
import type { WorkspacePaths } from './places.ts'

const isObeyed = new Set<string>(obeyed)
/** Deeper than people nest; a tree without end must not hold up the boot. */
const maxDepth = 100

/** Untracked configuration anywhere in the tree, ignored folders and repositories within included; answers what was found. */
export async function setPlantedAside({ dir, setAside }: WorkspacePaths, stamp: string): Promise<readonly string[]> {
  const found = findObeyed(dir, 0)
  for (const path of found) await move(path, join(setAside, 'planted', stamp, relative(dir, path)))
  return found.map((path) => relative(dir, path))
}

function findObeyed(folder: string, depth: number): readonly string[] {
  if (depth > maxDepth) return []
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (isObeyed.has(entry.name)) found.push(path)
    else if (entry.isDirectory() && entry.name !== '.git') found.push(...findObeyed(path, depth + 1))
  }
  return found
}

/** What can't be read, nobody obeys. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** A planted `node_modules/.bin` would turn a red suite green: a review sees what is tracked and nothing else. */
export async function setUntrackedAside(git: Git, { dir, setAside }: WorkspacePaths): Promise<void> {
  const listed = await gitText(git, ['ls-files', '-z', '--others', '--directory'], { cwd: dir })
  await rm(join(setAside, 'again'), { recursive: true, force: true })
  for (const path of listed.split('\0').filter(Boolean)) {
    const kept = join(setAside, 'tree', path)
    await move(join(dir, path), existsSync(kept) ? join(setAside, 'again', path) : kept)
  }
}

/** What a review set aside, where nothing else has taken its place. */
export async function bringBack({ dir, setAside }: WorkspacePaths): Promise<void> {
  await mergeInto(join(setAside, 'tree'), dir, 0)
}

async function mergeInto(from: string, to: string, depth: number): Promise<void> {
  for (const name of await readdir(from).catch(() => [])) {
    const [source, target] = [join(from, name), join(to, name)]
    const there = await lstat(target).catch(() => undefined)
    if (there === undefined) await rename(source, target)
    else if (there.isDirectory() && (await lstat(source)).isDirectory() && depth < maxDepth)
      await mergeInto(source, target, depth + 1)
  }
}

/** Within one file system. A folder that is not writable can't be moved to another parent. */
export async function move(from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((path) => path.replace(/\/$/, '')) as [string, string]
  await mkdir(dirname(target), { recursive: true })
  await rm(target, { recursive: true, force: true })
  await rename(source, target).catch(async () => {
    if ((await lstat(source)).isDirectory()) await chmod(source, 0o700)
    await rename(source, target)
  })
}
