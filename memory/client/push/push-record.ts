/**
 * What this machine pushed last, by service and repository. The service knows which contents it has, but not that an
 * unchanged file's names lead elsewhere now, because another file has changed: that is told by what each file gave.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { FilePiece } from '../../extract/graph.ts'

const PushedGraph = Type.Object({
  /** By file: a hash over all that the file gave. */
  files: Type.Record(Type.String(), Type.String()),
  /** The service's version after the push, where it says one. */
  version: Type.Union([Type.Number(), Type.Null()]),
})
export type PushedGraph = Static<typeof PushedGraph>

export interface PushRecord {
  read(): PushedGraph | undefined
  write(pushed: PushedGraph): void
}

export function openPushRecord(cache: string, url: string, repo: string): PushRecord {
  const name = createHash('sha256').update(`${url}\n${repo}`).digest('hex').slice(0, 32)
  const path = join(cache, 'pushed', `${name}.json`)
  return {
    read: () => {
      try {
        const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
        return Value.Check(PushedGraph, value) ? value : undefined
      } catch {
        return undefined
      }
    },
    write: (pushed) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify(pushed), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

export function digestOf({ sha, entities, edges }: FilePiece): string {
  return createHash('sha256')
    .update(JSON.stringify([sha, entities, edges]))
    .digest('hex')
    .slice(0, 32)
}
