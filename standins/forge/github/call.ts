import { Compile } from 'typebox/compile'
import type { Static, TSchema } from 'typebox'
import type { FaultBoard } from '../faults.ts'
import type { Actor, Permission, Repository } from '../store/records.ts'
import type { World } from '../store/world.ts'
import type { Sender } from '../webhooks/sender.ts'
import { InvalidBody, type FieldFault } from './errors.ts'
import type { Links } from './links.ts'

/** What every route works with. */
export interface Platform {
  readonly world: World
  readonly links: Links
  readonly sender: Sender
  readonly faults: FaultBoard
}

/** One authenticated request. On routes without a repository in their path `repository` is never read. */
export interface Call extends Platform {
  readonly actor: Actor | undefined
  /** The actor of a write: the router has refused it without one. */
  readonly writer: Actor
  readonly repository: Repository
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly accept: string
  readonly body: unknown
  /** Path and query as asked, for the addresses of other pages. */
  readonly url: string
}

export interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly text?: { readonly type: string; readonly content: string | Buffer }
  readonly headers?: Readonly<Record<string, string>>
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Needed to read at all; below it the answer is 404, as if nothing were there. Default `read`. What a write needs the store decides. */
  readonly hiddenBelow?: Permission
  run(call: Call): Answer | Promise<Answer>
}

/** A reader of request bodies that names every fault in GitHub's way: a missing field, or an invalid one. */
export function bodyOf<S extends TSchema>(schema: S, resource: string): (call: Call) => Static<S> {
  const validator = Compile(schema)
  return (call) => {
    const { body } = call
    if (validator.Check(body)) return body as Static<S>
    const faults = validator.Errors(body).flatMap((error): FieldFault[] => {
      const at = error.instancePath.slice(1).replaceAll('/', '.')
      const missing =
        error.keyword === 'required' ? (error.params as { requiredProperties: string[] }).requiredProperties : undefined
      return missing
        ? missing.map((name) => ({ resource, code: 'missing_field', field: at ? `${at}.${name}` : name }))
        : [{ resource, code: 'invalid', field: at, message: error.message }]
    })
    throw new InvalidBody(faults)
  }
}

export function numberParam(call: Call, name: string): number {
  const text = call.params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : -1
}
