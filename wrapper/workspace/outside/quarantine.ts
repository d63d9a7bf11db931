/**
 * What an agent sent stays apart until git has checked all of it (law B1). Some checks of a fetch end after its pack is stored.
 * What such a fetch left in the repository would pass for known, and the next one would take it unchecked.
 */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

interface Quarantine {
  /** For the git that takes. */
  readonly env: Readonly<Record<string, string>>
  /** Makes what came a part of the repository. */
  admit(): Promise<void>
  close(): Promise<void>
}

export async function openQuarantine(bare: string): Promise<Quarantine> {
  const objects = join(bare, 'objects')
  const incoming = await mkdtemp(join(objects, 'incoming-'))
  return {
    env: { GIT_OBJECT_DIRECTORY: incoming, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) },
    admit: () => move(incoming, objects),
    close: () => rm(incoming, { recursive: true, force: true }),
  }
}

async function move(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const file of files.toSorted((a, b) => Number(isIndex(a)) - Number(isIndex(b)))) {
    const target = join(to, relative(from, file))
    await mkdir(dirname(target), { recursive: true })
    await rename(file, target)
  }
}

/** A pack is looked for by its index, which therefore comes last. */
function isIndex(file: string): boolean {
  return file.endsWith('.idx')
}
