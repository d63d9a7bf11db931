/** What a forge has answered, against the schema of what we read of it. Whatever else is in it is ignored. */
import { Type, type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { BrokenAnswerError } from '../errors.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))
export const Count = Type.Integer({ minimum: 0 })

const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** The first faults of a value, or undefined when it is what the schema says. */
export function faultOf(schema: TSchema, value: unknown): string | undefined {
  let validator = validators.get(schema)
  if (validator === undefined) validators.set(schema, (validator = Compile(schema)))
  if (validator.Check(value)) return undefined
  const faults = validator.Errors(value).map((fault) => `${fault.instancePath || '/'} ${fault.message}`)
  return faults.slice(0, 5).join('; ')
}

/** Throws `BrokenAnswerError`. */
export function checked<S extends TSchema>(operation: string, schema: S, value: unknown): Static<S> {
  const fault = faultOf(schema, value)
  if (fault !== undefined) throw new BrokenAnswerError(`${operation}: the forge’s answer breaks its schema: ${fault}`)
  return value as Static<S>
}
