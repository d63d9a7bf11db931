import { expect, test } from 'vitest'
import { testClock } from '../../http/testing/fixture.ts'
import { createTickets, type Tickets } from './tickets.ts'

const minute = 60_000

function fixture(sessionKey = 'key'): { readonly tickets: Tickets; readonly clock: ReturnType<typeof testClock> } {
  const clock = testClock()
  let count = 0
  return { clock, tickets: createTickets({ clock, ids: { next: () => `id${++count}.` }, sessionKey }) }
}

test('a ticket opens one session and is used up by it', () => {
  const { tickets } = fixture()
  const ticket = tickets.mint()
  const session = tickets.redeem(ticket)
  expect(session).toBeTypeOf('string')
  expect(tickets.isSession(session!)).toBe(true)
  expect(tickets.redeem(ticket)).toBeUndefined()
  expect(session).not.toBe(ticket)
})

test('a ticket is no session and a session no ticket', () => {
  const { tickets } = fixture()
  const ticket = tickets.mint()
  expect(tickets.isSession(ticket)).toBe(false)
  expect(tickets.redeem(tickets.redeem(ticket)!)).toBeUndefined()
})

test('what nobody minted opens nothing', () => {
  const { tickets } = fixture()
  tickets.mint()
  for (const text of ['', 'id1.', 'id1.id2.x', 'undefined']) expect(tickets.redeem(text)).toBeUndefined()
})

test('a ticket lives ten minutes (INSPECTOR-RULE-2)', () => {
  const { tickets, clock } = fixture()
  const [early, late] = [tickets.mint(), tickets.mint()]
  clock.advance(10 * minute - 1)
  expect(tickets.redeem(early)).toBeDefined()
  clock.advance(1)
  expect(tickets.redeem(late)).toBeUndefined()
})

test('a session of before a restart is open after it, and no session under another key (INSPECTOR-RULE-2)', () => {
  const { tickets } = fixture()
  const session = tickets.redeem(tickets.mint())!
  expect(fixture().tickets.isSession(session)).toBe(true)
  expect(fixture('other').tickets.isSession(session)).toBe(false)
})

test('nobody lengthens a session or writes one without the key', () => {
  const { tickets } = fixture()
  const session = tickets.redeem(tickets.mint())!
  const [end, signature] = session.split('.')
  const forged = [`${Number(end) + 1}.${signature}`, `${end}.`, `${end}`, `.${signature}`, `${end}.sha256=00`, '9e99']
  for (const text of forged) expect(tickets.isSession(text)).toBe(false)
})

test('a session ends by itself after twelve hours (INSPECTOR-RULE-2)', () => {
  const { tickets, clock } = fixture()
  const session = tickets.redeem(tickets.mint())!
  clock.advance(12 * 60 * minute - 1)
  expect(tickets.isSession(session)).toBe(true)
  clock.advance(1)
  expect(tickets.isSession(session)).toBe(false)
})

test('minting without end fills no memory: the oldest tickets go', () => {
  const { tickets } = fixture()
  const first = tickets.mint()
  const others = Array.from({ length: 1000 }, () => tickets.mint())
  expect(tickets.redeem(first)).toBeUndefined()
  expect(tickets.redeem(others.at(-1)!)).toBeDefined()
})
