/** Generator: `generated/charts/<kind>.json` for the page and `<kind>.svg` for documents. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allMachines } from '../../../machines/registry.ts'
import { jsonRows } from '../../../runtime/json-rows.ts'
import { chartOf } from './layout.ts'
import { svgOf } from './svg.ts'

/** A state a line, and a line of the drawing a line. */
const chartLevels = 2

const chartFolder = 'edges/inspector/generated/charts/'

export async function writeCharts(outDir: string): Promise<void> {
  const folder = join(outDir, chartFolder)
  await mkdir(folder, { recursive: true })
  for (const definition of allMachines) {
    const chart = await chartOf(definition)
    await writeFile(join(folder, `${definition.kind}.json`), jsonRows(chart, chartLevels))
    await writeFile(join(folder, `${definition.kind}.svg`), svgOf(chart))
  }
}
