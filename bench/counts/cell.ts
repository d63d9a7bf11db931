/** The process of a cell: a `CountSpec` as its argument, the counts as its last line. */
import { countCell } from './count-cell.ts'
import type { CountSpec } from './count-cell.ts'

console.log(JSON.stringify(await countCell(JSON.parse(process.argv[2] ?? '') as CountSpec)))
