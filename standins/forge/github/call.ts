import { Compile } from 'typebox/compile'
import type { Static, TSchema } from 'typebox'
import type * as rest from '../rest.ts'
import { InvalidBody, type FieldFault } from './errors.ts'
import type { Links } from './links.ts'

export type Platform = rest.Platform<Links>

export interface Call extends rest.Call<Links> {
  readonly accept: string
  readonly body: unknown
}

export type Answer = rest.Answer<{ readonly type: string; readonly content: string | Buffer }>

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Who has no right to them gets 404, as if nothing were there. */
  readonly isOfHooks?: true
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
