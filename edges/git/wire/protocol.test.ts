import { expect, test } from 'vitest'
import { flushPkt, pktLine, readPkts } from './pkt-line.ts'
import { readPushRequest } from './push-commands.ts'
import { pushReport } from './push-report.ts'

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(source: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts).toString()
}

const COMMAND = `${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/x`

test.each([1, 3, 7, 4096])('commands and pack are told apart whatever the size of the chunks (%i)', async (size) => {
  const reader = readPkts(
    chunked(
      Buffer.concat([pktLine(`${COMMAND}\0 report-status side-band-64k`), flushPkt, Buffer.from('PACK and more')]),
      size,
    ),
  )
  const request = await readPushRequest(reader)
  expect(request.commands).toEqual([{ before: '0'.repeat(40), after: 'a'.repeat(40), ref: 'refs/heads/x' }])
  expect([...request.capabilities]).toEqual(['report-status', 'side-band-64k'])
  expect(await collect(reader.rest())).toBe('PACK and more')
})

test.each([
  ['an impossible length', '0003'],
  ['no length', 'zzzz'],
  ['an end within a line', '00ffabc'],
  ['an end within a length', '00'],
  ['a line that is no command', '0008abcd'],
  ['a shallow clone', pktLine(`shallow ${'a'.repeat(40)}`).toString()],
  ['a ref with a line break', pktLine(`${COMMAND}\nng`).toString()],
])('%s is refused', async (_what, text) => {
  await expect(readPushRequest(readPkts(chunked(Buffer.from(text), 2)))).rejects.toMatchObject({
    name: 'ProtocolError',
  })
})

test('a report keeps to one line a ref, whatever the reason holds', () => {
  const request = { commands: [], capabilities: new Set(['report-status']) }
  expect(pushReport(request, [{ ref: 'refs/heads/x', refused: 'two\nok refs/heads/y' }]).toString()).toContain(
    'ng refs/heads/x two ok refs/heads/y\n',
  )
  expect(pushReport({ ...request, capabilities: new Set() }, [{ ref: 'refs/heads/x' }])).toHaveLength(0)
})
