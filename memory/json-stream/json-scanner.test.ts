import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonFault } from '../../http/problems/plain-input.ts'
import { JsonScanner, ValueTooLargeError } from './json-scanner.ts'
import { JsonSyntaxError } from './parse-value.ts'

interface Found {
  shape: string
  members: Record<string, unknown>
  elements: Record<string, unknown[]>
}

function scan(pieces: readonly (Buffer | string)[], arrays = ['items'], maxValueBytes = 1e9): Found {
  const found: Found = { shape: '', members: {}, elements: {} }
  const scanner = new JsonScanner(
    { arrays, maxValueBytes },
    {
      began: (shape) => void (found.shape = shape),
      member: (name, value) => void (found.members[name] = value),
      element: (array, index, value) => {
        const list = (found.elements[array] ??= [])
        expect(index).toBe(list.length)
        list.push(value)
      },
      ended: (array) => void (found.elements[array] ??= []),
    },
  )
  for (const piece of pieces) scanner.write(Buffer.from(piece as string))
  scanner.end()
  return found
}

function cut(text: string, sizes: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...pieces, bytes.subarray(at)]
}

const safeJson = fc
  .jsonValue({ noUnicodeString: false })
  .filter((value) => !JSON.stringify(value).includes('__proto__') && jsonFault(value) === undefined)

describe('the scanner', () => {
  test('finds what JSON.parse finds, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(safeJson),
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__' && key !== 'items'),
          safeJson,
        ),
        fc.array(fc.integer({ min: 0, max: 9 })),
        fc.constantFrom(undefined, 2),
        (items, members, sizes, indent) => {
          const text = JSON.stringify({ ...members, items }, null, indent)
          const found = scan(cut(text, sizes))
          const expected = JSON.parse(text) as Record<string, unknown>
          expect(found.elements['items']).toEqual(expected['items'])
          expect({ ...found.members, items: found.elements['items'] }).toEqual(expected)
          expect(scan(cut(JSON.stringify(items, null, indent), sizes)).elements['']).toEqual(expected['items'])
        },
      ),
    )
  })

  test('refuses what JSON.parse refuses: one byte changed or gone', () => {
    const chars = fc.constantFrom(...'{}[],:"\\ tn1-.e'.split(''))
    fc.assert(
      fc.property(
        fc.array(safeJson, { maxLength: 4 }),
        fc.nat(),
        chars,
        fc.boolean(),
        (items, place, char, removes) => {
          const whole = JSON.stringify({ repo: 'a', items })
          const at = place % whole.length
          const text = whole.slice(0, at) + (removes ? '' : char) + whole.slice(at + 1)
          const verdict = judge(text)
          if (verdict === undefined) expect(() => scan([text])).toThrow(JsonSyntaxError)
          else if (verdict !== null && typeof verdict === 'object' && !repeatsKey(text, verdict)) scan([text])
          else expect(() => scan([text])).toThrow(JsonSyntaxError)
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([
    '',
    ' ',
    '{',
    '[',
    '{"items":[',
    '{"items":[1',
    '{"items":[1,]}',
    '[1 2]',
    '[1,]',
    '[,1]',
    '{"a" 1}',
    '{"a":1,}',
    '{"a":}',
    '{a:1}',
    '[1]]',
    '{}{}',
    '1',
    '"a"',
    'null',
    '[01]',
    '["\u0001"]',
    '[tru]',
    '{"a":1 2}',
    '{1:2}',
    '{"items":[]',
    '[{"a":1]',
  ])('refuses %j', (text) => expect(() => scan([text])).toThrow(JsonSyntaxError))

  test('refuses bytes that are not UTF-8, a member that is there twice, and a prototype', () => {
    expect(() => scan([Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])])).toThrow('the body is not UTF-8')
    expect(() => scan(['{"a":1,"a":2}'])).toThrow('the member "a" appears twice')
    for (const name of ['__proto__', '\\u005f_proto__'])
      for (const body of [`{"items":[{"${name}":{}}]}`, `{"${name}":{}}`])
        expect(() => scan([body]), body).toThrow('a member named __proto__')
    const harmless = [{ '"__proto__': 0, text: '__proto__', list: ['"__proto__"'] }]
    expect(scan([JSON.stringify({ items: harmless })]).elements['items']).toEqual(harmless)
  })

  test('says which value is too large, before it was read to its end', () => {
    const oversize = (text: string): string => {
      try {
        scan([text.slice(0, 40), text.slice(40, 80)], ['items'], 50)
        return 'taken'
      } catch (error) {
        return error instanceof ValueTooLargeError ? error.path : String(error)
      }
    }
    expect(oversize(`{"items":[1,"${'x'.repeat(100)}"]}`)).toBe('/items/1')
    expect(oversize(`{"repo":"${'x'.repeat(100)}"}`)).toBe('/repo')
    expect(oversize(`[1,2,"${'x'.repeat(100)}"]`)).toBe('/2')
  })
})

function judge(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function repeatsKey(text: string, value: object): boolean {
  return !Array.isArray(value) && Object.keys(value).length < 2 && text.includes('repo') && text.includes('items')
}
