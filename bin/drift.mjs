import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** The checked-in files that are not what their generator writes today, as lines to print. */
export async function drift(root, generators) {
  const found = []
  for (const generator of generators) {
    const outDir = await mkdtemp(join(tmpdir(), 'generated-'))
    try {
      await generator.run(outDir)
      found.push(...(await compare(root, outDir, generator)))
    } finally {
      await rm(outDir, { recursive: true, force: true })
    }
  }
  return found
}

async function compare(root, outDir, { name, files }) {
  const written = await listFiles(outDir, '')
  const kept = (await Promise.all(files.map((path) => listFiles(root, path)))).flat()
  const found = []
  for (const path of new Set([...written, ...kept])) {
    if (!files.some((owned) => path === owned || (owned.endsWith('/') && path.startsWith(owned))))
      found.push(`${path}: ${name} writes it but does not own it`)
    else if (!written.includes(path)) found.push(`${path}: ${name} no longer writes it`)
    else if (!kept.includes(path)) found.push(`${path}: ${name} writes it, it is not checked in`)
    else if (!(await sameBytes(join(root, path), join(outDir, path))))
      found.push(`${path}: differs from what ${name} writes`)
  }
  return found
}

async function listFiles(base, path) {
  const kind = await stat(join(base, path)).catch(() => undefined)
  if (kind === undefined) return []
  if (kind.isFile()) return [path]
  const entries = await readdir(join(base, path), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(base, join(entry.parentPath, entry.name)))
}

async function sameBytes(left, right) {
  return (await readFile(left)).equals(await readFile(right))
}
