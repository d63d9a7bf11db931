import { expect, test } from 'vitest'
import { testClock } from '../../../http/testing/fixture.ts'
import { createAttempts } from './attempts.ts'
import { createSessions, type Sessions } from './sessions.ts'

const hour = 3_600_000

function fixture(key = 'key'): { readonly sessions: Sessions; readonly clock: ReturnType<typeof testClock> } {
  const clock = testClock()
  return { clock, sessions: createSessions({ clock, key, lifetimeMs: hour }) }
}

test('a session names who looks, and ends by itself (INSPECTOR-RULE-2)', () => {
  const { sessions, clock } = fixture()
  const session = sessions.open({ subject: 'ada', issuer: 'https://id.example' })
  const endsAt = clock.now() + hour
  clock.advance(hour - 1)
  expect(sessions.read(session)).toEqual({ subject: 'ada', issuer: 'https://id.example', endsAt })
  clock.advance(1)
  expect(sessions.read(session)).toBeUndefined()
})

test('a session of before a restart is open after it, and no session under another key (INSPECTOR-RULE-2)', () => {
  const session = fixture().sessions.open({ subject: 'ada', issuer: 'i' })
  expect(fixture().sessions.read(session)).toBeDefined()
  expect(fixture('other').sessions.read(session)).toBeUndefined()
  expect(fixture('').sessions.read(fixture('').sessions.open({ subject: 'ada', issuer: 'i' }))).toBeUndefined()
})

test('nobody changes a session or writes one without the key', () => {
  const { sessions, clock } = fixture()
  const [content, signature] = sessions.open({ subject: 'ada', issuer: 'i' }).split('.')
  const later = Buffer.from(JSON.stringify({ subject: 'ada', issuer: 'i', endsAt: clock.now() + 9 * hour }))
  const other = Buffer.from(JSON.stringify({ subject: 'ada', issuer: 'i', login: 'eve', endsAt: clock.now() + hour }))
  const forged = [
    `${later.toString('base64url')}.${signature}`,
    `${other.toString('base64url')}.${signature}`,
    `${content}.`,
    content!,
    `.${signature}`,
    '',
    '..',
  ]
  for (const text of forged) expect(sessions.read(text)).toBeUndefined()
})

test('an attempt to sign in is no session', () => {
  const { sessions, clock } = fixture()
  const { text } = createAttempts({ clock, ids: { next: () => 'id' }, key: 'key' }).begin()
  const [, , signature] = text.split(':')
  expect(sessions.read(text)).toBeUndefined()
  expect(sessions.read(text.replace(`:${signature}`, `.${signature}`))).toBeUndefined()
})
