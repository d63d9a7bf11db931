import { Settings } from 'typebox/system'
import type { TLocalizedValidationError } from 'typebox/error'
import type { Fault } from './problem.ts'

// typebox stops after 8 faults by default; a caller is owed all of them, and hostile input still has to end somewhere.
Settings.Set({ maxErrors: 500 })

type SchemaError = TLocalizedValidationError

/** Every fault once per path, in the order of the paths, said in words that need no knowledge of JSON Schema. */
export function foldFaults(errors: readonly SchemaError[]): Fault[] {
  const byPath = new Map<string, string[]>()
  for (const { path, message } of keepLikelyBranches(errors).flatMap(faultsOf)) {
    const messages = byPath.get(path) ?? []
    if (!messages.includes(message)) messages.push(message)
    byPath.set(path, messages)
  }
  const faults = [...byPath].map(([path, messages]) => ({ path, message: messages.join('; ') }))
  return faults.toSorted((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }))
}

function faultsOf(error: SchemaError): Fault[] {
  const at = error.instancePath
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        path: `${at}/${escapePointer(name)}`,
        message: 'is required',
      }))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => ({
        path: `${at}/${escapePointer(name)}`,
        message: 'is not a known field',
      }))
    case 'boolean':
      return [] // "schema is false" repeats what additionalProperties says about the same field
    case 'const':
      return [{ path: at, message: `must be ${JSON.stringify(error.params.allowedValue)}` }]
    case 'enum':
      return [{ path: at, message: oneOf(error.params.allowedValues) }]
    default:
      return [{ path: at, message: error.message }]
  }
}

/**
 * A union reports the faults of all its branches. Literals become one list of what is allowed; of objects only the
 * branch that the input most likely meant is kept: the one with the fewest wrong constants, then the fewest faults.
 */
function keepLikelyBranches(errors: readonly SchemaError[]): SchemaError[] {
  const union = outermostUnion(errors)
  if (union === undefined) return [...errors]
  const inside = errors.filter((error) => isUnder(error, union))
  const outside = errors.filter((error) => error !== union && !inside.includes(error))
  return [...keepLikelyBranches(outside), ...meant(union, inside)]
}

function meant(union: SchemaError, inside: readonly SchemaError[]): SchemaError[] {
  const literals = inside.filter((error) => error.keyword === 'const')
  if (
    literals.length > 0 &&
    inside.every((error) => error.keyword === 'const' && error.instancePath === union.instancePath)
  ) {
    const allowedValues = literals.map((error) => error.params.allowedValue)
    return [{ ...union, keyword: 'enum', params: { allowedValues } } as SchemaError]
  }
  const branches = Map.groupBy(inside, (error) => branchOf(union, error))
  const [likely] = [...branches.values()].toSorted((a, b) => distance(union, a) - distance(union, b))
  return likely === undefined ? [union] : keepLikelyBranches(likely)
}

function distance(union: SchemaError, branch: readonly SchemaError[]): number {
  const otherKind = branch.some((error) => error.keyword === 'type' && error.instancePath === union.instancePath)
  const wrongConstants = branch.filter((error) => error.keyword === 'const').length
  return (otherKind ? 1_000_000 : 0) + wrongConstants * 1_000 + branch.length
}

function outermostUnion(errors: readonly SchemaError[]): SchemaError | undefined {
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')
  return unions.toSorted((a, b) => a.schemaPath.length - b.schemaPath.length)[0]
}

function isUnder(error: SchemaError, union: SchemaError): boolean {
  const sameValue = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`)
  return sameValue && error.schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`)
}

function branchOf(union: SchemaError, error: SchemaError): string {
  return error.schemaPath.slice(`${union.schemaPath}/${union.keyword}/`.length).split('/')[0] ?? ''
}

function oneOf(values: readonly unknown[]): string {
  return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
