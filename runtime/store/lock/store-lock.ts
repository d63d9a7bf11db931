import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { codeOf, StoreLockedError } from '../../errors.ts'

/** Held by one live process. PGlite itself lets two processes open one folder, and rows vanish without an error. */
export interface StoreLock {
  release(): Promise<void>
}

interface Holder {
  readonly pid: number
  /** Tells a process from a later one with the same number; empty where the system does not say. */
  readonly startedAt: string
}

/** Takes the lock file, or throws `StoreLockedError` naming who has it. A dead holder's lock is taken over. */
export async function acquireStoreLock(path: string): Promise<StoreLock> {
  const mine = JSON.stringify({ pid: process.pid, startedAt: await startOf(process.pid) } satisfies Holder)
  for (;;) {
    if (await create(path, mine)) return { release: () => rm(path, { force: true }) }
    const theirs = await contentOf(path)
    if (theirs !== undefined) await breakLock(path, theirs)
  }
}

/**
 * Whoever removes a dead lock holds a lock on doing so: a second one that judged the same file dead would otherwise
 * remove the living lock that came after it.
 */
async function breakLock(path: string, content: string): Promise<void> {
  const holder = parseHolder(content)
  if (holder && (await isAlive(holder))) throw new StoreLockedError(`${path} is held by process ${holder.pid}`)
  const guard = await acquireStoreLock(`${path}.breaking`)
  try {
    if ((await contentOf(path)) === content) await rm(path, { force: true })
  } finally {
    await guard.release()
  }
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}

let attempts = 0

/** A hard link fails when the name exists and shows the whole content at once, which `O_EXCL` and a write do not. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${++attempts}`
  await writeFile(draft, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<Holder>
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined
  } catch {
    return undefined
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  return holder.startedAt === (await startOf(holder.pid))
}

/** Boot id and start tick of the process (Linux); field 22 of `stat`, counted behind the name, which may hold spaces. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    return `${boot.trim()}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return ''
  }
}
