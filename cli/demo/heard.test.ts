import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../local/standins.ts'
import { unheard, type Heard, type HeardTurn, type JournalRow } from './heard.ts'

const text = 'Word 1 of seed 5: the names of the tests read well.'
const audit: readonly AuditEntry[] = [
  {
    at: '2026-01-02T03:04:05Z',
    actor: 'maria',
    action: 'comment.create',
    repository: 'acme/a',
    number: 1,
    detail: { comment: 7, body: text },
  },
  { at: '2026-01-02T03:05:05Z', actor: 'statewright-bot', action: 'pull.merge', repository: 'acme/a', number: 2 },
]

function row(seq: number, event: JournalRow['event'], more: Partial<JournalRow> = {}): JournalRow {
  return { seq, at: seq, key: `key-${seq}`, event, effects: [], ...more }
}

const passedOn = [{ type: 'deliver', params: { to: 'task:default/a', event: { type: 'human.commented' } } }]
const commented = row(4, { type: 'issue.commented', commentId: '7', text }, { key: 'comment/7', effects: passedOn })
const told = row(10, { type: 'human.commented', text })
const asks = row(
  11,
  { type: 'turn.result' },
  { effects: [{ type: 'deliver', params: { to: 'pod:a/1', event: { type: 'turn.requested', eventsUpTo: 1 } } }] },
)
const accepted = row(12, { type: 'turn.accepted' })
const turn = (more: Partial<HeardTurn> = {}): HeardTurn => ({ ended: true, events: [text], comments: [text], ...more })
const well: Heard = {
  subjects: [commented],
  task: [told, asks, accepted],
  turns: [turn({ events: [], comments: [] }), turn(), turn({ events: [] })],
}

function faults(more: Partial<Heard>, of: readonly AuditEntry[] = audit): readonly string[] {
  return unheard(of, { ...well, ...more }).map((fault) => fault.replace(/: #1 Word 1.*$/, ''))
}

describe('a word that reached the agent once', () => {
  test('is no fault', () => {
    expect(faults({})).toEqual([])
  })

  test('may be a command, of which the actor keeps the key alone', () => {
    const command = row(4, { type: 'mr.command', command: 'goAhead' }, { key: 'forge/command/7' })
    expect(faults({ subjects: [command], task: [], turns: [] })).toEqual([])
  })

  test('may be new to a turn that was cut off and to the one after it', () => {
    expect(faults({ turns: [turn({ ended: false }), turn()] })).toEqual([])
  })

  test('may be known from the list of comments alone, where the turn that carried it was never played', () => {
    expect(faults({ turns: [turn({ events: [] })] })).toEqual([])
  })

  test('may have no turn left that could carry it', () => {
    expect(faults({ task: [asks, accepted, { ...told, seq: 13 }], turns: [] })).toEqual([])
    expect(faults({ task: [told, asks], turns: [] })).toEqual([])
    expect(faults({ task: [told, accepted, { ...asks, seq: 13 }], turns: [] })).toEqual([])
  })

  test('may have come before the Task owned the issue, which the agent finds in the list of comments', () => {
    const early = { ...commented, effects: [] }
    expect(faults({ subjects: [early], task: [asks, accepted], turns: [turn({ events: [] })] })).toEqual([])
  })

  test('is not looked for where no stand-in saw the turns', () => {
    expect(faults({ turns: undefined })).toEqual([])
  })
})

describe('a fault is found', () => {
  test('in a word of which no actor was told', () => {
    expect(faults({ subjects: [] })).toEqual(['a word was lost'])
    expect(faults({ subjects: [{ ...commented, key: 'comment/17', event: { commentId: '17' } }] })).toEqual([
      'a word was lost',
    ])
  })

  test('but not in one of the very last moment before the merge, or after it', () => {
    const at = (time: string): readonly AuditEntry[] => [{ ...audit[0]!, at: time }, audit[1]!]
    expect(faults({ subjects: [] }, at('2026-01-02T03:05:04Z'))).toEqual([])
    expect(faults({ subjects: [] }, at('2026-01-02T03:05:02Z'))).toEqual(['a word was lost'])
  })

  test('in a word that an actor was told twice, under whatever key', () => {
    expect(faults({ subjects: [commented, { ...commented, seq: 5, key: 'other' }] })).toEqual([
      'a word was told 2 times',
    ])
  })

  test('in a word that did not reach the Task, or reached it twice', () => {
    expect(faults({ task: [asks, accepted] })).toEqual(['a word did not reach the Task'])
    const late = { ...commented, effects: [], at: asks.at + 30_000 }
    expect(faults({ subjects: [late], task: [asks, accepted] })).toEqual(['a word did not reach the Task'])
    expect(faults({ task: [told, asks, { ...told, seq: 13 }] })).toEqual(['the Task was told a word 2 times'])
  })

  test('in a word that is new to two whole turns', () => {
    expect(faults({ turns: [turn(), turn()] })).toEqual(['the agent was told a word 2 times as new'])
  })

  test('in a journal that asks for none of the turns that were played', () => {
    expect(faults({ task: [told, accepted] })).toEqual(['the model played turns for which no Task asked'])
  })

  test('in a word that no turn after it showed', () => {
    const unseen = [turn({ events: [], comments: [] })]
    expect(faults({ turns: unseen })).toEqual(['a word did not reach the agent'])
    const early = { ...commented, effects: [] }
    const more = { subjects: [early], turns: unseen }
    expect(faults({ ...more, task: [asks, accepted] })).toEqual(['a word did not reach the agent'])
    expect(faults({ ...more, task: [{ ...asks, at: 3 }, accepted] })).toEqual([])
  })
})
