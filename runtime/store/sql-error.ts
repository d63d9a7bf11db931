import { messageOf } from '../errors.ts'

/** The server was not reached or did not answer. */
export const unreachable = 'unreachable'

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (stopping or starting), and the system's words for a lost connection. */
const awayCode = /^(08...|53...|57P..|ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

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

  /** The store is away or full, and the same statement may do later: an HTTP edge answers 503. */
  get temporary(): boolean {
    return this.code === unreachable || awayCode.test(this.code)
  }
}

function textField(error: unknown, name: string): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

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
