/**
 * Vitest loads this before each test file, and notes what the file took when it ends: a line of JSON in the file that
 * PROCESSOR_TIMES names. `bin/test.mjs` reads them.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const target = process.env['PROCESSOR_TIMES']
/** Where files share a process, what the file before it left off with. */
const counted = process as NodeJS.Process & { processorSeconds?: number }
/** Of a second, on every Linux that Node runs on. */
const tick = 1 / 100
/** In `/proc/self/stat` behind the name, which may hold anything: utime, stime, and both of children that were waited for. */
const fields = [11, 12, 13, 14]

function processorSeconds(): number {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.reduce((sum, field) => sum + Number(values[field]), 0) * tick
}

if (target !== undefined)
  afterAll(() => {
    const now = processorSeconds()
    const seconds = now - (counted.processorSeconds ?? 0)
    counted.processorSeconds = now
    appendFileSync(
      target,
      `${JSON.stringify({ file: expect.getState().testPath, processor: Number(seconds.toFixed(2)) })}\n`,
    )
  })
