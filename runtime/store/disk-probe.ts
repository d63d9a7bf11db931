import { open, rm } from 'node:fs/promises'

/** More than a file system keeps inside of a file's own entry, as much as a page of a log. */
const probe = Buffer.alloc(64 * 1024, 1)

/** Rejects while the disk takes no data at `file`. However often it is asked, one write is under way. */
export function diskProbe(file: string): () => Promise<void> {
  let asked: Promise<void> | undefined
  return () => {
    asked ??= writeAndForget(file).finally(() => (asked = undefined))
    return asked
  }
}

async function writeAndForget(file: string): Promise<void> {
  try {
    const handle = await open(file, 'w', 0o600)
    try {
      await handle.writeFile(probe)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } finally {
    await rm(file, { force: true })
  }
}
