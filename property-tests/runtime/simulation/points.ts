/**
 * Where a process can die: around each statement of each SQL verb, around each handler's work, at a timer of its own
 * and while it hints another process. The verbs are the store's files that the runtime reaches, one verb a file, so that a new
 * one is a new point without anybody's doing.
 */
import { readFileSync } from 'node:fs'

const runtimeFolder = new URL('../../../runtime/', import.meta.url)

/** Files that speak SQL and are no verb: drivers and migrations. */
const noVerbs = /^(migrate|pg-|pglite-|session-sql|sql)/

export const effectTypes = ['call', 'callInOrder', 'fileNote', 'merge'] as const

/** What the runtime reaches, of the store's files, and speaks SQL. */
const verbs: readonly string[] = [...filesBehind(new URL('create-runtime.ts', runtimeFolder))]
  .flatMap(([file, source]) => (/\.(query|exec|tx)[<(]/.test(source) ? (verbOf(file) ?? []) : []))
  .toSorted()

function filesBehind(file: URL, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(file.href)) return found
  const source = readFileSync(file, 'utf8')
  found.set(file.href, source)
  for (const [, path] of source.matchAll(/^import (?!type )[^;']*? from '(\.{1,2}\/[^']+)'/gm))
    filesBehind(new URL(path!, file), found)
  return found
}

function verbOf(address: string): string | undefined {
  const name = /\/runtime\/store\/(?:[a-z]+\/)?([a-z-]+)\.ts/.exec(address)?.[1]
  return name !== undefined && !noVerbs.test(name) ? name : undefined
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
  for (const [, name] of held.stack!.matchAll(/\/runtime\/store\/(?:[a-z]+\/)?([a-z-]+)\.ts/g))
    if (!noVerbs.test(name!)) return name!
  return 'unnamed'
}
