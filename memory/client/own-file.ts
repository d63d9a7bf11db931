/** A file for its owner alone: what logins gave, where servers are. */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'

const ownerOnly = 0o600
const others = 0o077

/** Undefined where it is not there. @throws where another program, or somebody by hand, wrote it. */
export function readOwnFile<S extends TSchema>(path: string, schema: S): Static<S> | undefined {
  const text = textOf(path)
  if (text === undefined) return undefined
  const value = parse(text)
  if (!Value.Check(schema, value))
    throw new Error(`${path} is not what statewright login wrote: remove it and sign in again`)
  return value
}

function textOf(path: string): string | undefined {
  try {
    // Somebody let others read it: what they have read already can't be helped, what comes can.
    if ((statSync(path).mode & others) !== 0) chmodSync(path, ownerOnly)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whole or not at all. */
export function writeOwnFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(value, null, 2)}\n`, { mode: ownerOnly })
  renameSync(`${path}.${process.pid}`, path)
}
