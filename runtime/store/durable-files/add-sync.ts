/**
 * Gives NODEFS the sync that it lacks (electric-sql/pglite#1107). Postgres says what to sync and when: WAL before the
 * commit is answered, WAL before data, data before pg_control. It is left to Postgres because nobody knows it better.
 */
import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { isFolder, type FileNode, type FileStream, type NodeFiles } from './node-files.ts'

interface SyncWatch {
  /** A sync failed. Postgres panics on it, and rightly: the kernel may have dropped the pages, and asking again may lie. */
  failed(error: unknown): void
  /** Syncs of WAL went on to another segment. */
  segmentBegun(): void
}

const inWal = /\/pg_wal\/[0-9A-F]{24}$/

export function addSync(files: NodeFiles, disk: Disk, watch: SyncWatch): void {
  const unsyncedFolders = noteNewNames(files)
  let segment = ''

  function syncFolder(path: string): void {
    disk.syncFolder(path)
    unsyncedFolders.delete(path)
  }

  /** POSIX promises a synced file, not its name; Postgres relies on file systems that give both. */
  function syncNames(path: string): void {
    for (let folder = dirname(path); unsyncedFolders.size > 0 && folder !== dirname(folder); folder = dirname(folder)) {
      if (unsyncedFolders.has(folder)) syncFolder(folder)
    }
  }

  function syncWal(fd: number, path: string): void {
    disk.syncBytes(fd, path)
    if (path === segment) return
    segment = path
    watch.segmentBegun()
  }

  function sync(stream: FileStream): void {
    const path = files.realPath(stream.node)
    if (isFolder(stream.node)) return syncFolder(path)
    if (inWal.test(path)) syncWal(stream.nfd, path)
    else disk.syncFile(stream.nfd, path)
    syncNames(path)
  }

  files.stream_ops.fsync = (stream) =>
    files.tryFSOperation(() => {
      try {
        sync(stream)
        return 0
      } catch (error) {
        watch.failed(error)
        throw error
      }
    })
}

/** The folders that got a name since their last sync. A removed name needs none: a file that is back is dead weight only. */
function noteNewNames(files: NodeFiles): Set<string> {
  const folders = new Set<string>()
  const { mknod, rename } = files.node_ops
  const note = (folder: FileNode): void => void folders.add(files.realPath(folder))
  files.node_ops.mknod = (parent, ...rest) => {
    note(parent)
    return mknod(parent, ...rest)
  }
  files.node_ops.rename = (node, newParent, newName) => {
    note(newParent)
    rename(node, newParent, newName)
  }
  return folders
}
