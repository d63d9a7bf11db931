import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import { foldFaults } from '../../../http/problems/faults.ts'
import { WORLD_VERSION, WorldDocument } from './document.ts'

const validator = Compile(WorldDocument)

/** Undefined where no forge has been. What can't be read is refused: an empty memory over old repositories would be worse. */
export async function readWorldFile(file: string): Promise<WorldDocument | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${file} can't be read: ${error.message}`, { cause: error })
  })
  return text === undefined ? undefined : decode(file, text)
}

function decode(file: string, text: string): WorldDocument {
  const document = parse(file, text)
  const version =
    document !== null && typeof document === 'object' && 'version' in document ? document.version : undefined
  if (version !== WORLD_VERSION)
    throw new Error(`${file} has version ${JSON.stringify(version)}; this forge reads version ${WORLD_VERSION}`)
  if (validator.Check(document)) return document
  const faults = foldFaults(validator.Errors(document)).map(({ path, message }) => `${path} ${message}`)
  throw new Error(`${file} is not the memory of a forge: ${faults.join('; ')}`)
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

export interface WorldFile {
  /** There is something to write. */
  note(): void
  /** Writes what is left, once, and rejects when that fails: a second end must not write over the forge that came after. */
  close(): Promise<void>
}

/** Between two writes: a burst of changes is a few documents, and a kill loses no more than this and one write. */
const SPACING_MS = 100

/** At most one write at a time; what changes meanwhile is in the next. Written beside and renamed, so that the file is always a whole one. */
export function keepWorldFile(file: string, picture: () => WorldDocument, log: (error: unknown) => void): WorldFile {
  const closing = new AbortController()
  let changed = false
  let writing: Promise<void> | undefined
  let ended: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    while (changed && !closing.signal.aborted) {
      changed = false
      await write().catch(log)
      await pause(SPACING_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  async function write(): Promise<void> {
    // A change is told while it is made: the picture is taken when the loop has turned.
    await pause(0)
    const text = JSON.stringify(picture())
    await writeFile(`${file}.new`, text, { mode: 0o600, flush: true })
    await rename(`${file}.new`, file)
  }

  function note(): void {
    changed = true
    writing ??= writeAll().finally(() => {
      writing = undefined
      if (changed && !closing.signal.aborted) note()
    })
  }

  async function end(): Promise<void> {
    closing.abort()
    await writing
    await write()
  }

  return {
    note,
    close: () => (ended ??= end()),
  }
}
