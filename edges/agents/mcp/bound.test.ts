import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostAnswerCharacters } from '../../../wrapper/tools/port.ts'
import { boundData, boundText, type BoundOptions } from './bound.ts'

const first: BoundOptions = { keep: 'first', hasCursor: true }
const things = (count: number, length: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, body: 'x'.repeat(length) }))

describe('a text', () => {
  it('is whole where it fits', () => {
    const text = 'x'.repeat(mostAnswerCharacters)
    expect(boundText(text, 0)).toBe(text)
  })

  it('is cut at a whole character, and read on by the offset that the cut names (TOOLS-23)', () => {
    const text = '🦩 is a bird\n'.repeat(20_000)
    let read = ''
    for (let offset = 0, left = 20; left > 0; left -= 1) {
      const answer = boundText(text, offset)
      expect(answer.length).toBeLessThanOrEqual(mostAnswerCharacters)
      expect(answer).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
      const cut = /\n\[cut: characters \d+ to (\d+) of \d+; call again with offset=\1 to read on\]$/.exec(answer)
      read += cut === null ? answer : answer.slice(0, cut.index)
      if (cut === null) break
      offset = Number(cut[1])
    }
    expect(read).toBe(text)
  })

  it('that became shorter since the cut says so', () => {
    expect(boundText('short', 90)).toBe('[the text has 5 characters, and none from 90 on]')
  })
})

describe('data', () => {
  it('is untouched where it fits', () => {
    const data = { items: things(10, 100), nextCursor: 'n' }
    expect(boundData(data, first)).toBe(data)
  })

  it('gives up the items at the end, and names the limit that fits: the cursor of the larger page would skip them (TOOLS-23)', () => {
    const data = { items: things(100, 1000), nextCursor: 'n', next_cursor: 'of the memory service' }
    const { items, ...rest } = boundData(data, first) as { items: { id: number }[] }
    expect(items.map(({ id }) => id)).toEqual(items.map((_, n) => n))
    expect(items.length).toBeGreaterThan(40)
    expect(rest).toEqual({
      cut: [
        `the first ${items.length} of 100 items: call again with limit=${items.length}, then go on with its nextCursor`,
      ],
    })
  })

  it('of a thread gives up the oldest (TOOLS-23)', () => {
    const { items } = boundData({ items: things(100, 1000) }, { ...first, keep: 'last' }) as { items: { id: number }[] }
    expect([items[0]?.id, items.at(-1)?.id]).toEqual([100 - items.length, 99])
  })

  it('without a cursor asks for a narrower question (TOOLS-23)', () => {
    const { cut } = boundData({ nodes: things(100, 1000) }, { ...first, hasCursor: false })
    expect(cut).toEqual([expect.stringMatching(/^the first \d+ of 100 nodes: ask a narrower question for the others$/)])
  })

  it('of one long body is cut there, and says the call that reads on (TOOLS-23)', () => {
    const body = '"quoted" 🦩\n'.repeat(8000)
    const data = { items: [{ number: 7, body }] }
    const readOn = (at: number): string => `call again with offset=${at}`
    const bounded = boundData(data, { ...first, readOn })
    expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(mostAnswerCharacters)
    expect(JSON.stringify(bounded).length).toBeGreaterThan(mostAnswerCharacters - 20)
    const { body: shown } = (bounded as typeof data).items[0]!
    const cut = new RegExp(
      `\\n\\[cut: (\\d+) of ${body.length} characters; call again with offset=\\1 to read on\\]$`,
    ).exec(shown)!
    expect(shown.slice(0, cut.index)).toBe(body.slice(0, Number(cut[1])))
  })

  it('that nothing of this can shorten says that it is too large (TOOLS-23)', () => {
    const deep = { graph: { nodes: things(20_000, 1) } }
    expect(boundData(deep, first)).toEqual({ cut: ['the answer is too large: ask a narrower question'] })
  })

  it('always fits, whatever it is (TOOLS-23)', () => {
    const long = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
    const text = fc.oneof(
      fc.string(),
      long.map(([of, times]) => of.repeat(times)),
    )
    const value = fc.oneof(text, fc.array(fc.record({ a: text, b: text }), { maxLength: 60 }), fc.integer())
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { maxKeys: 5 }), fc.constantFrom('first', 'last'), (data, keep) => {
        expect(JSON.stringify(boundData(data, { keep, hasCursor: true })).length).toBeLessThanOrEqual(
          mostAnswerCharacters,
        )
      }),
      { numRuns: 60 },
    )
  })
})
