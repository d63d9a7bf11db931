/**
 * initdb takes two seconds of CPU and makes the same cluster each time. The first store of an installation keeps what it
 * made beside the installed packages; every later store copies it.
 */
import { constants } from 'node:fs'
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { threadId } from 'node:worker_threads'

/** A tar of a cluster's folder, or undefined where nothing can be kept: then initdb makes each cluster. */
export async function clusterTemplate(): Promise<Uint8Array | undefined> {
  const path = await templatePath().catch(() => undefined)
  return path === undefined ? undefined : templateAt(path)
}

/** The file's tar; one that is missing or cut short is made anew. */
export async function templateAt(path: string): Promise<Uint8Array> {
  return (await readWhole(path)) ?? (await makeTemplate(path))
}

/** Named by PGlite's version, because another one may bring another Postgres. */
async function templatePath(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const [modules = ''] = entry.split(join(sep, '@electric-sql', 'pglite', sep))
  const { version } = JSON.parse(await readFile(join(modules, '@electric-sql', 'pglite', 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const folder = join(modules, '.cache', 'statewright')
  await mkdir(folder, { recursive: true })
  await access(folder, constants.W_OK)
  return join(folder, `cluster-${version}.tar`)
}

/** A tar ends with 1024 zero bytes: without them somebody cut it short. */
async function readWhole(path: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes && bytes.length > 1024 && bytes.subarray(-1024).every((byte) => byte === 0) ? bytes : undefined
}

/** Processes that start together each make one, and each puts a whole one there. */
async function makeTemplate(path: string): Promise<Uint8Array> {
  const { PGlite } = await import('@electric-sql/pglite')
  const db = await PGlite.create()
  try {
    await db.exec('checkpoint')
    const bytes = new Uint8Array(await (await db.dumpDataDir('none')).arrayBuffer())
    const draft = `${path}.${process.pid}.${threadId}`
    // A full disk costs the template, not the store.
    await writeFile(draft, bytes, { mode: 0o600 })
      .then(() => rename(draft, path))
      .catch(() => rm(draft, { force: true }))
    return bytes
  } finally {
    await db.close()
  }
}
