/** Takes the JSON lines that a growing file has, as `tail -f` does. */
import { readTail } from '../../../edges/local/log-tail.ts'

export interface LogFollower {
  /** Takes the lines that have been written since the last call. A file that is not there has none. */
  read(): Promise<void>
}

const all = { lines: Infinity, bytes: Infinity }

export function followLog(path: string, onLine: (line: Record<string, unknown>) => void): LogFollower {
  let cursor = '0'
  return {
    async read() {
      const tail = await readTail(path, { ...all, after: cursor }, true)
      if (tail === undefined) return
      cursor = tail.cursor
      for (const line of tail.lines) {
        const value = parse(line)
        if (value !== undefined) onLine(value)
      }
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
