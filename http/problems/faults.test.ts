import { Type, type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { faultsOf } from './validation.ts'

function said(schema: TSchema, value: unknown): string[] {
  return faultsOf(schema, value).map(({ path, message }) => `${path} ${message}`)
}

const closed = { additionalProperties: false } as const

test('a missing field is reported at its own path', () => {
  expect(said(Type.Object({ a: Type.String(), b: Type.String() }), {})).toEqual(['/a is required', '/b is required'])
})

test('an unknown field is reported once, at its own path, also deep inside', () => {
  const schema = Type.Object({ list: Type.Array(Type.Object({ x: Type.Optional(Type.String()) }, closed)) }, closed)
  expect(said(schema, { list: [{}, { y: 1 }], z: 1 })).toEqual([
    '/list/1/y is not a known field',
    '/z is not a known field',
  ])
})

test('names are escaped as JSON Pointer wants (HTTP-4)', () => {
  expect(said(Type.Object({ 'a/b~c': Type.String() }), {})).toEqual(['/a~1b~0c is required'])
})

test('several faults at one path become one entry', () => {
  expect(said(Type.String({ minLength: 3, pattern: '^[a-z]+$' }), 'A1')).toEqual([
    ' must not have fewer than 3 characters; must match pattern "^[a-z]+$"',
  ])
})

test('a union of literals says what is allowed', () => {
  const schema = Type.Object({ mode: Type.Union([Type.Literal('local'), Type.Literal('global')]) })
  expect(said(schema, { mode: 'all' })).toEqual(['/mode must be one of "local", "global"'])
})

test('an enumeration says what is allowed', () => {
  expect(said(Type.Enum(['a', 'b']), 'c')).toEqual([' must be one of "a", "b"'])
})

const Shape = Type.Union([
  Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }, closed),
  Type.Object({ kind: Type.Literal('square'), side: Type.Number() }, closed),
])

test('of a union of objects only the branch that was meant is reported', () => {
  expect(said(Shape, { kind: 'square', side: 'long' })).toEqual(['/side must be number'])
  expect(said(Shape, { kind: 'circle', side: 1 })).toEqual(['/radius is required', '/side is not a known field'])
})

test('a union inside a list item keeps the item apart from its siblings', () => {
  expect(said(Type.Array(Shape), [{ kind: 'circle', radius: 'x' }, { kind: 'square' }])).toEqual([
    '/0/radius must be number',
    '/1/side is required',
  ])
})

test('more than a handful of faults are all listed', () => {
  const schema = Type.Array(Type.Integer())
  expect(
    said(
      schema,
      Array.from({ length: 50 }, () => 'x'),
    ),
  ).toHaveLength(50)
})

test('hostile input does not make an answer without end', () => {
  const many = Array.from({ length: 10_000 }, () => 'x')
  expect(said(Type.Array(Type.Integer()), many).length).toBeLessThanOrEqual(500)
})
