import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Undefined where there is none, or none that can be read. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** All of it or nothing is there after a crash; only this user reads it. */
export function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
