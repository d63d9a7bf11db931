import { expect, test } from 'vitest'
import { Type } from 'typebox'
import { Problem } from '../../../http/problems/problem.ts'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { UsageError } from '../../args.ts'
import { logs } from './logs.ts'
import { said, withOrchestrator, type Said } from '../testing/fixture.ts'

const hasty: Clock = { ...systemClock, setTimer: (_delay, callback) => systemClock.setTimer(1, callback) }
const usual = { task: 'default/a', pod: 2, isLive: false, lines: [], truncated: false, cursor: '' }
const line =
  '{"level":30,"time":"2026-01-01T00:00:00.000Z","name":"wrapper","msg":"ready \\u001b[31m","url":"http://a"}'
const away = Symbol('away')
const Query = Type.Record(Type.String(), Type.String())

/** An orchestrator that answers so, one after another; a text is a 404, `away` is an orchestrator that starts. */
function answering(
  answers: readonly (object | string | typeof away)[],
  use: (ask: (...args: readonly string[]) => Promise<Said>, asked: readonly object[]) => Promise<void>,
  why?: object,
): Promise<void> {
  const left = [...answers]
  const asked: object[] = []
  return withOrchestrator(
    ({ dir }) => use((...args) => said(async () => expect(await logs([...args, '--dir', dir], hasty)).toBe(0)), asked),
    (app) => {
      app.get('/operations/logs', { schema: { querystring: Query } }, async ({ query }) => {
        asked.push(query)
        const answer = left.shift() ?? 'nothing more'
        if (typeof answer === 'string') throw new Problem('not-found', answer)
        if (answer === away) throw new Problem('not-ready', 'it starts')
        return { ...usual, ...answer }
      })
      if (why !== undefined) app.get('/operations/why', { schema: { querystring: Query } }, async () => why)
    },
  )
}

test('prints the lines readable, and with --json as they are', () =>
  answering([{ lines: [line, 'a\u001b[2Jb'] }, { lines: [line, 'a\u001b[2Jb'] }], async (ask, asked) => {
    expect(await ask('team/a')).toEqual({
      out: '2026-01-01T00:00:00.000Z INFO  ready \\u001b[31m url=http://a\na\\u001b[2Jb',
      err: '',
    })
    expect((await ask('a', '--json', '--pod', '2', '--tail=7')).out).toBe(`${line}\na\\u001b[2Jb`)
    expect(asked).toEqual([{ task: 'team/a' }, { task: 'a', pod: '2', tail: '7' }])
  }))

test('notes beside the log what is missing in it', () =>
  answering([{ truncated: true, lines: ['x'] }, { isLive: true, waits: 'no node\u001b' }, {}], async (ask) => {
    expect(await ask('a')).toEqual({ out: 'x', err: 'earlier lines are left out; --tail gives more' })
    expect(await ask('a')).toEqual({ out: '', err: 'pod 2 of default/a has logged nothing yet: no node\\u001b' })
    expect(await ask('a')).toEqual({ out: '', err: 'pod 2 of default/a logged nothing' })
  }))

test('--follow prints what is new until the pod ended, and stays with that pod', () =>
  answering(
    [
      { isLive: true },
      { isLive: true, lines: ['one'], cursor: 'c1' },
      { isLive: true, lines: [], cursor: 'c1' },
      { isLive: true, lines: ['two'], cursor: 'c2', truncated: true },
      { isLive: false, lines: ['three'], cursor: 'c3' },
    ],
    async (ask, asked) => {
      const { out, err } = await ask('a', '--follow')
      expect(out).toBe('one\ntwo\nthree')
      expect(err).toBe('pod 2 of default/a has logged nothing yet\nlines between these were left out')
      const since = { task: 'a', pod: '2', tail: '5000' }
      expect(asked).toEqual([{ task: 'a' }, since, ...['c1', 'c1', 'c2'].map((cursor) => ({ ...since, cursor }))])
    },
  ))

test('--follow goes on over an orchestrator that starts again, and gives up after a minute of misses', () =>
  answering(
    [{ isLive: true, lines: ['one'], cursor: 'c1' }, away, away, { isLive: false, lines: ['two'], cursor: 'c2' }],
    async (ask) => {
      expect(await ask('a', '--follow')).toEqual({
        out: 'one\ntwo',
        err: 'the orchestrator does not answer; it is asked again',
      })
    },
  ).then(() =>
    answering([{ isLive: true }, ...Array.from({ length: 31 }, (): typeof away => away)], async (ask, asked) => {
      await expect(ask('a', '--follow')).rejects.toThrow('it starts')
      expect(asked).toHaveLength(32)
    }),
  ))

test('--follow ends in order when the cluster takes the pod away, and with an error where the Task has none', () =>
  answering([{ isLive: true, lines: ['one'], cursor: 'c1' }, 'the log is gone', 'no Task'], async (ask) => {
    expect(await ask('a', '--follow')).toEqual({ out: 'one', err: 'pod 2 of default/a is gone, and its log with it' })
    await expect(ask('a', '--follow')).rejects.toThrow('no Task')
  }))

test('says the last words of the agent of a pod that ended, and of no other pod', async () => {
  const lastTurn = {
    pod: 2,
    words: 'I stop here.\u001b\nFORGED',
    tool: { name: 'Edit', failed: true },
    ended: 'end_turn',
  }
  const why = {
    ...{ task: 'default/a', stage: 'parked', resting: null, detail: null, below: [], queue: null, nextTimer: null },
    ...{ reviewRounds: null, spending: null, path: null, refusedCalls: [], memory: [], lastTurn },
  }
  const words =
    'last words  I stop here.\\u001b\n            FORGED\nlast tool   Edit, which failed\nits turn    ended: end_turn'
  const answers = [{ lines: ['x'] }, { lines: ['x'], pod: 1 }, { lines: ['x'], isLive: true }]
  await answering(
    answers,
    async (ask) => {
      expect(await ask('a')).toEqual({ out: 'x', err: words })
      expect((await ask('a', '--pod', '1')).err).toBe('')
      expect((await ask('a')).err).toBe('')
    },
    why,
  )
  await answering(
    [{ isLive: true, lines: ['x'], cursor: 'c1' }, { lines: ['y'] }],
    async (ask) => expect(await ask('a', '--follow')).toEqual({ out: 'x\ny', err: words }),
    why,
  )
})

test('a wrong call names every fault, and asks nobody', async () => {
  const wrong = logs(['--pod', 'x', '--tail=-1', '--follow'])
  await expect(wrong).rejects.toThrow(UsageError)
  await expect(wrong).rejects.toThrow(
    /^logs takes one Task\n--pod takes a whole number from 1, not x\n--tail takes a whole number from 1, not -1\n\nusage/,
  )
  await expect(logs(['a', 'b'])).rejects.toThrow('logs takes one Task')
})
