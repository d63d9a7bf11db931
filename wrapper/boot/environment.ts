import type { Static, TSchema } from 'typebox'
import { Errors, Check } from 'typebox/value'
import { codeOf } from '../errors.ts'

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads variables and collects what is wrong with them, so that a start names every fault at once. */
export class EnvironmentReader {
  readonly faults: string[] = []
  readonly #env: Environment
  readonly #readSecretFile: (path: string) => string

  constructor(env: Environment, readSecretFile: (path: string) => string) {
    this.#env = env
    this.#readSecretFile = readSecretFile
  }

  fault(text: string): void {
    this.faults.push(text)
  }

  has(name: string): boolean {
    return this.text(name, '') !== ''
  }

  text(name: string, fallback: string): string {
    const value = this.#env[name]
    return value === undefined || value === '' ? fallback : value
  }

  required(name: string): string {
    const value = this.text(name, '')
    if (value === '') this.fault(`${name} is required`)
    return value
  }

  oneOf(name: string, allowed: readonly string[], fallback: string): string {
    const value = this.text(name, fallback)
    if (value !== fallback && !allowed.includes(value)) this.fault(`${name} must be one of ${allowed.join(', ')}`)
    return value
  }

  integer(name: string, fallback: number, minimum: number): number {
    const text = this.text(name, String(fallback))
    const value = Number(text)
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= minimum) return value
    this.fault(`${name} must be an integer of at least ${minimum}`)
    return fallback
  }

  requiredInteger(name: string, minimum: number): number {
    return this.required(name) === '' ? minimum : this.integer(name, minimum, minimum)
  }

  seconds(name: string, fallback: number, minimum: number): number {
    return this.integer(name, fallback, minimum) * 1000
  }

  url(name: string): string {
    const value = this.text(name, '')
    if (value !== '' && !isHttpUrl(value)) this.fault(`${name} must be an http or https URL`)
    return value.replace(/\/+$/, '')
  }

  requiredUrl(name: string): string {
    if (this.required(name) === '') return ''
    // The issuer is compared exactly, so its spelling is kept as it is.
    this.url(name)
    return this.text(name, '')
  }

  address(name: string, fallback: string): Address {
    const text = this.text(name, fallback)
    const match = /^(.*):(\d{1,5})$/.exec(text)
    const port = Number(match?.[2])
    if (!match || port > 65_535) {
      this.fault(`${name} must be host:port or :port`)
      return { host: '127.0.0.1', port: 0 }
    }
    const [, host = ''] = match
    return { host: host.replace(/^\[|\]$/g, '') || '0.0.0.0', port }
  }

  loopback(name: string, fallback: string): Address {
    const address = this.address(name, fallback)
    if (!['127.0.0.1', '::1', 'localhost'].includes(address.host)) this.fault(`${name} must be a loopback address`)
    return address
  }

  json<S extends TSchema>(name: string, schema: S, fallback: Static<S>): Static<S> {
    const text = this.text(name, '')
    if (text === '') return fallback
    const value = parseJson(text)
    if (value === undefined) {
      this.fault(`${name} must be JSON`)
      return fallback
    }
    if (Check(schema, value)) return value as Static<S>
    for (const error of Errors(schema, value)) this.fault(`${name}${error.instancePath} ${error.message}`)
    return fallback
  }

  secret(name: string): string | undefined {
    const file = this.secretFile(`${name}_FILE`)
    return file ?? (this.text(name, '') || undefined)
  }

  secretFile(name: string): string | undefined {
    const path = this.text(name, '')
    if (path === '') return undefined
    try {
      const value = this.#readSecretFile(path).trim()
      if (value === '') this.fault(`${name} names an empty file`)
      return value || undefined
    } catch (cause) {
      this.fault(`${name} cannot be read: ${codeOf(cause) ?? 'error'}`)
      return undefined
    }
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
