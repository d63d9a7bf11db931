import { expect, test } from 'vitest'
import { describe } from './describe.ts'

const schema = {
  type: 'object',
  properties: {
    a: { type: 'string', description: 'its own' },
    b: { type: 'array', items: { type: 'object', properties: { c: { type: 'string' } } } },
    d: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'string' } } },
  },
}
const words = { b: 'a list', 'b.c': 'of the list', d: 'a map', 'd.*': 'any of it' }

test('every field has words: its own, those of its path, or those of any name there (RESOURCES-37)', () => {
  expect(describe(schema, words, 'It')).toMatchObject({
    properties: {
      a: { description: 'its own' },
      b: { description: 'a list', items: { properties: { c: { description: 'of the list' } } } },
      d: { description: 'a map', properties: { x: { description: 'any of it' }, y: { description: 'any of it' } } },
    },
  })
})

test('a field without words is named, and so are words without a field (RESOURCES-37)', () => {
  const { b: _, ...less } = words
  expect(() => describe(schema, less, 'It')).toThrow('It has no description of b (crd/descriptions.ts)')
  expect(() => describe(schema, { ...words, e: 'gone', a: 'twice' }, 'It')).toThrow(
    'no field for the description of e, a',
  )
})
