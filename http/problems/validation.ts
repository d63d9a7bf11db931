import { Compile, type Validator } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { decodeText } from './decode-text.ts'
import { foldFaults } from './faults.ts'
import type { Fault } from './problem.ts'

export const requestParts = ['params', 'body', 'querystring', 'headers'] as const

type RequestPart = (typeof requestParts)[number]

/** What fastify asks of a validator; `error` carries faults that were folded already. */
export type PartValidator = (value: unknown) => { value: unknown } | { error: ValidationFaults }

/** The faults of one part of a request, on their way through fastify to the problem that lists them all. */
export class ValidationFaults extends Error {
  readonly part: RequestPart
  readonly faults: readonly Fault[]

  constructor(part: RequestPart, faults: readonly Fault[]) {
    super('the input breaks its schema')
    this.name = 'ValidationFaults'
    this.part = part
    this.faults = faults
  }
}

const compiled = new WeakMap<TSchema, Validator>()

/** Once for each schema: it is compiled into a function, and several servers have the same routes. */
function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, known)
  return known
}

const locations = { body: undefined, params: 'path', querystring: 'query', headers: 'header' } as const

/** Bodies are taken as they are; paths, queries and headers are text and are decoded by their schema first. */
export function compilePart(schema: TSchema, part: RequestPart): PartValidator {
  const validator = validatorOf(schema)
  return (given) => {
    const value = part === 'body' ? given : decodeText(schema, given)
    if (validator.Check(value)) return { value }
    if (part === 'body' && given === undefined)
      return { error: new ValidationFaults(part, [{ path: '', message: 'a JSON body is required' }]) }
    const location = locations[part]
    const faults = foldFaults(validator.Errors(value)).map((fault) =>
      location === undefined ? fault : { in: location, ...fault },
    )
    return { error: new ValidationFaults(part, faults) }
  }
}

/** Every fault of a value that did not come through a route: a file, an environment, a message of another program. */
export function faultsOf(schema: TSchema, value: unknown): Fault[] {
  const validator = validatorOf(schema)
  return validator.Check(value) ? [] : foldFaults(validator.Errors(value))
}
