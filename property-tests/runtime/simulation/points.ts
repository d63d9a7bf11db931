/**
 * Where a process can die: around each statement of each SQL verb, around each handler's work, at a timer of its own
 * and while it hints another process. The verbs are the store's files that the runtime imports, one verb a file, so that a new
 * one is a new point without anybody's doing.
 */
import { readFileSync, readdirSync } from 'node:fs'

const runtimeFolder = new URL('../../../runtime/', import.meta.url)
const storeFolder = new URL('store/', runtimeFolder)

/** Files that speak SQL and are no verb: drivers and migrations. */
const noVerbs = /^(migrate|pg-|pglite-|session-sql|sql)/

export const effectTypes = ['call', 'callInOrder', 'fileNote', 'merge'] as const

/** What the running runtime imports of the store, and speaks SQL. */
const verbs: readonly string[] = [...new Set(readdirSync(runtimeFolder).flatMap(importedVerbs))]
  .filter((name) => /\.(query|exec|tx)[<(]/.test(readFileSync(new URL(`${name}.ts`, storeFolder), 'utf8')))
  .toSorted()

function importedVerbs(file: string): string[] {
  if (!file.endsWith('.ts') || file.endsWith('.test.ts')) return []
  const source = readFileSync(new URL(file, runtimeFolder), 'utf8')
  const names = [...source.matchAll(/from '\.\/store\/([a-z-]+)\.ts'/g)].map((match) => match[1]!)
  return names.filter((name) => !noVerbs.test(name))
}

export const crashPoints: readonly string[] = [
  ...verbs.flatMap((verb) => [`${verb}: not sent`, `${verb}: done and not heard`]),
  ...effectTypes.flatMap((type) => [`${type}: asked and not begun`, `${type}: done and not settled`]),
  'timer: about to fire',
  'hint: about to be sent',
]

/** The file of the verb that is asking, found on the stack: no statement need be recognised by its text. */
export function callingVerb(): string {
  const held: { stack?: string } = {}
  Error.captureStackTrace(held, callingVerb)
  for (const [, name] of held.stack!.matchAll(/\/runtime\/store\/([a-z-]+)\.ts/g))
    if (!noVerbs.test(name!)) return name!
  return 'unnamed'
}
