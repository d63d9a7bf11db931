/** The driver's memory of what it was told is taken in: appended and synced, so that it outlives the driver too. */
import { open, readFile } from 'node:fs/promises'
import type { Acknowledged } from './history.ts'

export interface AcknowledgedLog {
  add(one: Acknowledged): void
  /** Resolves when all of it is on disk. */
  close(): Promise<void>
}

export async function openAcknowledgedLog(path: string): Promise<AcknowledgedLog> {
  const file = await open(path, 'a')
  let gathered = ''
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (gathered !== '') {
      const text = gathered
      gathered = ''
      await file.appendFile(text)
      await file.datasync()
    }
    writing = undefined
  }

  return {
    add(one) {
      gathered += `${JSON.stringify(one)}\n`
      writing ??= write()
    },
    async close() {
      await writing
      await file.close()
    },
  }
}

/** Lines of JSON; a last line that a kill cut short is left out. */
export async function readLines<T>(path: string): Promise<readonly T[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T)
}
