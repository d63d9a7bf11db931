import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../on-node-24.mjs'

const path = 'testing/architecture/weight.json'

/** The numbers of the ratchet `weight`, lowered to today's. A person raises one by hand, for a reason. */
export const weight = {
  name: 'bin/generators/weight.mjs',
  files: [path],
  async run(outDir) {
    const { readHouse } = await import('../../testing/architecture/house.ts')
    const { lowered } = await import('../../testing/architecture/weight.ts')
    // The drift check writes into an empty folder; the numbers to lower are those of the checkout.
    const listed = JSON.parse(await readFile(join(root, path), 'utf8'))
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), `${JSON.stringify(lowered(readHouse(root), listed), undefined, 2)}\n`)
  },
}
