import { messageOf } from '../errors.ts'

interface SqlErrorFields {
  readonly code: string
  readonly constraint?: string | undefined
  readonly cause?: unknown
}

/** What the database said, alike for every driver. `code` is the SQLSTATE, or the driver's own word for a lost connection. */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  readonly code: string
  readonly constraint: string | undefined

  constructor(message: string, fields: SqlErrorFields) {
    super(message, { cause: fields.cause })
    this.code = fields.code
    this.constraint = fields.constraint
  }
}

function textField(error: unknown, name: string): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The server was not reached or did not answer. */
export const unreachable = 'unreachable'

/** A driver's error as `SqlError`; an error without a code means that the server was not reached or did not answer. */
export function toSqlError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  const code = textField(error, 'code') ?? unreachable
  return new SqlError(messageOf(error), { code, constraint: textField(error, 'constraint'), cause: error })
}

/** Data that the store refuses whoever sends it: the same row fails again, others do not (SQLSTATE classes 22, 23, 54). */
export function isRefusedData(error: unknown): boolean {
  return error instanceof SqlError && /^(22|23|54)...$/.test(error.code)
}
