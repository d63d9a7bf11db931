/** Builds the folder that a loss of power leaves: what was synced, and of the rest whatever the mode lets through. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../../random.ts'
import { applyNames, Bytes, diskAfter, type BytesOp, type FolderInode, type NameOp } from './disk-model.ts'
import type { FileOp } from './recorded-folder.ts'

/**
 * `synced`: nothing but what was synced. `all`: everything, as when only the process died. `torn`: some of it, each
 * file and folder in its own way, and of a write some sectors only.
 */
export const cutModes = ['synced', 'torn', 'all'] as const
export type CutMode = (typeof cutModes)[number]

export interface PowerCut {
  /** How many operations of the log were done. */
  readonly at: number
  readonly mode: CutMode
  readonly random: Random
}

/** What a drive writes whole: Postgres relies on it for pg_control. */
const sectorBytes = 512

export function leaveAfter(log: readonly FileOp[], cut: PowerCut, target: string): void {
  mkdirSync(target, { recursive: true })
  leaveFolder(diskAfter(log, cut.at), cut, target)
}

function leaveFolder(folder: FolderInode, cut: PowerCut, target: string): void {
  const names = new Map(folder.synced)
  applyNames(names, survivors(folder.pending, cut))
  for (const [name, inode] of names) {
    const path = join(target, name)
    if (inode.kind === 'folder') {
      mkdirSync(path, { recursive: true })
      leaveFolder(inode, cut, path)
    } else writeFileSync(path, bytesLeft(inode.synced, inode.pending, cut))
  }
}

function bytesLeft(synced: Bytes, pending: readonly BytesOp[], cut: PowerCut): Buffer {
  const ops = survivors(pending, cut)
  if (ops.length === 0) return synced.content()
  const left = new Bytes()
  left.apply({ what: 'write', path: '', position: 0, bytes: synced.content() })
  for (const op of cut.mode === 'torn' ? ops.flatMap((op) => torn(op, cut.random)) : ops) left.apply(op)
  return left.content()
}

function survivors<Op extends BytesOp | NameOp>(pending: readonly Op[], { mode, random }: PowerCut): readonly Op[] {
  if (mode === 'synced') return []
  if (mode === 'all') return pending
  const way = random()
  if (way < 0.2) return []
  if (way < 0.4) return pending
  if (way < 0.7) return pending.slice(0, Math.floor(random() * (pending.length + 1)))
  return pending.filter(() => random() < 0.5)
}

/** Every third write loses sectors. */
function torn(op: BytesOp, random: Random): readonly BytesOp[] {
  if (op.what === 'truncate' || random() > 1 / 3) return [op]
  const sectors: BytesOp[] = []
  for (let at = 0; at < op.bytes.length; at = nextSector(op.position + at) - op.position) {
    const bytes = op.bytes.subarray(at, nextSector(op.position + at) - op.position)
    if (random() < 0.5) sectors.push({ ...op, position: op.position + at, bytes })
  }
  return sectors
}

function nextSector(position: number): number {
  return (Math.floor(position / sectorBytes) + 1) * sectorBytes
}
