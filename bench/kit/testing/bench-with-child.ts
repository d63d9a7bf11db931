/** A bench in the middle of its cells: one child serves, another measures for ever. */
import { lastLineOf, startServing } from '../child.ts'
import { onInterrupt } from '../interrupted.ts'

const program = new URL('./lasting.ts', import.meta.url)
const options = { argument: {}, boundMs: 60_000 }
onInterrupt(async () => undefined)
await startServing(program, options)
await lastLineOf(program, options)
