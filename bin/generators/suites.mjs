import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../on-node-24.mjs'

const path = 'testing/suites.json'

/** The test files that share a process, by what they import. */
export const suites = {
  name: 'bin/generators/suites.mjs',
  files: [path],
  async run(outDir) {
    const { readHouse } = await import('../../testing/architecture/house.ts')
    const { suitesOf } = await import('../../testing/suites.ts')
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), `${JSON.stringify(suitesOf(readHouse(root).files), null, 2)}\n`)
  },
}
