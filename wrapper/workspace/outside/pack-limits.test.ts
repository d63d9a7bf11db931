import { describe, expect, test } from 'vitest'
import { PackLimits } from './pack-limits.ts'

const limits = { refs: 3, objects: 10, bytes: 1000 }
const packet = (payload: string | Buffer): Buffer => {
  const body = Buffer.from(payload)
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body])
}
const flush = Buffer.from('0000')
const ref = (name: string): Buffer => packet(`${'a'.repeat(40)} ${name}\n`)
const header = (objects: number): Buffer => {
  const pack = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  pack.writeUInt32BE(objects, 8)
  return pack
}
const onBand = (payload: Buffer): Buffer => packet(Buffer.concat([Buffer.from([1]), payload]))

/** As one chunk, and byte by byte: a liar picks where its chunks end. */
function complaints(...sent: readonly Buffer[]): readonly (string | undefined)[] {
  const whole = new PackLimits(limits)
  const slow = new PackLimits(limits)
  const all = Buffer.concat(sent)
  let last: string | undefined
  for (const byte of all) last ??= slow.take(Buffer.from([byte]))
  return [whole.take(all), last]
}

describe('what an agent’s repository sends', () => {
  test('passes within the limits, with side bands and without', () => {
    const begin = [ref('HEAD'), ref('refs/heads/a'), flush, packet('NAK\n')]
    expect(complaints(...begin, onBand(header(10)), Buffer.from('what follows is no packet'))).toEqual([
      undefined,
      undefined,
    ])
    expect(complaints(...begin, header(10), Buffer.from('what follows'))).toEqual([undefined, undefined])
  })

  const refused: readonly [what: string, sent: readonly Buffer[], complaint: RegExp][] = [
    ['another version of the protocol', [packet('version 2\n')], /protocol version/],
    ['version 1', [packet('version 1'), ref('HEAD')], /protocol version/],
    ['a version after a ref', [ref('HEAD'), packet('version 2\n')], /protocol version/],
    ['more refs', ['a', 'b', 'c', 'd'].map(ref), /more than 3 refs/],
    ['more objects', [ref('a'), flush, packet('NAK\n'), onBand(header(11))], /more than 10 objects/],
    ['more objects without side bands', [ref('a'), flush, packet('NAK\n'), header(11)], /more than 10 objects/],
    [
      'a header in pieces',
      [ref('a'), flush, onBand(header(4e9).subarray(0, 5)), onBand(header(4e9).subarray(5))],
      /more than 10 objects/,
    ],
    ['more bytes', [ref('a'), flush, onBand(header(1)), Buffer.alloc(1001)], /more than 1000 bytes/],
    ['what is no packet', [Buffer.from('HTTP/1.1 200 OK')], /no packet/],
    ['a pack before any ref', [header(1)], /no packet/],
  ]
  test.each(refused)('is refused with %s', (_what, sent, complaint) => {
    for (const said of complaints(...sent)) expect(said).toMatch(complaint)
  })
})
