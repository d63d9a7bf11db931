import { describe, expect, test } from 'vitest'
import { notesAfter, signedEdit, signedLate, textHash, type SignedEdit, type TextNotes } from './subject-text.ts'

const first = 1_800_000_000_000
const at = (minute: number): number => first + minute * 60_000
const clean: TextNotes = { editedByOther: false }

type Act = readonly [text: string, minute: number, by?: 'trusted' | 'other', from?: string]

function edit([text, minute, by, from = '']: Act): SignedEdit | undefined {
  return by && { isTrusted: by === 'trusted', from, to: text, at: at(minute) }
}

/** Seen one after another, the first without a hand. */
function after(...acts: readonly Act[]): TextNotes {
  const [, notes] = acts.reduce<readonly [Act, TextNotes]>(
    ([last, known], act) => [
      act,
      notesAfter({ hash: last[0], at: at(last[1]), notes: known }, { hash: act[0], at: at(act[1]) }, edit(act)),
    ],
    [['a', 0], clean],
  )
  return notes
}

const others = (minute: number): object => ({ editedByOther: true, othersAt: at(minute) })

describe('the text of an issue', () => {
  test.each<[string, readonly Act[], object]>([
    ['is as it was when nothing changes', [['a', 1]], clean],
    ['stays trusted when a trusted hand edits what stood there', [['b', 1, 'trusted', 'a']], clean],
    ['is others’ when others edit it', [['b', 1, 'other', 'a']], others(1)],
    ['is others’ when nobody says who edited it', [['b', 1]], others(1)],
    ['is others’ when a trusted hand edited another text than was known', [['c', 1, 'trusted', 'b']], others(1)],
    ['is others’ when the text that stands is not the one that the event tells', [['c', 1]], others(1)],
    [
      'keeps the time of others’ edit through those of trusted hands',
      [
        ['b', 1, 'other', 'a'],
        ['c', 2, 'trusted', 'b'],
      ],
      { editedByOther: false, othersAt: at(1) },
    ],
    [
      'is others’ anew when they write back what a trusted hand took out',
      [
        ['b', 1, 'trusted', 'a'],
        ['a', 2, 'other', 'b'],
      ],
      others(2),
    ],
    [
      'is others’ since an event named them for what a read had shown',
      [
        ['b', 1],
        ['b', 1, 'other', 'a'],
      ],
      others(1),
    ],
    [
      'is trusted once the event of what a read had shown names a trusted hand',
      [
        ['b', 1],
        ['b', 1, 'trusted', 'a'],
      ],
      clean,
    ],
    [
      'stays others’ when the event is of another change to the same text',
      [
        ['b', 1],
        ['b', 1, 'trusted', 'x'],
      ],
      others(1),
    ],
  ])('%s', (_name, acts, expected) => {
    const { doubt: _, ...notes } = after(...acts)
    expect(notes).toEqual(expected)
  })

  test('is trusted once the older of two trusted edits is told, after the newer', () => {
    const gap = after(['c', 2, 'trusted', 'b'])
    expect(gap).toMatchObject(others(2))
    expect(signedLate(gap, edit(['b', 1, 'trusted', 'a']))).toEqual(clean)
    expect(signedLate(gap, edit(['b', 1, 'other', 'a']))).toEqual(gap)
  })
  test('is not made trusted by an event that is older than the text it was changed from', () => {
    const unsigned = after(['b', 1, 'trusted', 'a'], ['a', 2, 'trusted', 'b'], ['b', 3])
    expect(signedLate(unsigned, edit(['b', 1, 'trusted', 'a']))).toEqual(unsigned)
    expect(signedLate(unsigned, edit(['b', 3, 'trusted', 'a']))).toEqual(clean)
  })
  test('keeps the time of the newest edit of an agent, also where the event of an older one comes after it', () => {
    const byAgent = (act: Act): SignedEdit => ({ ...edit(act)!, isAgents: true })
    const newer = notesAfter(
      { hash: 'a', at: at(0), notes: clean },
      { hash: 'c', at: at(3) },
      byAgent(['c', 3, 'trusted', 'b']),
    )
    expect(signedLate(newer, byAgent(['b', 1, 'trusted', 'a']))).toEqual({ editedByOther: false, agentEditAt: at(3) })
  })
  test('that was others’ before an unsigned edit stays so when that edit is signed', () => {
    const notes = after(['b', 1, 'other', 'a'], ['c', 2], ['c', 2, 'trusted', 'b'])
    expect(notes).toEqual({ editedByOther: false, othersAt: at(1) })
  })
})

test('an event signs an edit of title or body, and no other change', () => {
  const by = { login: 'mike', id: '1', bot: false }
  const told = { title: 'A', body: 'B', updatedAt: first }
  const trust = (): boolean => true
  const signed = { isTrusted: true, at: first, to: textHash(told) }
  const before = (change: { title?: string; body?: string }): SignedEdit | undefined =>
    signedEdit({ action: 'edited', by, before: change }, told, trust)
  expect(before({ title: 'X' })).toEqual({ ...signed, from: textHash({ title: 'X', body: 'B' }) })
  expect(before({ body: '' })).toEqual({ ...signed, from: textHash({ title: 'A', body: '' }) })
  expect(before({})).toBeUndefined()
  expect(signedEdit({ action: 'labeled', by, before: { title: 'X' } }, told, trust)).toBeUndefined()
})
