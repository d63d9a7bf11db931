/** An object as its fields, each owned by those who write it: what server-side apply compares. */
import type { KubeObject } from '../api/api.ts'

export type Plain = Readonly<Record<string, unknown>>

/** By path, whose names a line feed parts. An empty list or object is a field too. */
export type Leaves = ReadonlyMap<string, unknown>

/** Lists whose entries are fields of their own, by their key; '': the entry itself. Any other list is one field. */
const keyed: Readonly<Record<string, string>> = { finalizers: '', conditions: 'type', ownerReferences: 'uid' }

export function leavesOf(object: object): Leaves {
  return new Map(flat(object, []))
}

function flat(value: unknown, at: readonly string[]): readonly (readonly [string, unknown])[] {
  const entries = entriesOf(value, at.at(-1) ?? '')
  return entries.length === 0 ? [[at.join('\n'), value]] : entries.flatMap(([name, one]) => flat(one, [...at, name]))
}

function entriesOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  if (isPlain(value)) return Object.entries(value).filter(([, one]) => one !== undefined)
  const key = keyed[name]
  if (!Array.isArray(value) || key === undefined) return []
  return value.map((one: unknown) => [`=${String(key === '' ? one : (one as Plain)[key])}`, one])
}

export function objectOf(leaves: Leaves): KubeObject {
  const root: Record<string, unknown> = {}
  for (const [path, value] of leaves) {
    const names = path.split('\n')
    const last = names.pop()!
    const parent = names.reduce<Record<string, unknown>>((node, name) => {
      if (!isPlain(node[name])) node[name] = {}
      return node[name] as Record<string, unknown>
    }, root)
    if (!isPlain(parent[last])) parent[last] = isPlain(value) ? {} : value
  }
  return listed(root, '') as KubeObject
}

function listed(node: unknown, name: string): unknown {
  if (!isPlain(node)) return node
  const entries = Object.entries(node).map(([each, one]) => [each, listed(one, each)] as const)
  return name in keyed ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

/** RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return patch
  const base = isPlain(target) ? target : {}
  const changed = Object.entries(patch).filter(([, one]) => one !== undefined)
  const all = { ...base, ...Object.fromEntries(changed.map(([name, one]) => [name, merged(base[name], one)])) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined))
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
