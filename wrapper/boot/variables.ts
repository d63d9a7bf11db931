import {
  PodPlaces,
  PodVariables,
  type PodSecrets,
  type PodVariableSchema,
} from '../../machines/turn/pod-environment.ts'
import type { EnvironmentReader } from './environment.ts'

type Variables = PodVariables & PodPlaces

const schemas = { ...PodVariables.properties, ...PodPlaces.properties } as unknown as Readonly<
  Record<keyof Variables, PodVariableSchema>
>

/** Reads one variable by its schema: its default where the environment has none, a fault of `read` where it is wrong. */
export type ReadVariable = <Name extends keyof Variables>(name: Name) => Variables[Name]

export function variablesOf(read: EnvironmentReader): ReadVariable {
  return (name) => decode(read, name, schemas[name]) as never
}

function decode(read: EnvironmentReader, name: string, schema: PodVariableSchema): unknown {
  const { default: fallback, minimum = 0, type, reads } = schema
  if (type === 'integer')
    return reads === 'required' ? read.requiredInteger(name, minimum) : read.integer(name, Number(fallback), minimum)
  if (type !== 'string') return read.json(name, schema, fallback as never)
  const words = String(fallback ?? '')
  if (schema.enum) return read.oneOf(name, schema.enum, words)
  switch (reads) {
    case 'required':
      return read.required(name)
    case 'issuer':
      return read.requiredUrl(name)
    case 'url':
      return read.url(name) || words
    case 'address':
      return read.address(name, words)
    case 'loopback':
      return read.loopback(name, words)
    case 'process':
    case undefined:
      return read.text(name, words)
  }
}

/** `<NAME>_FILE` before `<NAME>`; the pod's token comes as a file only. */
export function readSecret(read: EnvironmentReader, name: keyof PodSecrets): string | undefined {
  return name === 'PLATFORM_POD_TOKEN_FILE' ? read.secretFile(name) : read.secret(name.replace(/_FILE$/, ''))
}
