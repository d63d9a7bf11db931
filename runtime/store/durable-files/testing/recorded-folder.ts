/** A `SyncedFolder` that writes down what it does to the files below `dirname(folder)`, in order and with the bytes. */
import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { idleDisk, type Disk } from '../disk.ts'
import { isFolder, type NodeFiles } from '../node-files.ts'
import { SyncedFolder } from '../synced-folder.ts'

/** Paths are relative to the recorded root. A `note` is what the workload was told at that point, as an acknowledgement. */
export type FileOp =
  | { readonly what: 'create'; readonly path: string; readonly folder: boolean }
  | { readonly what: 'write'; readonly path: string; readonly position: number; readonly bytes: Buffer }
  | { readonly what: 'truncate'; readonly path: string; readonly size: number }
  | { readonly what: 'rename'; readonly path: string; readonly to: string }
  | { readonly what: 'remove'; readonly path: string }
  | { readonly what: 'sync'; readonly path: string }
  | { readonly what: 'note'; readonly note: unknown }

export function recordedFolder(folder: string, log: FileOp[]): SyncedFolder {
  const root = dirname(folder)
  const inRoot = (path: string): string => relative(root, path)
  if (!existsSync(folder)) log.push({ what: 'create', path: `${basename(folder)}.new`, folder: true })
  return new SyncedFolder(folder, recordingDisk(log, inRoot), (files) => record(files, log, inRoot))
}

/** The bytes need not reach the real disk: what a cut leaves is made from the log. */
function recordingDisk(log: FileOp[], inRoot: (path: string) => string): Disk {
  const sync = (path: string): void => void log.push({ what: 'sync', path: inRoot(path) })
  return {
    syncBytes: (_, path) => sync(path),
    syncFile: (_, path) => sync(path),
    syncFolder: sync,
    syncEntry: async (path) => sync(path),
    rename(from, to) {
      idleDisk.rename(from, to)
      log.push({ what: 'rename', path: inRoot(from), to: inRoot(to) })
    },
  }
}

function record(files: NodeFiles, log: FileOp[], inRoot: (path: string) => string): void {
  recordNames(files, log, inRoot)
  recordBytes(files, log, inRoot)
}

function recordNames(files: NodeFiles, log: FileOp[], inRoot: (path: string) => string): void {
  const { mknod, rename, unlink, rmdir } = files.node_ops
  const pathIn = (parent: Parameters<typeof unlink>[0], name: string): string =>
    inRoot(join(files.realPath(parent), name))
  files.node_ops.mknod = (parent, name, mode, dev) => {
    const node = mknod(parent, name, mode, dev)
    log.push({ what: 'create', path: pathIn(parent, name), folder: isFolder(node) })
    return node
  }
  files.node_ops.rename = (node, parent, name) => {
    const path = inRoot(files.realPath(node))
    rename(node, parent, name)
    log.push({ what: 'rename', path, to: pathIn(parent, name) })
  }
  files.node_ops.unlink = (parent, name) => {
    unlink(parent, name)
    log.push({ what: 'remove', path: pathIn(parent, name) })
  }
  files.node_ops.rmdir = (parent, name) => {
    rmdir(parent, name)
    log.push({ what: 'remove', path: pathIn(parent, name) })
  }
}

function recordBytes(files: NodeFiles, log: FileOp[], inRoot: (path: string) => string): void {
  const { write, setattr } = files.stream_ops
  const { setattr: setattrOfNode } = files.node_ops
  files.stream_ops.write = (stream, buffer, offset, length, position) => {
    const written = write(stream, buffer, offset, length, position)
    const bytes = Buffer.from(buffer.slice(offset, offset + written))
    log.push({ what: 'write', path: inRoot(files.realPath(stream.node)), position, bytes })
    return written
  }
  files.stream_ops.setattr = (stream, attributes) => {
    setattr(stream, attributes)
    if (attributes.size !== undefined)
      log.push({ what: 'truncate', path: inRoot(files.realPath(stream.node)), size: attributes.size })
  }
  files.node_ops.setattr = (node, attributes) => {
    setattrOfNode(node, attributes)
    if (attributes.size !== undefined)
      log.push({ what: 'truncate', path: inRoot(files.realPath(node)), size: attributes.size })
  }
}
