import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk } from './disk.ts'

/** More than Node has threads for files: each takes the next one when it is done. */
const together = 16

/** Syncs every file and folder below a folder, and the folder. */
export async function syncTree(folder: string, disk: Disk): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const queue = [...paths, folder].values()
  await Promise.all(Array.from({ length: together }, () => syncNext(queue, disk)))
}

async function syncNext(queue: Iterable<string>, disk: Disk): Promise<void> {
  for (const path of queue) await disk.syncEntry(path)
}
