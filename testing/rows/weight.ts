import { readHouse, type House } from '../architecture/house.ts'
import { isProduct } from '../architecture/layout.ts'
import { linesOf, typescriptOf } from '../architecture/weight.ts'

export function weighed(root: string, held: number): string {
  return weightLine(readHouse(root), held)
}

/** Lines a held row: what a promise costs to keep. */
export function weightLine(house: House, held: number): string {
  const files = typescriptOf(house)
  const product = linesOf(files.filter(({ path }) => isProduct(path)))
  const aRow = (lines: number): string =>
    `${lines} lines, ${held === 0 ? 'no held row' : `${Math.round(lines / held)} a held row`}`
  return `product: ${aRow(product)}; all TypeScript: ${aRow(linesOf(files))}`
}
