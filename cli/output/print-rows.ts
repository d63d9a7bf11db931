import { print, printError } from './terminal.ts'

interface List<Item> {
  /** Of an empty one. */
  readonly none: string
  readonly lines: (items: readonly Item[]) => readonly string[]
}

/** `asJson`: a line for each item; an empty list is said beside the output, where no program takes it for an item. */
export function printRows<Item>(items: readonly Item[], asJson: boolean, { none, lines }: List<Item>): void {
  if (asJson) for (const item of items) print(JSON.stringify(item))
  if (items.length > 0 && !asJson) print(lines(items))
  if (items.length === 0) (asJson ? printError : print)(none)
}
