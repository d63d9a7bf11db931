/**
 * LAW-24 within one second, which is all that webhooks tell: a maintainer writes, another edits or deletes, and hooks and readings
 * come in any order, doubled or never. By the rules and the adapters' own reading of times, without the store.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commentOf as githubComment } from '../../github/records.ts'
import { commentOf as gitlabComment } from '../../gitlab/records.ts'
import type { ForgeComment } from '../../port.ts'
import { isOwnText, isUnproven, tellingOf, withTelling, type CommentHint } from '../facts/hands.ts'
import type { MirroredComment } from '../facts/records.ts'
import { wordsIn } from '../facts/words.ts'

const second = Date.parse('2026-01-02T03:04:05Z')
const [mike, sam] = ['mike', 'sam'].map((login, at) => ({ login, id: String(at + 1), bot: false }))
const beginnings = ['Hm, no.', 'Please hold off, legal has to look at this first.', '/hold', '/approve'] as const
const edits = ['/approve', '/allow-ci-changes', 'fine by me'] as const

type Move =
  | { readonly do: 'edit'; readonly body: (typeof edits)[number] }
  | { readonly do: 'delete' }
  | { readonly do: 'hear'; readonly hook: number }
  /** `says`: the forge answers who edited it. */
  | { readonly do: 'read'; readonly says: boolean }

interface Shown {
  readonly body: string
  /** Of its last edit, in milliseconds after the second began. */
  readonly at: number
}

interface Dialect {
  /** As a webhook shows it, and as the forge is read. */
  readonly told: (shown: Shown) => ForgeComment
  readonly read: (shown: Shown) => ForgeComment
  /** Its webhooks name who edited and who deleted. */
  readonly names: boolean
}

const created = 100

function githubShown({ body, at }: Shown): ForgeComment {
  const time = (ms: number): string => new Date(second + ms).toISOString().replace(/\.\d+/, '')
  const times = { created_at: time(created), updated_at: time(at) }
  return githubComment(
    { id: 7, node_id: 'x', body, user: { login: 'mike', id: 1 }, html_url: '', ...times },
    'issue',
    1,
  )
}

function gitlabShown({ body, at }: Shown, write: (time: string) => string): ForgeComment {
  const [created_at, updated_at] = [created, at].map((ms) => write(new Date(second + ms).toISOString()))
  const note = { id: 7, body, author: { username: 'mike', id: 1 }, created_at: created_at!, updated_at: updated_at! }
  return gitlabComment(note, { on: 'issue', number: 1, url: '' })
}

const whole = (time: string): string => time.replace(/\.\d+Z/, ' UTC').replace('T', ' ')

const dialects: Readonly<Record<'GitHub' | 'GitLab', Dialect>> = {
  GitHub: { told: githubShown, read: githubShown, names: true },
  GitLab: { told: (shown) => gitlabShown(shown, whole), read: (shown) => gitlabShown(shown, String), names: false },
}

interface Rules {
  readonly hands: typeof withTelling
  readonly words: typeof wordsIn
}

const rules: Rules = { hands: withTelling, words: wordsIn }

/** One comment on its forge, and the mirror's row of it. */
class Play {
  readonly #dialect: Dialect
  readonly #rules: Rules
  readonly #hooks: (readonly [ForgeComment, CommentHint])[] = []
  #shown: Shown
  #isGone = false
  #isEdited = false
  row: MirroredComment | undefined

  constructor(dialect: Dialect, given: Rules, body: string) {
    this.#dialect = dialect
    this.#rules = given
    this.#shown = { body, at: created }
    this.#send('created', mike)
  }

  play(move: Move): void {
    if (move.do === 'hear') this.#hear(move.hook)
    else if (move.do === 'read') this.#read(move.says)
    else if (!this.#isGone) this.#change(move)
  }

  #send(action: 'created' | 'edited' | 'deleted', by = sam, from?: string): void {
    const hint = { action, news: false, ...(by && { by }), ...(from === undefined ? {} : { from }) }
    this.#hooks.push([this.#dialect.told(this.#shown), hint])
  }

  #change(move: Extract<Move, { do: 'edit' | 'delete' }>): void {
    const { names } = this.#dialect
    const { body: from, at } = this.#shown
    if (move.do === 'edit') {
      this.#shown = { body: move.body, at: at + 1 }
      this.#isEdited = true
      if (names) this.#send('edited', sam, from)
    } else {
      this.#isGone = true
      if (names) this.#send('deleted')
    }
  }

  #take(comment: ForgeComment, hint: CommentHint): void {
    this.row = this.#rules.hands(this.row, comment, hint, second) ?? this.row
  }

  #hear(index: number): void {
    const hook = this.#hooks[index % this.#hooks.length]!
    this.#take(...hook)
  }

  #read(says: boolean): void {
    if (this.#isGone) {
      if (this.row) this.row = { ...this.row, deletedAt: this.row.deletedAt ?? second }
      return
    }
    const { body } = this.#shown
    const comment = this.#dialect.read(this.#shown)
    this.#take(comment, { action: 'read', news: false })
    if (!says || !this.#dialect.names || !isUnproven(this.row!)) return
    const told = tellingOf(comment, { id: '7', body, ...(this.#isEdited ? { by: 'sam' } : {}) })
    if (told !== undefined) this.#take(...told)
  }

  /** What it lifts, and how it withholds: 2 by a withdrawal, 1 by a doubt. */
  standing(): { readonly lifts: number; readonly withholds: number } {
    const place = { kind: 'issue', repository: 'library', number: 1 } as const
    const people = { isMaintainer: ({ login }: { readonly login: string }) => login === 'mike' }
    const { withheld, lifts } = this.#rules.words({ threadRef: place, rows: this.row ? [this.row] : [], people })
    return { lifts: lifts.length, withholds: Math.max(0, ...withheld.map(({ kind }) => (kind === 'hold' ? 2 : 1))) }
  }
}

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant('edit' as const), body: fc.constantFrom(...edits) }),
  fc.constant({ do: 'delete' } as const),
  fc.record({ do: fc.constant('hear' as const), hook: fc.nat(3) }),
  fc.record({ do: fc.constant('read' as const), says: fc.boolean() }),
)

/** The first move after which something grants that no maintainer wrote, or a word that stood withholds less. */
function faultOf(dialect: Dialect, given: Rules, body: string, moves: readonly Move[]): string | undefined {
  const play = new Play(dialect, given, body)
  let most = 0
  for (const one of moves) {
    play.play(one)
    const { lifts, withholds } = play.standing()
    const text = play.row?.comment.body ?? body
    const isOwn = play.row !== undefined && isOwnText(play.row)
    if (text !== body && (lifts > 0 || (isOwn && text.startsWith('/')))) return 'it grants or commands'
    if (withholds < most) return 'a word that withholds was lifted'
    most = withholds
  }
  return undefined
}

function check(dialect: Dialect, given: Rules): { readonly failed: boolean; readonly counterexample: unknown } {
  const story = fc.property(fc.constantFrom(...beginnings), fc.array(move, { maxLength: 7 }), (body, moves) => {
    const fault = faultOf(dialect, given, body, moves)
    if (fault !== undefined) throw new Error(fault)
  })
  return fc.check(story, { numRuns: 3000, seed: 20261128 })
}

describe.each(Object.entries(dialects))('LAW-24, within one second on %s', (_name, dialect) => {
  test('what another makes of a comment grants nothing, and what its author withheld stands', () => {
    expect(check(dialect, rules)).toMatchObject({ failed: false, counterexample: null })
  })
  test('an approval that nobody touched grants, once it is told, or read and known to be unedited', () => {
    for (const moves of [[{ do: 'hear', hook: 0 }], [{ do: 'read', says: true }]] as const) {
      const play = new Play(dialect, rules, '/approve')
      for (const one of moves) play.play(one)
      expect(play.standing()).toEqual({ lifts: 1, withholds: 0 })
    }
  })
})

test('an approval that is only read grants nothing on GitHub while nobody says that it is unedited', () => {
  const play = new Play(dialects.GitHub, rules, '/approve')
  play.play({ do: 'read', says: false })
  expect(play.standing().lifts).toBe(0)
})

const { GitHub, GitLab } = dialects

describe('a mirror with a planted bug breaks it', () => {
  const ofAuthor: Rules['hands'] = (row, comment, hint, now) =>
    withTelling(row, hint.action === 'read' ? { ...comment, edited: false } : comment, hint, now)
  const restored: Rules['hands'] = (row, comment, hint, now) => {
    const next = withTelling(row, comment, hint, now) ?? row
    if (next === undefined || hint.action !== 'created') return next
    const { editedBy: _, ...unsigned } = next
    return unsigned
  }
  const forgetful: Rules['words'] = (thread) => {
    const { lifts, withheld } = wordsIn(thread)
    const isGone = thread.rows.some(({ deletedAt }) => deletedAt !== undefined)
    return { lifts, withheld: withheld.filter(({ kind }) => kind !== 'doubt' || !isGone) }
  }
  const unkept: Rules['hands'] = (row, comment, hint, now) => {
    const { withdrawal, ...next } = withTelling(row, comment, hint, now) ?? row!
    return withdrawal?.text.startsWith('/') === true ? { ...next, withdrawal } : next
  }
  const floored = (shown: Shown): ForgeComment => gitlabShown(shown, (time) => time.replace(/\.\d+/, '.000'))
  test.each<[string, Dialect, Partial<Rules>]>([
    ['a doubt goes with anybody’s deletion', GitHub, { words: forgetful }],
    ['a doubt goes with anybody’s edit', GitLab, { hands: unkept }],
    ['a comment that was read is its author’s', GitHub, { hands: ofAuthor }],
    ['a late creation gives the text back to its author', GitHub, { hands: restored }],
    ['a late creation gives the text back to its author on GitLab', GitLab, { hands: restored }],
    ['GitLab’s milliseconds are thrown away', { ...GitLab, read: floored }, {}],
  ])('%s', (_name, dialect, changed) => {
    expect(check(dialect, { ...rules, ...changed }).failed).toBe(true)
  })
})
