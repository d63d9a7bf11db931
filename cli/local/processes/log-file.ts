/** A log beside the program: what the disk does not take is left out and counted; it never ends the program. */
import { appendFileSync } from 'node:fs'

type Append = (path: string, text: string) => void

export interface LogFile {
  write(text: string): void
}

const append: Append = (path, text) => appendFileSync(path, text, { mode: 0o600 })

/** Written at once: what was said before a crash is there. `append` throws when the disk takes nothing. */
export function logFile(path: string, to: Append = append): LogFile {
  let lost = 0
  return {
    write(text) {
      try {
        const gap =
          lost === 0
            ? ''
            : `${JSON.stringify({ msg: `${lost} pieces of this log were not written: the disk took nothing` })}\n`
        to(path, gap + text)
        lost = 0
      } catch {
        lost += 1
      }
    },
  }
}
