import { createLogger, type Logger } from '../../http/operational/logging.ts'

/** A logger that remembers its lines instead of printing them. */
export function rememberingLogger(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    logger: createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } }),
  }
}
