import { describe, expect, test } from 'vitest'
import { canonical as canonicalOf, maxDepth } from './canonical.ts'
import {
  beginTurn,
  drop,
  outsideTurns,
  register,
  spend,
  type AskedModel,
  type Block,
  type Call,
  type Registry,
} from './registry.ts'

const canonical = (value: unknown): string => canonicalOf(value)!
const input = canonical({ kind: 'note', body: 'b' })
const block: Block = { id: 'toolu_1', tool: 'task_note', input }
const asked = (over: Partial<AskedModel> = {}): AskedModel => ({
  ordinal: 1,
  turn: 't1',
  tools: new Set(['task_note', 'submit_outcome']),
  ...over,
})
const decided = (...blocks: readonly Block[]): Registry =>
  blocks.reduce((registry, one) => register(registry, asked(), one), beginTurn('t1'))
const verdictOn = (registry: Registry, call: Call): string => {
  const [, verdict] = spend(registry, call)
  return verdict.kind === 'refused' ? verdict.reason : verdict.kind
}

describe('a call', () => {
  test('that equals a block of this turn spends it, and comes again as a repeat', () => {
    const [after, verdict] = spend(decided(block), block)
    expect(verdict).toEqual({ kind: 'spent', block: { ...block, request: 1, isSpent: true } })
    expect(verdictOn(after, block)).toBe('repeat')
  })

  test.each<[string, Registry, Call, string]>([
    ['that no model decided', decided(), block, 'no-block'],
    ['with the id of another block', decided(block), { ...block, id: 'toolu_2' }, 'no-block'],
    ['of another tool', decided(block), { ...block, tool: 'submit_outcome' }, 'other-tool'],
    ['with other arguments', decided(block), { ...block, input: canonical({ kind: 'note' }) }, 'other-arguments'],
    ['with arguments that nest too deep', decided(block), { ...block, input: undefined }, 'too-deep'],
    ['with arguments that nest too deep outside of any turn', outsideTurns, { ...block, input: undefined }, 'no-turn'],
    ['outside of any turn', register(outsideTurns, asked({ turn: undefined }), block), block, 'no-turn'],
    [
      'by a block that answers a request of an earlier turn',
      register(beginTurn('t2'), asked(), block),
      block,
      'no-block',
    ],
    [
      'by a block that answers a request from between the turns',
      register(beginTurn('t1'), asked({ turn: undefined }), block),
      block,
      'no-block',
    ],
    [
      'of a tool that the request did not declare',
      register(beginTurn('t1'), asked({ tools: new Set() }), block),
      block,
      'no-block',
    ],
    ['by a block of an answer that broke off', drop(decided(block), asked()), block, 'no-block'],
  ])('%s is refused', (_what, registry, call, reason) => {
    expect(verdictOn(registry, call)).toBe(reason)
  })

  test('spends one of two blocks that are alike, and leaves the other', () => {
    const other = { ...block, id: 'toolu_2' }
    const [after] = spend(decided(block, other), block)
    expect([verdictOn(after, block), verdictOn(after, other)]).toEqual(['repeat', 'spent'])
  })

  test('that was refused spends nothing', () => {
    const [after] = spend(decided(block), { ...block, input: '{}' })
    expect(verdictOn(after, block)).toBe('spent')
  })

  test('that spent its block before the answer broke off is still known', () => {
    const [spent] = spend(decided(block), block)
    expect(verdictOn(drop(spent, asked()), block)).toBe('repeat')
  })

  test('can not give a spent id a second life', () => {
    const [spent] = spend(decided(block), block)
    const again = { ...block, input: canonical({ kind: 'plan' }) }
    const after = register(spent, asked({ ordinal: 2 }), again)
    expect([verdictOn(after, again), verdictOn(after, block)]).toEqual(['other-arguments', 'repeat'])
  })

  test('of another answer stays when one breaks off', () => {
    const second = { ...block, id: 'toolu_2' }
    const both = register(decided(block), asked({ ordinal: 2 }), second)
    expect(verdictOn(drop(both, asked()), second)).toBe('spent')
  })
})

describe('arguments', () => {
  const equal = (left: string, right: string): boolean => canonical(JSON.parse(left)) === canonical(JSON.parse(right))
  test.each([
    ['{"a":1,"b":[null,{}]}', ' { "b" : [ null, { } ], "a" : 1.0 }'],
    ['{"e":12345678901234567890}', '{"e":12345678901234567000}'],
    ['{"t":"\\u00e9"}', '{"t":"é"}'],
    ['{"n":-0}', '{"n":0}'],
  ])('%s are the same as %s', (left, right) => expect(equal(left, right)).toBe(true))

  test.each([
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":null}', '{}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{"t":"é"}', '{"t":"e\\u0301"}'],
    ['{"__proto__":{"a":1}}', '{}'],
    ['{"a":"x\\",\\"b\\":\\"y"}', '{"a":"x","b":"y"}'],
    ['{"a":true}', '{"a":"true"}'],
  ])('%s are others than %s', (left, right) => expect(equal(left, right)).toBe(false))

  test.each<[string, (inner: unknown) => unknown]>([
    ['lists', (inner) => [0, inner]],
    ['objects', (inner) => ({ a: 0, b: inner })],
  ])('that nest in %s are compared up to the limit, and not one level beyond', (_what, around) => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : around(nested(levels - 1)))
    expect(JSON.parse(canonical(nested(maxDepth)))).toEqual(nested(maxDepth))
    expect(canonicalOf(nested(maxDepth + 1))).toBeUndefined()
  })

  test('that nest deeper than any stack are no text either', () => {
    const levels = 200_000
    expect(canonicalOf(JSON.parse('['.repeat(levels) + ']'.repeat(levels)))).toBeUndefined()
  })
})
