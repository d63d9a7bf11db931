/** A history that keeps all laws, and what the laws say when somebody has doctored it. */
import { describe, expect, it } from 'vitest'
import type { ActorAddress } from '../../../machines/definition.ts'
import { shardOf } from '../../../runtime/address.ts'
import type { Acknowledged, History, Row } from './history.ts'
import { brokenLaws } from './laws.ts'
import type { EffectLine } from './messages.ts'

const shards = 4
const task = 'task:1' as ActorAddress
const pod = 'pod:1' as ActorAddress

function row(seq: number, key: string, type: string, more: object = {}, effects: Row['effects'] = []): Row {
  return { seq, key, event: { type, at: 0, ...more }, effects, at: 1000 + seq * 100 }
}

function call(note: string, type = 'call'): Row['effects'] {
  return [{ type, params: { note } }]
}

const taskRows: readonly Row[] = [
  row(1, 'a', 'noted'),
  row(2, 'b', 'asked', {}, call('b')),
  row(3, 'task:1/2/0/done', 'call.done', { note: 'task:1/2/0' }),
  row(4, 'c', 'told', { partner: pod }),
  row(5, 'd', 'later', { ms: 50 }),
  row(6, 'timer:later:5', 'later.came'),
  row(7, 'e', 'askedInOrder', {}, call('e', 'callInOrder')),
  row(8, 'f', 'askedInOrder', {}, call('f', 'callInOrder')),
  row(9, 'task:1/7/0/done', 'call.done', { note: 'task:1/7/0' }),
  row(10, 'task:1/8/0/done', 'call.done', { note: 'task:1/8/0' }),
]

function acknowledged(key: string, seq: number): Acknowledged {
  return { actor: task, key, seq, sentAt: seq * 10, ackedAt: seq * 10 + 5 }
}

function line(key: string, note: string, at: number, more: Partial<EffectLine> = {}): EffectLine {
  return { key, type: 'call', params: `{"note":"${note}"}`, actor: task, owner: 'one', attempt: 1, at, ...more }
}

const inOrder = { type: 'callInOrder' } as const

const sound: History = {
  acknowledged: [acknowledged('a', 1), acknowledged('b', 2), acknowledged('c', 4), acknowledged('d', 5)],
  journals: new Map([
    [task, taskRows],
    [pod, [row(1, 'task:1/4/0', 'pod.told', { from: task, n: 1 })]],
  ]),
  performed: [
    line('task:1/2/0', 'b', 100),
    line('task:1/7/0', 'e', 200, inOrder),
    line('task:1/8/0', 'f', 300, inOrder),
    line('task:1/7/0', 'e', 400, { ...inOrder, attempt: 2 }),
  ],
  takeovers: [{ shard: shardOf(task, shards), epoch: 1, owner: 'one', at: 50 }],
  staleCommits: [],
  replays: [{ address: task, equal: true }],
  leftovers: [],
  owners: [0, 1, 2, 3].map((shard) => ({ shard, owner: shard < 2 ? 'one' : 'two' })),
  living: ['one', 'two'],
  shards,
  absences: [700, 1400, 9000].map((tookMs) => ({ tookMs, latestLookMs: 5 })),
  leaseMs: 1500,
}

function withTask(change: (rows: readonly Row[]) => readonly Row[]): History {
  return { ...sound, journals: new Map(sound.journals).set(task, change(taskRows)) }
}

function without(key: string): History {
  return withTask((rows) => rows.filter((one) => one.key !== key).map((one, index) => ({ ...one, seq: index + 1 })))
}

describe('the laws of chaos', () => {
  it('hold for a sound history', () => {
    expect(brokenLaws(sound)).toEqual([])
  })

  const doctored: readonly [what: string, history: History, says: RegExp][] = [
    ['an acknowledged event is lost', without('d'), /R1: d of task:1 was acknowledged and is lost/],
    [
      'an event was acknowledged at another place than it has',
      { ...sound, acknowledged: [acknowledged('a', 2)] },
      /R3: a of task:1 was acknowledged as 2 and is 1/,
    ],
    ['a key is applied twice', withTask((rows) => [...rows, row(11, 'a', 'noted')]), /R3: task:1 applied a twice/],
    ['the journal has a gap', withTask((rows) => rows.filter((one) => one.seq !== 1)), /R2: the journal of task:1/],
    [
      'two rows stand at one place',
      withTask((rows) => [...rows, row(10, 'z', 'noted')]),
      /R2: the journal of task:1 has a gap or a double/,
    ],
    [
      'an event overtook one that had been acknowledged before it was sent',
      withTask(([first, second, ...rest]) => [
        { ...second!, seq: 1, key: 'b' },
        { ...first!, seq: 2, key: 'a' },
        ...rest,
      ]),
      /R3|R2/,
    ],
    [
      'answers tell another order than the sending',
      { ...sound, acknowledged: [{ ...acknowledged('b', 2), sentAt: 1, ackedAt: 2 }, acknowledged('a', 1)] },
      /R2: a of task:1 was sent after 2 was acknowledged and is 1/,
    ],
    [
      'a writer did not own the shard',
      { ...sound, staleCommits: [{ actor: task, seq: 3, writer: 'two' }] },
      /R5: two committed task:1 3/,
    ],
    [
      'an effect was never performed',
      { ...sound, performed: sound.performed.filter(({ key }) => key !== 'task:1/2/0') },
      /R6: task:1\/2\/0 was never performed/,
    ],
    [
      'an effect was performed under another key',
      { ...sound, performed: [...sound.performed, line('task:1/9/0', 'b', 500)] },
      /R6: task:1\/9\/0 was performed and never decided/,
    ],
    [
      'an effect was performed with other params',
      { ...sound, performed: [...sound.performed, line('task:1/2/0', 'x', 500)] },
      /R6: task:1\/2\/0 was performed as something else/,
    ],
    [
      'a former owner began an effect',
      { ...sound, performed: [...sound.performed, line('task:1/2/0', 'b', 500, { owner: 'two' })] },
      /R5: two began task:1\/2\/0, which was one's/,
    ],
    [
      'an ordered effect overtook another',
      {
        ...sound,
        performed: [...sound.performed, line('task:1/8/0', 'f', 150, inOrder)],
      },
      /R2: the ordered effects of task:1 were first performed as 8, 7/,
    ],
    [
      'the result of an effect is lost',
      without('task:1/8/0/done'),
      /R6: the result of task:1\/8\/0 was applied 0 times/,
    ],
    [
      'the result of an effect is applied twice',
      withTask((rows) => [...rows, row(11, 'again', 'call.done', { note: 'task:1/2/0' })]),
      /R6: the result of task:1\/2\/0 was applied 2 times/,
    ],
    [
      'a timer fired twice',
      withTask((rows) => [...rows, row(11, 'timer:later:5', 'later.came')]),
      /R8: task:1 heard timer:later:5, which was not armed/,
    ],
    [
      'a timer fired that was armed anew meanwhile',
      withTask((rows) =>
        rows
          .map((one) => (one.seq === 4 ? row(4, 'c', 'later', { ms: 1 }) : one))
          .map((one) => (one.seq === 6 ? row(6, 'timer:later:4', 'later.came') : one)),
      ),
      /R8: task:1 heard timer:later:4/,
    ],
    [
      'a timer fired too early',
      withTask((rows) => rows.map((one) => (one.seq === 5 ? row(5, 'd', 'later', { ms: 500 }) : one))),
      /R8: timer:later:5 of task:1 fired before its time/,
    ],
    [
      'a timer never fired',
      withTask((rows) => [...rows, row(11, 'g', 'later', { ms: 5 })]),
      /R8: the timer that task:1 armed at 11 never fired/,
    ],
    ['a ping is lost', { ...sound, journals: new Map([[task, taskRows]]) }, /R9: of 1 pings task:1>pod:1 came 0/],
    [
      'a ping came twice',
      {
        ...sound,
        journals: new Map(sound.journals).set(pod, [
          row(1, 'x', 'pod.told', { from: task, n: 1 }),
          row(2, 'y', 'pod.told', { from: task, n: 1 }),
        ]),
      },
      /R9: of 1 pings task:1>pod:1 came 2/,
    ],
    [
      'a journal does not replay',
      { ...sound, replays: [{ address: task, equal: false, firstDifference: 'state x' }] },
      /R11.*state x/,
    ],
    ['something is left behind', { ...sound, leftovers: ['inbox: task:1 k'] }, /R7: left behind: inbox: task:1 k/],
    [
      'a shard has no owner',
      { ...sound, owners: [{ shard: 0, owner: null }, ...sound.owners.slice(1)] },
      /shard 0 is orphaned: nobody has it/,
    ],
    ['a shard belongs to the dead', { ...sound, living: ['one'] }, /shard 2 is orphaned: two has it/],
    [
      'the dead are replaced only after their lease',
      { ...sound, absences: [700, 1530, 9000].map((tookMs) => ({ tookMs, latestLookMs: 5 })) },
      /the shards of a dead process are held again after 1515 ms \(median\), its lease is 1500/,
    ],
    [
      'the shards are not divided fairly',
      { ...sound, living: ['one', 'two', 'three'] },
      /the shards are divided as 2, 2, 0/,
    ],
  ]

  it.each(doctored)('are broken when %s', (_, history, says) => {
    expect(brokenLaws(history).join('\n')).toMatch(says)
  })
})
