/** What an API server answers that is no success, as an error that says whether to ask again. */

/** A `Status` as API servers send it (https://kubernetes.io/docs/reference/kubernetes-api/definitions/status-v1-meta/). */
export interface Status {
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly retryAfterSeconds?: number }
}

interface Failure {
  /** HTTP status; 0: nobody answered. */
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

/** Of a server-side apply that names a field which the server's older definition lacks. The server answers 500. */
export const fieldNotDeclared = 'FieldNotDeclared'
/** Of a server-side apply with two entries of one key in a list that is a map. The server answers 500. */
export const duplicateEntries = 'DuplicateEntries'

/** Of a write that names the uid of an earlier object of its name. The server calls it invalid (422). */
const otherUid = 'OtherUid'

/** These are 500 by mistake of the server: the same request fails for ever. */
const terminalReasons: readonly string[] = [fieldNotDeclared, duplicateEntries]

/**
 * `reason` is the Status's own, such as `Conflict`, `AlreadyExists`, `NotFound`, `Expired`; or `FieldNotDeclared`,
 * `DuplicateEntries`, `OtherUid`; or, with code 0, `NoAnswer`, `NoCredentials`, `Aborted`.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly code: number
  readonly reason: string
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined

  constructor({ code, reason, message, retryAfterMs }: Failure) {
    super(message)
    this.code = code
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }

  /**
   * A conflict is, and the uid of an earlier object: whoever reads again may write again. So is a missing right: a server that has just started refuses what it
   * allows a second later, when it has read the roles.
   */
  get isRetryable(): boolean {
    if (terminalReasons.includes(this.reason) || this.reason === 'Aborted') return false
    return this.reason === otherUid || retryableCodes.includes(this.code) || this.code >= 500
  }
}

/** 0: no answer. */
const retryableCodes: readonly number[] = [0, 403, 408, 409, 429]

/** Of RBAC: `User "x" cannot list resource "tasks" in ...`. Admission refuses in other words. */
const missingRight = /\bcannot \w+ resource "/

/** `retryAfter`: the header, in seconds, as API servers send it. */
export function errorOf(code: number, status: Status, retryAfter?: string): KubeError {
  const { message: given = `the API server answered ${code}`, details } = status
  const message =
    code === 403 && missingRight.test(given) ? `${given}; statewright rbac prints the roles to apply` : given
  const seconds = Number(retryAfter ?? details?.retryAfterSeconds)
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined
  return new KubeError({ code, reason: reasonOf(code, status), message, retryAfterMs })
}

function reasonOf(code: number, { reason = '', message = '' }: Status): string {
  if (code === 500 && /duplicate entries for key/.test(message)) return duplicateEntries
  if (code === 500 && /typed patch object|field not declared in schema/.test(message)) return fieldNotDeclared
  if (code === 422 && /\bmetadata\.uid: Invalid value\b/.test(message)) return otherUid
  return reason === '' ? (usualReasons[code] ?? 'Unknown') : reason
}

/** Of an answer without a Status, as a proxy gives it. */
const usualReasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** The error is an answer of the server with this code. */
export function answered(error: unknown, code: number): boolean {
  return error instanceof KubeError && error.code === code
}

const shortestSecret = 4

/** What servers and proxies repeat of a request never shows these. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}
