import { readFileSync } from 'node:fs'
import type { House } from './house.ts'

/** A breach of today, or a new one. */
export interface Breach {
  /** What the list names it by: no line numbers, for other edits move them. */
  readonly entry: string
  /** How much of it there is. An entry that is there or not has 1. */
  readonly count: number
  /** `file:line`, for whoever opens the file. */
  readonly at: string
}

/** A rule that the house does not keep everywhere yet, and its list of breaches, which may only shrink. */
export interface Ratchet {
  /** Its list is the file of this name with `.json`. */
  readonly name: string
  readonly breaches: (house: House) => readonly Breach[]
  /** What to do about a breach, as a sentence. */
  readonly remedy: string
  /** By how much the count of an entry may exceed the list; absent: by nothing. A generator lowers what has room. */
  readonly room?: Listed
}

export type Listed = Readonly<Record<string, number>>

/** Every difference from the list, as a line. Room in the list would let a new breach in, so it fails as well. */
export function differences(found: readonly Breach[], listed: Listed, remedy: string, room: Listed = {}): string[] {
  const sums = new Map<string, Breach>()
  for (const breach of found) {
    const before = sums.get(breach.entry)?.count ?? 0
    sums.set(breach.entry, { ...breach, count: before + breach.count })
  }
  const grown = [...sums.values()].flatMap(({ entry, count, at }) => {
    const known = listed[entry]
    if (known !== undefined && count <= known + (room[entry] ?? 0)) return []
    return [`${at} ${entry}: ${count}, the list has ${known ?? 'none'}. ${remedy}`]
  })
  const shrunk = Object.entries(listed).flatMap(([entry, known]) => {
    const count = sums.get(entry)?.count
    if (count === undefined) return [`${entry} is gone: strike it from the list`]
    return count < known && room[entry] === undefined
      ? [`${entry} fell from ${known} to ${count}: write ${count} into the list`]
      : []
  })
  return [...grown, ...shrunk, ...unsorted(listed)]
}

function unsorted(listed: Listed): string[] {
  const entries = Object.keys(listed)
  const wrong = entries.find((entry, index) => index > 0 && entry < entries[index - 1]!)
  return wrong === undefined ? [] : [`${wrong} is out of order: sort the list`]
}

const folder = new URL('.', import.meta.url)

export function readList(name: string): Listed {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Listed
}
