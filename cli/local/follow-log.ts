/** Reads the JSON lines that a growing file has, as `tail -f` does. */
import { open, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'

export interface LogFollower {
  /** Takes what has been written since the last call. A file that is not there has nothing. */
  read(): Promise<void>
  close(): Promise<void>
}

const chunkBytes = 64 * 1024

export function followLog(path: string, onLine: (line: Record<string, unknown>) => void): LogFollower {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.alloc(chunkBytes)
  let file: FileHandle | undefined
  let rest = ''
  const take = (text: string): void => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const value = parse(line)
      if (value !== undefined) onLine(value)
    }
  }
  return {
    async read() {
      file ??= await open(path).catch(() => undefined)
      if (file === undefined) return
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes)
        if (bytesRead === 0) return
        take(decoder.write(buffer.subarray(0, bytesRead)))
      }
    },
    async close() {
      await file?.close()
    },
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // Not a line of ours.
    return undefined
  }
}
