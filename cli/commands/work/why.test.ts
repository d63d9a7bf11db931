import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { explain } from '../../../machines/why/why.ts'
import { type ATask, inReview, parkedBy } from '../../../machines/testing/a-task.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { statePath } from '../../../runtime/step/state-path.ts'
import { UsageError } from '../../args.ts'
import type { RefusingTurn, WhyAnswer } from '../../../machines/why/why-rows.ts'
import { requireEndpoints, writeEndpoints } from '../../local/endpoints.ts'
import { said, withOrchestrator } from '../testing/fixture.ts'
import { why } from './why.ts'

const dueAt = Date.parse('2026-01-02T03:04:05Z')

const answers: Readonly<Record<string, ATask>> = {
  parked: parkedBy('needs-maintainer'),
  declined: inReview().outcome('x').send('task.close', { by: 'alice' }).final(),
  delivered: inReview().approve().final().merged(),
}

async function print(...args: readonly string[]): Promise<string> {
  return printOf([], ...args)
}

/** As the orchestrator answers whose wrappers refused these, or whose memory holds this. */
async function printOf(
  given:
    | readonly RefusingTurn[]
    | (Pick<WhyAnswer, 'memory'> & { readonly scripted?: boolean } & Partial<
          Pick<WhyAnswer, 'firings' | 'hindrance' | 'cost' | 'spending'>
        >),
  ...args: readonly string[]
): Promise<string> {
  const more = 'memory' in given ? { ...given, refusedCalls: [] } : { refusedCalls: given, memory: [] }
  let out = ''
  await withOrchestrator(
    async ({ dir }) => {
      if ('scripted' in given) writeEndpoints(dir, { ...requireEndpoints(dir), model: 'http://127.0.0.1:1' })
      out = (await said(() => why([...args, '--dir', dir]))).out
    },
    (app) => {
      app.get(
        '/operations/why',
        { schema: { querystring: Type.Object({ task: Type.String() }) } },
        async ({ query }) => {
          const task = answers[query.task]
          if (task === undefined) throw new Problem('not-found', `there is no Task ${query.task}`)
          const actor = { value: task.value, path: statePath(task.value), context: task.context as never }
          const timers = [{ id: 'xstate.after.retryDelay.x', dueAt }]
          return { ...explain({ task: actor, timers, now: 0 }), ...more }
        },
      )
    },
  )
  return out
}

describe('why', () => {
  test('says the reason, who can move it, the next timer and the way to delivered, a line each (OPERATIONS-3)', async () => {
    expect((await print('parked')).split('\n')).toEqual([
      'default/implement-lib-1-x7k2p: awaiting-human',
      '  why       needs-maintainer (task/awaiting-human/needs-maintainer)',
      '  who       maintainer',
      "  moved by  a maintainer's `/approve` on exactly the reviewed head, a new head, or `/retry`",
      '  timer     retryDelay at 2026-01-02T03:04:05.000Z',
      '',
      'The shortest way to delivered, 2 events:',
      '    WHO         DOES                                        THEN',
      '1.  maintainer  approves the reviewed head with `/approve`  merging',
      '2.  forge       merges lib!7                                delivered',
    ])
  })

  test('of a scripted model says that nothing is spent, and no price', async () => {
    const cost = { turns: 1, tokens: 60_042, usd: 0.05 }
    const lines = (await printOf({ memory: [], cost, scripted: true }, 'parked')).split('\n')
    expect(lines.filter((line) => /cost|USD/.test(line))).toEqual([
      '  cost      1 turn; no model is asked, and nothing is spent',
    ])
  })

  test('says what it has cost so far, and a bound only where one is set', async () => {
    const cost = { turns: 12, tokens: 1_234_567, usd: 0.2 }
    const spending = [
      { name: 'task', limit: 0, spent: 7, reserved: 0 },
      { name: 'day', limit: 5000, spent: 7, reserved: 2 },
    ] as const
    const lines = (await printOf({ memory: [], cost, spending }, 'parked')).split('\n')
    expect(lines.filter((line) => /^ +(cost|spent) /.test(line))).toEqual([
      '  cost      12 turns, 1,234,567 tokens, about 0.20 USD so far',
      '  spent     day: 7, 2 reserved of 5,000 tokens',
    ])
    expect(await print('parked')).not.toMatch(/cost|500,000,000/)
  })

  test('of a Project it shows the conditions with their messages, and what waits', async () => {
    await withOrchestrator(
      async (fixture) => {
        const at = '2026-01-02T03:04:05Z'
        const conditions = [
          { type: 'Ready', status: 'True', reason: 'Checked', message: 'all is well', lastTransitionTime: at },
          {
            type: 'Paused',
            status: 'True',
            reason: 'Operator',
            message: 'maria paused it: a look',
            lastTransitionTime: at,
          },
        ]
        const metadata = (name: string): object => ({ name, namespace: 'default' })
        const status = { ready: true, reason: 'Checked', conditions }
        fixture.items['projects'] = [{ metadata: metadata('demo'), spec: { maxConcurrentAgents: 3 }, status }]
        const event = (name: string, state: string, more: object = {}): object => ({
          ...{ metadata: metadata(name), spec: { projectRef: 'demo', taskRef: `task-${name}` } },
          status: { state, ...more },
        })
        const waits = { position: 1, reason: 'the Project is paused' }
        fixture.items['queuedevents'] = [event('a', 'Done'), event('b', 'Admitted'), event('c', 'Queued', waits)]
        const { out } = await said(() => why(['demo', '--dir', fixture.dir]))
        expect(out.split('\n')).toEqual([
          'default/demo: ready (Checked), paused',
          '  1 of 3 slots are taken, 1 entry waits',
          '',
          'CONDITION  STATUS  REASON    SINCE                 MESSAGE',
          'Ready      True    Checked   2026-01-02T03:04:05Z  all is well',
          'Paused     True    Operator  2026-01-02T03:04:05Z  maria paused it: a look',
          '',
          'POSITION  TASK    WAITS BECAUSE',
          '1         task-c  the Project is paused',
        ])
        await expect(why(['nobody', '--dir', fixture.dir])).rejects.toThrow('nor is there a Project nobody')
      },
      (app) =>
        void app.get('/operations/why', { schema: { querystring: Type.Object({ task: Type.String() }) } }, () => {
          throw new Problem('not-found', 'there is no Task')
        }),
    )
  })

  test('of one that has ended it says so and no way', async () => {
    expect(await print('declined')).toMatch(/why +it has ended/)
    expect(await print('declined')).not.toContain('way to delivered')
    expect(await print('delivered')).toMatch(/why +it has ended\n +merged +lib!7 as merge-1 http/)
  })

  test('says which calls of tools a wrapper refused, by turn, tool and reason', async () => {
    const one = { tool: 'task_note', reason: 'no-turn', count: 1 } as const
    const out = await printOf(
      [
        { pod: 1, turn: 0, calls: [{ tool: 'submit_outcome', reason: 'no-block', count: 1234 }, one] },
        { pod: 2, turn: 7, calls: [{ tool: '', reason: 'too-deep', count: 2 }] },
      ],
      'parked',
    )
    expect(out.split('\n').filter((line) => line.startsWith('  refused'))).toEqual([
      '  refused   turn 0 of pod 1: the wrapper refused 1,234 calls of `submit_outcome` that the model did not make',
      '  refused   turn 0 of pod 1: the wrapper refused 1 call of `task_note` while no turn ran',
      '  refused   turn 7 of pod 2: the wrapper refused 2 calls of other tools whose arguments nest too deep to compare',
    ])
    expect(await print('parked')).not.toContain('refused')
  })

  test('of many refusals it says the newest, how many came before, and `--json` has them all', async () => {
    const calls = [{ tool: 'task_note', reason: 'no-block', count: 1 }] as const
    const turns = Array.from({ length: 12 }, (_, turn) => ({ pod: 1, turn, calls: [...calls] }))
    const lines = (await printOf(turns, 'parked')).split('\n').filter((line) => line.startsWith('  refused'))
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      11,
      '  refused   2 more before these',
      '  refused   turn 11 of pod 1: the wrapper refused 1 call of `task_note` that the model did not make',
    ])
    expect(JSON.parse(await printOf(turns, 'parked', '--json'))).toMatchObject({ refusedCalls: turns })
  })

  test('an incident shows how often its alert fired (ALERTS-6)', async () => {
    expect((await printOf({ memory: [], firings: 6 }, 'parked')).split('\n')).toContain('  alert     fired 6 times')
  })

  test('what hinders the turn is a line, and its fields are in `--json`', async () => {
    const hindrance = {
      kind: 'model-silent',
      since: '2026-01-02T03:04:05.000Z',
      sentence: 'no answer \u001b[2J',
    } as const
    expect((await printOf({ memory: [], hindrance }, 'parked')).split('\n')).toContain(
      '  hindrance  no answer \\u001b[2J',
    )
    expect(JSON.parse(await printOf({ memory: [], hindrance }, 'parked', '--json'))).toMatchObject({ hindrance })
  })

  test('what the memory holds of its Repositories is a line each, with what it lacks', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567'
    const memory = [
      { repository: 'lib', commit, due: 0, trouble: '' },
      { repository: 'app', commit: '', due: 1200, trouble: 'it has no branch main' },
    ]
    expect((await printOf({ memory }, 'parked')).split('\n').filter((line) => line.startsWith('  memory'))).toEqual([
      '  memory    lib: holds commit 0123456789ab',
      '  memory    app: holds no commit whole yet; lacks 1,200 files, commits and issues; it has no branch main',
    ])
  })

  test('as JSON it is the whole answer, with the fields of each event', async () => {
    const answer = JSON.parse(await print('parked', '--json')) as { path: { event: { type: string } }[] }
    expect(answer.path.map(({ event }) => event.type)).toEqual(['mr.goAhead', 'mr.merged'])
  })

  test('a Task that nobody knows is an error, and so is none', async () => {
    await expect(print('nobody')).rejects.toThrow('there is no Task nobody')
    await expect(why([])).rejects.toThrow(UsageError)
    await expect(why(['a', 'b'])).rejects.toThrow(UsageError)
  })
})
