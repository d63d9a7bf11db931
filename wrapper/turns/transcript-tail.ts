import type { FileHandle } from 'node:fs/promises'
import { openOwnTranscript } from './own-transcript.ts'
import { parseTranscriptLine, type TranscriptEntry } from './transcript.ts'

const chunkBytes = 1024 * 1024

/** Follows the transcript that the latest hook named: `/clear` starts another file, so the path may change. */
export class TranscriptTail {
  readonly #home: string
  #path = ''
  #offset = 0
  #partial: Buffer = Buffer.alloc(0)
  #reading: Promise<readonly TranscriptEntry[]> = Promise.resolve([])

  /** `home`: of the CLI. */
  constructor(home: string) {
    this.#home = home
  }

  get path(): string {
    return this.#path
  }

  follow(path: string): void {
    if (path === this.#path) return
    this.#path = path
    this.#offset = 0
    this.#partial = Buffer.alloc(0)
  }

  /** The whole file. */
  open(): Promise<FileHandle> {
    return openOwnTranscript(this.#path, this.#home)
  }

  /** The entries written since the last call. Calls queue, so each line is given out once. */
  read(): Promise<readonly TranscriptEntry[]> {
    this.#reading = this.#reading.then(() => this.#readNew())
    return this.#reading
  }

  /** A file that isn't there yet has no lines: at the first Stop it may not exist (CLI-FACT-5). */
  async #readNew(): Promise<readonly TranscriptEntry[]> {
    const path = this.#path
    const entries: TranscriptEntry[] = []
    const file = path === '' ? undefined : await this.open().catch(() => undefined)
    if (!file) return entries
    try {
      const buffer = Buffer.alloc(chunkBytes)
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, this.#offset)
        if (bytesRead === 0 || path !== this.#path) return entries
        this.#offset += bytesRead
        entries.push(...this.#take(buffer.subarray(0, bytesRead)))
      }
    } finally {
      await file.close()
    }
  }

  #take(bytes: Buffer): readonly TranscriptEntry[] {
    const all = Buffer.concat([this.#partial, bytes])
    const end = all.lastIndexOf(10) + 1
    this.#partial = Buffer.from(all.subarray(end))
    return all
      .toString('utf8', 0, end)
      .split('\n')
      .map(parseTranscriptLine)
      .filter((entry) => entry !== undefined)
  }
}
