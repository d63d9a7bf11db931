import type { House } from './house.ts'
import { isProduct } from './layout.ts'
import type { Listed, Ratchet } from './ratchet.ts'
import type { SourceFile } from './source.ts'

/** A change that adds a test need not edit the list; a few changes together must. */
const ROOM_LINES = 500

const laboratory = ['bench', 'property-tests', 'standins'] as const
const kits = 'test kits'
const room: Listed = Object.fromEntries([...laboratory, kits].map((name) => [name, ROOM_LINES]))

/** Unlike the other lists this one holds totals: what is weighed is no breach by itself. */
export const weight: Ratchet = {
  name: 'weight',
  remedy: 'Delete as much elsewhere, or raise the number and name in the commit what you looked at to delete.',
  breaches: (house) =>
    Object.entries(weigh(house)).map(([entry, count]) => ({ entry, count, at: 'testing/architecture/weight.json' })),
  room,
}

/** All TypeScript: also what the layout does not rule. */
export function typescriptOf({ files, others }: House): readonly SourceFile[] {
  return [...files, ...others].filter(({ path }) => /\.tsx?$/.test(path))
}

export function linesOf(files: readonly SourceFile[]): number {
  return sumOf(files, ({ lines }) => lines)
}

/** The list as a generator writes it: no number is higher than before. */
export function lowered(house: House, listed: Listed): Listed {
  return Object.fromEntries(
    Object.entries(weigh(house)).map(([entry, count]) => [entry, Math.min(count, listed[entry] ?? count)]),
  )
}

/** Sorted by name. */
function weigh(house: House): Listed {
  const files = typescriptOf(house)
  const product = files.filter(({ path }) => isProduct(path))
  const lines = (name: string): number => linesOf(files.filter(({ path }) => partOf(path) === name))
  return {
    '!': sumOf(product, ({ nonNulls }) => nonNulls),
    bench: lines('bench'),
    casts: sumOf(product, ({ casts }) => casts),
    'property-tests': lines('property-tests'),
    standins: lines('standins'),
    [kits]: lines(kits),
  }
}

/** A kit of the laboratory is weighed with its folder, so no line counts twice. */
function partOf(path: string): string | undefined {
  const part = laboratory.find((name) => path.startsWith(`${name}/`))
  return part ?? (/(^|\/)(testing|contract)\//.test(path) ? kits : undefined)
}

function sumOf(files: readonly SourceFile[], countOf: (file: SourceFile) => number): number {
  return files.reduce((sum, file) => sum + countOf(file), 0)
}
