/** What of a repository a service has: written after each job that ended, so that a run that was cut goes on there. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'

const Pending = Type.Object({
  job: Type.String(),
  stored: Type.Record(Type.String(), Type.String()),
  gone: Type.Array(Type.String()),
})

const IngestState = Type.Object({
  /** HEAD when all its commits were in. */
  commit: Type.Union([Type.String(), Type.Null()]),
  /** By file: the hash of what was stored. */
  stored: Type.Record(Type.String(), Type.String()),
  /** A job that was accepted and not seen ending. */
  pending: Type.Union([Pending, Type.Null()]),
})
export type IngestState = Static<typeof IngestState>

export interface StateFile {
  read(): IngestState
  write(state: IngestState): void
}

export function stateFile(cache: string, url: string, repo: string): StateFile {
  const name = createHash('sha256').update(`${url}\n${repo}`).digest('hex').slice(0, 32)
  const path = join(cache, 'ingested', `${name}.json`)
  return {
    read: () => {
      try {
        const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
        if (Value.Check(IngestState, value)) return value
      } catch {
        // None yet: everything is sent, and what the service has is skipped by its keys.
      }
      return { commit: null, stored: {}, pending: null }
    },
    write: (state) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
