/** The part of pino's interface that the platform uses. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

function nothing(): void {}

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
