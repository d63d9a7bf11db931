import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../runtime/clock.ts'
import { extract, type Extraction } from '../extract.ts'

const programDir = fileURLToPath(new URL('../../../', import.meta.url))

export function folderOf(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'extract-'))
  writeFiles(dir, files)
  return dir
}

export function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}

export function extractFrom(dir: string): Promise<Extraction> {
  return extract({ dir, programDir, clock: systemClock, threads: 1 })
}

/** Edges of some relations as `from relation to confidence`, sorted; of imports those of files and packages, beside which symbols stand. */
export async function edgesOf(
  files: Readonly<Record<string, string>>,
  ...relations: readonly string[]
): Promise<string[]> {
  const { pieces } = await extractFrom(folderOf(files))
  return pieces
    .flatMap(({ edges }) => edges)
    .filter(({ relation, to }) => relations.includes(relation) && (relation !== 'imports' || !to.includes('#')))
    .map(({ from, relation, to, confidence }) => `${from} ${relation} ${to} ${confidence}`)
    .toSorted()
}
