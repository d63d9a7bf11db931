import { closeSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './disk.ts'

/** Syncs every file of a folder, and every folder after what lies in it. */
export function syncTree(folder: string, disk: Disk): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path, disk)
    else if (entry.isFile()) syncOne(path, disk)
  }
  disk.syncFolder(folder)
}

function syncOne(path: string, disk: Disk): void {
  const fd = openSync(path, 'r')
  try {
    disk.syncFile(fd, path)
  } finally {
    closeSync(fd)
  }
}
