/** Texts with orders in them: one file each, the folder is the family. What a text orders stands nowhere but in it. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Where a text of the family stands when an agent comes upon it. */
export const families = [
  'issues',
  'titles',
  'comments',
  'memories',
  'merge-requests',
  'files',
  'ci-logs',
  'commits',
  'labels',
  'branch-names',
  'check-names',
  'file-names',
] as const
export type Family = (typeof families)[number]

export interface CorpusText {
  readonly name: string
  readonly family: Family
  readonly text: string
}

export const ownCorpus = new URL('corpus', import.meta.url).pathname

/** A text outside of a folder with a family's name is played as an issue. */
export function readCorpus(dir: string): readonly CorpusText[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(dir, path)).isFile())
    .toSorted()
    .map((path) => ({
      name: path,
      family: families.find((one) => path.split(sep).includes(one)) ?? 'issues',
      text: readFileSync(join(dir, path), 'utf8'),
    }))
}

/** Of each family so many, drawn by the seed. */
export function sampleOf(corpus: readonly CorpusText[], each: number, seed: number): readonly CorpusText[] {
  return families.flatMap((family) => {
    const own = corpus.filter((one) => one.family === family)
    return Array.from({ length: Math.min(each, own.length) }, (_, index) => own[(seed + index * 7) % own.length]!)
  })
}
