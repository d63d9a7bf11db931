/** A server answered with a problem: its status, its code, and every fault that it listed. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string

  /** `server`: as people name it, for an answer that has no detail. `next`: what to do. */
  constructor(server: string, status: number, body: unknown, next = '') {
    super(`${describe(server, status, body)}${next === '' ? '' : `; ${next}`}`)
    this.status = status
    this.code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : ''
  }
}

function describe(server: string, status: number, body: unknown): string {
  if (typeof body !== 'object' || body === null) return `${server} answered ${status}`
  const { detail, title, errors } = body as {
    detail?: string
    title?: string
    errors?: readonly { path: string; message: string }[]
  }
  const [first, ...others] = errors ?? []
  // Of one fault the detail says all.
  const listed = others.length === 0 && first !== undefined && detail?.includes(first.message) === true ? [] : errors
  return [
    detail ?? title ?? `${server} answered ${status}`,
    ...(listed ?? []).map(({ path, message }) => `  ${path} ${message}`),
  ].join('\n')
}
