import { expect, test } from 'vitest'
import { testClock } from '../../../http/testing/fixture.ts'
import { createTickets, type Tickets } from './tickets.ts'

const minute = 60_000

function fixture(): { readonly tickets: Tickets; readonly clock: ReturnType<typeof testClock> } {
  const clock = testClock()
  let count = 0
  return { clock, tickets: createTickets({ clock, ids: { next: () => `id${++count}.` } }) }
}

test('a ticket is used up by the session that it opens', () => {
  const { tickets } = fixture()
  const ticket = tickets.mint()
  expect(tickets.redeem(ticket)).toBe(true)
  expect(tickets.redeem(ticket)).toBe(false)
})

test('a ticket knows who asked for its link, as long as it is good', () => {
  const { tickets, clock } = fixture()
  const [ada, ben, nobody] = [tickets.mint('ada'), tickets.mint('ben'), tickets.mint()]
  expect([ada, ben, nobody, 'x'].map((ticket) => tickets.askedBy(ticket))).toEqual(['ada', 'ben', undefined, undefined])
  tickets.redeem(ada)
  expect(tickets.askedBy(ada)).toBeUndefined()
  clock.advance(10 * minute)
  expect(tickets.askedBy(ben)).toBeUndefined()
})

test('what nobody minted opens nothing', () => {
  const { tickets } = fixture()
  tickets.mint()
  for (const text of ['', 'id1.', 'id1.id2.x', 'undefined']) expect(tickets.redeem(text)).toBe(false)
})

test('a ticket lives ten minutes (INSPECTOR-2, INSPECTOR-RULE-2)', () => {
  const { tickets, clock } = fixture()
  const [early, late] = [tickets.mint(), tickets.mint()]
  clock.advance(10 * minute - 1)
  expect(tickets.redeem(early)).toBe(true)
  clock.advance(1)
  expect(tickets.redeem(late)).toBe(false)
})

test('minting without end fills no memory: the oldest tickets go', () => {
  const { tickets } = fixture()
  const first = tickets.mint()
  const others = Array.from({ length: 1000 }, () => tickets.mint())
  expect(tickets.redeem(first)).toBe(false)
  expect(tickets.redeem(others.at(-1)!)).toBe(true)
})
