import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { Static, TSchema } from 'typebox'
import type * as rest from '../rest.ts'
import type { Permission } from '../store/records.ts'
import { InvalidInput } from './errors.ts'
import type { Links } from './links.ts'

export type Platform = rest.Platform<Links>

export interface Call extends rest.Call<Links> {
  /** Query and body together: GitLab takes every parameter from either. */
  readonly input: Readonly<Record<string, unknown>>
}

export type Answer = rest.Answer<string>

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Needed to use it at all; below it the answer is 403. Default `read`. What a write needs the store decides. */
  readonly closedBelow?: Permission
  /** Nobody without a token may read it either. */
  readonly needsUser?: boolean
  run(call: Call): Answer | Promise<Answer>
}

/** A reader of parameters. Text is made the number or truth value that the schema wants, as GitLab does. */
export function inputOf<S extends TSchema>(schema: S): (call: Call) => Static<S> {
  const validator = Compile(schema)
  return (call) => {
    const input = Value.Convert(schema, structuredClone(call.input))
    if (validator.Check(input)) return input as Static<S>
    throw new InvalidInput(validator.Errors(input).flatMap(problemsOf))
  }
}

function problemsOf(error: { keyword: string; instancePath: string; params: unknown }): string[] {
  const at = error.instancePath.slice(1).split('/').filter(Boolean)
  if (error.keyword === 'required')
    return (error.params as { requiredProperties: string[] }).requiredProperties.map(
      (name) => `${bracketed([...at, name])} is missing`,
    )
  return [`${bracketed(at)} ${error.keyword === 'enum' ? 'does not have a valid value' : 'is invalid'}`]
}

/** `position[base_sha]`, the way in which parameters are named. */
function bracketed([first = '', ...rest]: readonly string[]): string {
  return `${first}${rest.map((name) => `[${name}]`).join('')}`
}
