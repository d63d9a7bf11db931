/** What one machine cannot obey: `apply` refuses it or warns of it with the reason, since nothing else would say that it has no effect. */
import { kinds } from './kinds.ts'
import { fieldsOf, type FieldUse } from './readers.ts'
import type { ManifestFault } from './manifest-fault.ts'

const fields = new Map<unknown, ReturnType<typeof fieldsOf>>(kinds.map(({ kind, spec }) => [kind, fieldsOf(spec)]))

type Judge = (use: Exclude<FieldUse, string>, value: unknown) => string | undefined

/** The faults of a document on one machine. A value that asks for nothing, or for the default, is none. */
export function beyondOneMachine(document: unknown): readonly ManifestFault[] {
  return faultsBy(document, (use, value) =>
    'refused' in use && use.unless?.includes(value) !== true ? use.refused : undefined,
  )
}

/** The warnings of a document: what the contract accepts and nothing reads, and what needs one of the `unset` settings. */
export function inertOnOneMachine(document: unknown, unset: readonly string[] = []): readonly ManifestFault[] {
  return faultsBy(document, (use) => {
    if ('inert' in use) return use.inert
    return 'needs' in use && unset.includes(use.needs ?? '')
      ? `has no effect: the orchestrator’s setting ${use.needs} is empty`
      : undefined
  })
}

function faultsBy(document: unknown, judge: Judge): readonly ManifestFault[] {
  const { kind, spec } = (document ?? {}) as { readonly kind?: unknown; readonly spec?: unknown }
  return (fields.get(kind) ?? []).flatMap(({ path, use, fallback }) => {
    if (use === undefined || typeof use === 'string') return []
    const value = at(spec, path)
    if (asksNothing(value) || value === fallback) return []
    const message = judge(use, value)
    return message === undefined ? [] : [{ path: `/spec/${path}`, message }]
  })
}

function asksNothing(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function at(value: unknown, path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value)
}
