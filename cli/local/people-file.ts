/**
 * What the people of a stack prove themselves by at its forge: a token for the API and a key for its pages, 160 random bits
 * each. New at each start; mode 0600, in the folder that pods may not see (COVERED_DIR).
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { readPrivate, writePrivate } from './private-json.ts'

/** By login. */
export const PeopleFile = Type.Record(Type.String(), Type.Object({ token: Type.String(), key: Type.String() }))
export type PeopleFile = Static<typeof PeopleFile>

export function makePeople(logins: readonly string[]): PeopleFile {
  return Object.fromEntries(logins.map((login) => [login, { token: `ghp_${random()}`, key: random() }]))
}

export function writePeople(dir: string, made: PeopleFile): void {
  writePrivate(fileIn(dir), made)
}

/** Undefined: nothing has been started in this folder. */
export function findPeople(dir: string): PeopleFile | undefined {
  return readPrivate(PeopleFile, fileIn(dir))
}

function fileIn(dir: string): string {
  return join(dir, 'people.json')
}

function random(): string {
  return randomBytes(20).toString('hex')
}
