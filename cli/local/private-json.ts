/** A file that only its owner reads: it holds keys. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** Whole or not at all. */
export function writePrivate(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Undefined: it is not there, or another release wrote it in another form. */
export function readPrivate<S extends TSchema>(schema: S, file: string): Static<S> | undefined {
  if (!existsSync(file)) return undefined
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return Value.Check(schema, value) ? value : undefined
}
