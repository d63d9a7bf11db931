import { expect, test } from 'vitest'
import { Type } from 'typebox'
import type { Board, Card } from '../../../machines/why/board.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { UsageError } from '../../args.ts'
import { said, withOrchestrator, type Said } from '../testing/fixture.ts'
import { waiting } from './waiting.ts'

const card: Card = {
  task: 'default/implement-lib-7-x',
  project: 'default/demo',
  title: 'Parse durations with many units, and months above all',
  stage: 'implementing',
  since: 1_000,
  reason: 'task/pod.working.idle',
  owner: 'human',
  why: 'the agent waits for a comment or an approval',
  next: 'a person comments or approves',
  detail: '',
  people: ['maria'],
  by: [],
  repositories: [],
  thread: { name: 'lib#7', url: 'https://forge.example/lib/issues/7' },
  queue: null,
  turns: 1,
  tokens: 10,
  usd: 0.5,
}
const none = { cards: [], more: 0 }
const board: Board = {
  now: 1_000,
  waiting: { cards: [card], more: 3 },
  working: { cards: [card], more: 1 },
  queued: none,
  ended: none,
  projects: [
    {
      project: 'default/demo',
      fault: { reason: 'TokenRefused', message: 'Bad' },
      hold: '',
      slots: 2,
      used: 1,
      budgets: [],
    },
    { project: 'team/shop', fault: null, hold: 'paused by ops: release', slots: 2, used: 0, budgets: [] },
  ],
  withheld: { cause: 'no_credit', message: 'top up', until: 5 },
}

function answering(
  answer: Board,
  use: (ask: (...args: readonly string[]) => Promise<Said>, asked: readonly object[]) => Promise<void>,
): Promise<void> {
  const asked: object[] = []
  const clock = simulatedClock(601_000)
  return withOrchestrator(
    ({ dir }) =>
      use((...args) => said(async () => expect(await waiting([...args, '--dir', dir], clock)).toBe(0)), asked),
    (app) =>
      void app.get(
        '/operations/board',
        { schema: { querystring: Type.Record(Type.String(), Type.String()) } },
        async ({ query }) => (asked.push(query), answer),
      ),
  )
}

test('lists what waits with whom, how long and where, and says beside it what holds the rest', () =>
  answering(board, async (ask, asked) => {
    const { out, err } = await ask('--me', 'maria')
    expect(asked).toEqual([{ me: 'maria' }])
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^TASK +TITLE +WHO +WAITS +WHERE +NEXT$/),
      expect.stringMatching(
        /^implement-lib-7-x  Parse durations with many units, and mo…  human  10m +https:\/\/forge.example\/lib\/issues\/7  the agent waits for a comment or an approval: a person comments or approves$/,
      ),
    ])
    expect(err.split('\n')).toEqual([
      '3 more wait',
      '',
      '2 working, 0 queued, 0 ended within a day',
      'the model is withheld from the key: top up',
      'demo is not ready: TokenRefused: Bad',
      'team/shop: paused by ops: release',
    ])
  }))

test('says so where nothing waits, and prints the whole board with --json', () =>
  answering({ ...board, waiting: none }, async (ask) => {
    expect((await ask()).out).toBe('nothing waits for people')
    expect((await ask('--me', 'sam')).out).toBe('nothing waits for sam')
    expect(JSON.parse((await ask('--json')).out)).toEqual({ ...board, waiting: none })
  }))

test('reads the board of an older server, whose cards have less to be found by', () => {
  const { by: _, repositories: __, ...older } = card
  return answering({ ...board, waiting: { cards: [older], more: 0 } }, async (ask) => {
    expect((await ask()).out).toContain('implement-lib-7-x')
  })
})

test('takes a person by --me alone, and asks nobody where the call is wrong', async () => {
  await expect(waiting(['maria'])).rejects.toThrow(UsageError)
})
