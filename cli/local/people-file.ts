/**
 * What the people of a stack prove themselves by at its forge: a token for the API and a key for its pages, 160 random bits
 * each. New at each start; mode 0600, in the folder that pods may not see (COVERED_DIR).
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'

/** By login. */
export const PeopleFile = Type.Record(Type.String(), Type.Object({ token: Type.String(), key: Type.String() }))
export type PeopleFile = Static<typeof PeopleFile>

export function makePeople(logins: readonly string[]): PeopleFile {
  return Object.fromEntries(logins.map((login) => [login, { token: `ghp_${random()}`, key: random() }]))
}

export function writePeople(dir: string, made: PeopleFile): void {
  writeFileSync(`${fileIn(dir)}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${fileIn(dir)}.new`, fileIn(dir))
}

/** Undefined: nothing has been started in this folder. */
export function findPeople(dir: string): PeopleFile | undefined {
  if (!existsSync(fileIn(dir))) return undefined
  const value: unknown = JSON.parse(readFileSync(fileIn(dir), 'utf8'))
  return Value.Check(PeopleFile, value) ? value : undefined
}

function fileIn(dir: string): string {
  return join(dir, 'people.json')
}

function random(): string {
  return randomBytes(20).toString('hex')
}
