/**
 * FORGE-RULES-6 over every interleaving of three comments and six events, on the rules alone: what a row becomes, and what
 * its actor is then told. `first-words.test.ts` plays single ones over the store, the webhook and the forge.
 */
import { describe, expect, test } from 'vitest'
import type { ForgeComment } from '../../port.ts'
import { withTelling } from '../facts/hands.ts'
import type { MirroredComment } from '../facts/records.ts'
import { unnotified } from '../facts/notifications.ts'

const comments = ['a', 'b', 'c'] as const
type Id = (typeof comments)[number]

/** `write`: the next comment is written, and its delivery is on its way. `outage`: that delivery is lost, till it is sent again. */
const moves = ['write', 'outage', 'deliver', 'again', 'read', 'crash'] as const
type Move = (typeof moves)[number]

function commentOf(id: Id): ForgeComment {
  const author = { login: 'maya', id: '1', bot: false }
  const at = 1_800_000_000_000
  return { id, sort: 'comment', on: 'mr', number: 7, author, body: '/cancel', url: '', createdAt: at, updatedAt: at }
}

type Rule = typeof withTelling

/** The mirror of one merge request of the platform, and the actor behind it, who skips a key that it had (R3). */
class Play {
  readonly rule: Rule
  readonly isOurs: boolean
  readonly rows = new Map<Id, MirroredComment>()
  readonly written: Id[] = []
  readonly sent: Id[] = []
  readonly delivered = new Set<Id>()
  readonly applied: Id[] = []
  complete = false
  #crashes = false

  constructor(rule: Rule, isOurs: boolean) {
    this.rule = rule
    this.isOurs = isOurs
  }

  play(move: Move): void {
    if (move === 'write' || move === 'outage') this.#write(move === 'write')
    else if (move === 'deliver') this.#deliver(this.sent.shift())
    else if (move === 'again') this.#deliver(this.written[0])
    else if (move === 'read') this.read()
    else this.#crashes = true
  }

  #write(isSent: boolean): void {
    const id = comments[this.written.length]
    if (id === undefined) return
    this.written.push(id)
    if (isSent) this.sent.push(id)
  }

  #take(id: Id, hint: Parameters<Rule>[2]): void {
    const row = this.rows.get(id)
    const next = this.rule(row, commentOf(id), hint, 0)
    if (next !== undefined) this.rows.set(id, next)
  }

  #deliver(id: Id | undefined): void {
    if (id === undefined) return
    this.#take(id, { action: 'created', news: true })
    this.#tell()
  }

  read(): void {
    for (const id of this.written) this.#take(id, { action: 'read', news: this.isOurs || this.complete })
    this.complete = true
    this.#tell()
  }

  /** A crash falls between the deliveries and the mark that they are done. */
  #tell(): void {
    const open = unnotified([...this.rows.values()])
    for (const { comment } of open) {
      const id = comment.id as Id
      if (!this.delivered.has(id)) this.applied.push(id)
      this.delivered.add(id)
    }
    if (!this.#crashes)
      for (const row of open) this.rows.set(row.comment.id as Id, { ...row, notified: true, heard: true })
    this.#crashes = false
  }
}

function playsOf(length: number): readonly (readonly Move[])[] {
  if (length === 0) return [[]]
  return playsOf(length - 1).flatMap((before) => moves.map((move) => [...before, move]))
}

/** Whatever happened: everything that is still under way arrives, and the mirror reads once more. */
function faultOf(rule: Rule, isOurs: boolean, plays: readonly Move[]): string | undefined {
  const play = new Play(rule, isOurs)
  for (const move of plays) play.play(move)
  while (play.sent.length > 0) play.play('deliver')
  play.read()
  const faults = play.written.filter((id) => play.applied.filter((one) => one === id).length !== 1)
  return faults.length === 0 ? undefined : `${plays.join(' ')}: ${faults.join()} of ${play.applied.join()}`
}

describe('each comment reaches its actor exactly once', () => {
  const every = playsOf(6)
  test(`on a merge request of the platform, over ${every.length} interleavings (FORGE-RULES-6)`, () => {
    expect(every.map((plays) => faultOf(withTelling, true, plays)).filter((fault) => fault !== undefined)).toEqual([])
  })
  test('elsewhere, wherever its delivery comes (FORGE-RULES-6)', () => {
    const sent = every.filter((plays) => !plays.includes('outage'))
    expect(sent.map((plays) => faultOf(withTelling, false, plays)).filter((fault) => fault !== undefined)).toEqual([])
  })
  test('not by the rules of before, which took a first reading for the whole truth', () => {
    const before: Rule = (row, comment, hint, now) =>
      row !== undefined && hint.action === 'created' ? undefined : withTelling(row, comment, hint, now)
    const sent = every.filter((plays) => !plays.includes('outage'))
    expect(sent.map((plays) => faultOf(before, false, plays)).find((fault) => fault !== undefined)).toBeDefined()
    // Nor does a first reading that makes no news, on what the platform opened itself.
    expect(faultOf(withTelling, false, ['outage', 'read'])).toBeDefined()
  })
})
