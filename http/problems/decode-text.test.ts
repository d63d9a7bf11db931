import { Type, type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

function decoded(schema: TSchema, value: unknown): unknown {
  return (decodeText(Type.Object({ it: schema }), { it: value }) as { it: unknown }).it
}

test.each([
  ['5', 5],
  ['-5', -5],
  ['007', 7],
  ['5.5', '5.5'],
  ['5e3', '5e3'],
  ['0x10', '0x10'],
  ['', ''],
  [' 5', ' 5'],
  ['1057635947261027', 1057635947261027],
  ['9999999999999999', '9999999999999999'],
  ['9'.repeat(40), '9'.repeat(40)],
])('as an integer %j is %j', (text, value) => expect(decoded(Type.Integer(), text)).toBe(value))

test.each([
  ['0.5', 0.5],
  ['3', 3],
  ['0.42859386277134737', 0.42859386277134737],
  ['2.2e-311', 2.2e-311],
  ['1E3', 1000],
  ['1e999', '1e999'],
  ['.5', '.5'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
])('as a number %j is %j', (text, value) => expect(decoded(Type.Number(), text)).toBe(value))

test.each([
  ['true', true],
  ['false', false],
  ['TRUE', 'TRUE'],
  ['1', '1'],
  ['yes', 'yes'],
])('as a boolean %j is %j', (text, value) => expect(decoded(Type.Boolean(), text)).toBe(value))

test('digits stay text where text is wanted', () => expect(decoded(Type.String(), '5')).toBe('5'))

test('a key given once is a list of one where a list is wanted', () => {
  expect(decoded(Type.Array(Type.Integer()), '5')).toEqual([5])
  expect(decoded(Type.Array(Type.Integer()), ['5', '6', 'x'])).toEqual([5, 6, 'x'])
})

test('a key that the schema does not know stays as it came, `__proto__` included', () => {
  const given = JSON.parse('{"__proto__": "1", "other": "2"}') as object
  expect(Object.entries(decodeText(Type.Object({}), given) as object)).toEqual([
    ['__proto__', '1'],
    ['other', '2'],
  ])
})
