import { expect, test } from 'vitest'
import { constantTimeEqual, signHmac, verifyHmac } from './hmac.ts'

test("the signature is GitHub's: its documented example verifies", () => {
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  expect(signHmac("It's a Secret to Everybody", 'Hello, World!')).toBe(signature)
  expect(verifyHmac("It's a Secret to Everybody", 'Hello, World!', signature)).toBe(true)
})

test.each([
  ['another body', 'key', 'other', signHmac('key', 'body')],
  ['another secret', 'other', 'body', signHmac('key', 'body')],
  ['no signature', 'key', 'body', undefined],
  ['an empty signature', 'key', 'body', ''],
  ['a truncated signature', 'key', 'body', signHmac('key', 'body').slice(0, -1)],
  ['no algorithm', 'key', 'body', signHmac('key', 'body').slice('sha256='.length)],
  ['upper-case hex', 'key', 'body', signHmac('key', 'body').toUpperCase()],
  ['an empty secret, though the signature was made with it', '', 'body', signHmac('', 'body')],
])('%s does not verify', (_what, secret, body, signature) => {
  expect(verifyHmac(secret, body, signature)).toBe(false)
})

test('bytes that are no text verify as the bytes that they are', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00])
  expect(verifyHmac('key', bytes, signHmac('key', bytes))).toBe(true)
  expect(verifyHmac('key', bytes.toString(), signHmac('key', bytes))).toBe(false)
})

test('texts of different length compare without an error', () => {
  expect([constantTimeEqual('a', 'a'), constantTimeEqual('a', 'ab'), constantTimeEqual('', '')]).toEqual([
    true,
    false,
    true,
  ])
})
