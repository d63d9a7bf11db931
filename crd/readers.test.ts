import { existsSync, readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { kinds } from './kinds.ts'
import { fieldsOf as annotated, type FieldUse } from './readers.ts'

interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly deprecated?: boolean
  readonly description?: string
}

/** Names of agent kinds are no fields: a map from them is one. */
const maps = ['modelByKind', 'effortByKind', 'spawnCeilingByKind']

function fieldsOf({ properties = {} }: Shape, path = ''): readonly (readonly [path: string, schema: Shape])[] {
  return Object.entries(properties).flatMap(([name, inner]) => {
    const own = `${path}${name}`
    if (maps.includes(name)) return [[own, inner] as const]
    const item = inner.type === 'array' ? inner.items : undefined
    const within = fieldsOf(item ?? inner, item === undefined ? `${own}/` : `${own}/*/`)
    return within.length === 0 ? [[own, inner] as const] : within
  })
}

const usesOf = (spec: TSchema) => new Map(annotated(spec).map(({ path, use }) => [path, use]))

const all = kinds.flatMap(({ kind, spec, writable }) =>
  fieldsOf(spec as Shape).map(([path, schema]) => ({ kind, path, schema, writable, use: usesOf(spec).get(path) })),
)

function readerOf(use: FieldUse | undefined): { readonly file: string; readonly within?: string } | undefined {
  if (typeof use === 'string') return use === 'deprecated' ? undefined : { file: use }
  if (use === undefined) return undefined
  if ('written' in use) return { file: use.written }
  return 'reader' in use ? { file: use.reader, ...(use.within === undefined ? {} : { within: use.within }) } : undefined
}

describe('what the schemas say of readers', () => {
  test('has every field of the six kinds, and no other (RESOURCE-API-6)', () => {
    for (const { kind, spec } of kinds) {
      const paths = fieldsOf(spec as Shape).map(([path]) => path)
      expect([...usesOf(spec).keys()], kind).toEqual(paths)
    }
    expect(all.filter(({ use }) => use === undefined)).toEqual([])
    expect(all.length).toBeGreaterThan(120)
  })

  test.each(all.filter(({ use }) => readerOf(use) !== undefined))(
    '$kind $path: the file that it names exists and has the field’s name',
    ({ path, use }) => {
      const { file, within } = readerOf(use)!
      expect(existsSync(file), file).toBe(true)
      if (within !== undefined) expect(path.split('/')).toContain(within)
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`\\b${within ?? path.split('/').at(-1)}\\b`))
    },
  )

  test('gives every field without a reader its sentence (RESOURCE-API-6, RESOURCE-API-7)', () => {
    const without = all.filter(({ use }) => readerOf(use) === undefined)
    expect(without.length).toBeGreaterThan(20)
    for (const { kind, path, schema, use } of without) {
      const isDeprecated = schema.deprecated === true && schema.description === 'accepted and ignored'
      const sentence = typeof use !== 'object' ? '' : 'refused' in use ? use.refused : 'inert' in use ? use.inert : ''
      expect([kind, path, use === 'deprecated', sentence.includes(' ')]).toEqual([
        kind,
        path,
        isDeprecated,
        !isDeprecated,
      ])
    }
  })

  test('says "written" of the kinds that people cannot apply, and of no other (RESOURCES-5)', () => {
    for (const { kind, path, use, writable } of all)
      if (typeof use === 'object' && 'written' in use) expect([kind, path, writable]).toEqual([kind, path, false])
  })
})
