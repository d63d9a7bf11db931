/**
 * A disk as POSIX promises it and no better. A file's bytes are safe when the file was synced, a name when its folder
 * was; whatever else was done may or may not be there after the power came back, in any part and order.
 */
import type { FileOp } from './recorded-folder.ts'

export interface FileInode {
  readonly kind: 'file'
  readonly synced: Bytes
  pending: BytesOp[]
}

export interface FolderInode {
  readonly kind: 'folder'
  readonly synced: Map<string, Inode>
  pending: NameOp[]
}

export type Inode = FileInode | FolderInode

export type BytesOp = Extract<FileOp, { what: 'write' | 'truncate' }>

/** Names that come and go together: a rename within a folder is never half done. */
export type NameOp = readonly { readonly name: string; readonly inode: Inode | undefined }[]

export class Bytes {
  #buffer = Buffer.alloc(0)
  #length = 0

  apply(op: BytesOp): void {
    if (op.what === 'truncate') return this.#resize(op.size)
    this.#resize(Math.max(this.#length, op.position + op.bytes.length))
    op.bytes.copy(this.#buffer, op.position)
  }

  content(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #resize(length: number): void {
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#buffer.length))
      this.content().copy(larger)
      this.#buffer = larger
    }
    if (length < this.#length) this.#buffer.fill(0, length, this.#length)
    this.#length = length
  }
}

export function newFolder(): FolderInode {
  return { kind: 'folder', synced: new Map(), pending: [] }
}

/** What the disk holds, safely or not, after the first `count` operations of the log. */
export function diskAfter(log: readonly FileOp[], count: number): FolderInode {
  const root = newFolder()
  for (const op of log.slice(0, count)) if (op.what !== 'note') apply(root, op)
  return root
}

function apply(root: FolderInode, op: Exclude<FileOp, { what: 'note' }>): void {
  const { folder, name } = placeOf(root, op.path)
  if (op.what === 'create') folder.pending.push([{ name, inode: op.folder ? newFolder() : newFile() }])
  else if (op.what === 'remove') folder.pending.push([{ name, inode: undefined }])
  else if (op.what === 'rename') rename(root, op)
  else if (op.what === 'sync') sync(inodeAt(root, op.path))
  else bytesAt(root, op.path).pending.push(op)
}

function newFile(): FileInode {
  return { kind: 'file', synced: new Bytes(), pending: [] }
}

function rename(root: FolderInode, { path, to }: Extract<FileOp, { what: 'rename' }>): void {
  const from = placeOf(root, path)
  const target = placeOf(root, to)
  const leave = { name: from.name, inode: undefined }
  const arrive = { name: target.name, inode: inodeAt(root, path) }
  if (from.folder === target.folder) from.folder.pending.push([leave, arrive])
  else {
    from.folder.pending.push([leave])
    target.folder.pending.push([arrive])
  }
}

function sync(inode: Inode): void {
  if (inode.kind === 'file') for (const op of inode.pending) inode.synced.apply(op)
  else applyNames(inode.synced, inode.pending)
  inode.pending = []
}

export function applyNames(names: Map<string, Inode>, ops: readonly NameOp[]): void {
  for (const { name, inode } of ops.flat()) {
    if (inode) names.set(name, inode)
    else names.delete(name)
  }
}

function placeOf(root: FolderInode, path: string): { readonly folder: FolderInode; readonly name: string } {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  const folder = parts.length === 0 ? root : inodeAt(root, parts.join('/'))
  if (folder.kind === 'file') throw new Error(`${path} lies in a file`)
  return { folder, name }
}

/** As a running system sees it. */
function inodeAt(root: FolderInode, path: string): Inode {
  let inode: Inode = root
  for (const name of path === '' ? [] : path.split('/')) {
    const next: Inode | undefined = inode.kind === 'folder' ? lookup(inode, name) : undefined
    if (!next) throw new Error(`the log names ${path}, which is not there`)
    inode = next
  }
  return inode
}

function lookup(folder: FolderInode, name: string): Inode | undefined {
  const last = folder.pending.flat().findLast((entry) => entry.name === name)
  return last ? last.inode : folder.synced.get(name)
}

function bytesAt(root: FolderInode, path: string): FileInode {
  const inode = inodeAt(root, path)
  if (inode.kind === 'folder') throw new Error(`${path} is a folder`)
  return inode
}
