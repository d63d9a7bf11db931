import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * What carries bytes and names over a loss of power. Paths are absolute. A test puts a disk here that fails, or one
 * that notes what was asked of it; on macOS Node asks for `F_FULLFSYNC`, because there `fsync` alone leaves the drive's
 * cache as it is.
 */
export interface Disk {
  /** The file's bytes and its length. */
  syncBytes(fd: number, path: string): void
  /** The bytes and everything else about the file. */
  syncFile(fd: number, path: string): void
  /** The names in a folder: what was created in it, renamed or removed. */
  syncFolder(path: string): void
  /** A file or folder that is not open, along with others: a file system that journals commits them together. */
  syncEntry(path: string): Promise<void>
  rename(from: string, to: string): void
}

export const realDisk: Disk = {
  syncBytes: (fd) => fdatasyncSync(fd),
  syncFile: (fd) => fsyncSync(fd),
  syncFolder(path) {
    const fd = openSync(path, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  },
  async syncEntry(path) {
    const file = await open(path, 'r')
    await file.sync().finally(() => file.close())
  },
  rename: (from, to) => renameSync(from, to),
}

/** Syncs nothing: for a folder of which nobody asks that it outlives anything. */
export const idleDisk: Disk = {
  syncBytes: () => undefined,
  syncFile: () => undefined,
  syncFolder: () => undefined,
  syncEntry: () => Promise.resolve(),
  rename: realDisk.rename,
}
