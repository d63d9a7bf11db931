/**
 * Emscripten's NODEFS, by which PGlite reaches the files of the machine: as much of it as is used here. One object per
 * PGlite, and every node and stream asks it for its operations, so what is put into them holds for that PGlite only.
 */
export interface NodeFiles {
  realPath(node: FileNode): string
  /** Turns an error of Node into the errno that Postgres is told. */
  tryFSOperation<T>(run: () => T): T
  readonly node_ops: NodeOps
  readonly stream_ops: StreamOps
}

export interface FileNode {
  readonly parent: FileNode
  readonly name: string
  readonly mode: number
}

export interface FileStream {
  readonly node: FileNode
  readonly nfd: number
}

interface NodeOps {
  mknod(parent: FileNode, name: string, mode: number, dev: number): FileNode
  setattr(node: FileNode, attributes: { readonly size?: number }): void
  rename(node: FileNode, newParent: FileNode, newName: string): void
  unlink(parent: FileNode, name: string): void
  rmdir(parent: FileNode, name: string): void
}

interface StreamOps {
  write(stream: FileStream, buffer: Uint8Array, offset: number, length: number, position: number): number
  setattr(stream: FileStream, attributes: { readonly size?: number }): void
  /** Absent in NODEFS: without it a sync is answered as done and nothing happens. Returns 0, or throws an errno. */
  fsync?(stream: FileStream): number
}

const kindOfMode = 0o170000
const folderKind = 0o040000

export function isFolder(node: FileNode): boolean {
  return (node.mode & kindOfMode) === folderKind
}
