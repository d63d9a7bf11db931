import { once } from 'node:events'
import { expect, test } from 'vitest'
import { planComment } from '../../machines/issue/plan.ts'
import { topicMarker } from '../../edges/forge/marker.ts'
import { people } from '../../standins/people.ts'
import { play } from './play.ts'
import { createVoice } from './voice.ts'

const planHash = 'a'.repeat(64)
const why = {
  resting: null,
  detail: null,
  below: [],
  queue: null,
  nextTimer: null,
  reviewRounds: null,
  spending: null,
  path: null,
  refusedCalls: [],
  memory: [],
}
const page = 'http://forge/a-key/acme/greeter/issues/1'

interface Given {
  readonly answers?: readonly string[]
  readonly keep?: boolean
  readonly isTerminal?: boolean
  /** The look during which the person presses Ctrl-C. */
  readonly interruptedAt?: number
  /** What people and the platform do at each look: by its number. */
  readonly later?: Readonly<Record<number, (issue: Issue) => void>>
}

class Issue {
  readonly comments = new Map<number, object>()
  stage = 'awaiting-human'
  stageClass = 'parked'
  granted = false

  comment(login: string, body: string): void {
    this.comments.set(this.comments.size + 1, { author: { login }, body, updatedAt: '2026-11-29T12:00:00Z' })
  }
}

/** A stack with one issue, whose Task waits with a plan; each look comes 500 ms after the other. */
async function played({ answers = [], keep = false, isTerminal = false, later = {}, interruptedAt }: Given) {
  const issue = new Issue()
  issue.comment(people.bot, `${planComment(planHash, 'Greet by name.')}\n${topicMarker('plan')}`)
  const printed: string[] = []
  const asked = [...answers]
  let [now, looks] = [0, 0]
  const interrupt = new AbortController()
  const task = () => ({
    metadata: { name: 'implement-greeter-1-abcde' },
    status: { ...issue, planHash, issues: [{ number: 1, granted: issue.granted }] },
  })
  const stack = {
    ...{ fullName: 'acme/greeter', repository: 'greeter', dir: '/nowhere', endpoints: { forge: 'http://forge' } },
    client: {
      ask: async (_schema: unknown, _method: string, path: string) => {
        if (!path.startsWith('/resources')) return { ...why, stage: issue.stage }
        later[(looks += 1)]?.(issue)
        if (looks === interruptedAt) interrupt.abort()
        return { items: [task()] }
      },
    },
    forge: {
      issue: () => issue,
      comment: (login: string, _repository: string, _issue: number, body: string) => issue.comment(login, body),
      pageOf: () => page,
    },
  }
  const { signal } = interrupt
  const result = await play(stack as unknown as Parameters<typeof play>[0], {
    ...{ issue: 1, keep, isTerminal, signal, now: () => now },
    sleep: async (ms) => {
      if ((now += ms) > 100_000) throw new Error('it never ends')
    },
    voice: createVoice(
      (line) => void printed.push(line),
      // Who has no answer left thinks until the question is moot.
      async (_question, until) => asked.shift() ?? once(until, 'abort').then(() => ''),
    ),
  })
  const words = [...issue.comments.values()].slice(1).map((one) => (one as { body: string }).body)
  return { ...result, words, printed: printed.join('\n'), waitedMs: now }
}

const deliver = (issue: Issue): void => void Object.assign(issue, { stage: 'delivered', stageClass: 'terminal' })
const grant = (issue: Issue): void => void Object.assign(issue, { granted: true, stageClass: 'active' })

test.each(['n', 'No', ''])('%j rejects the plan: nothing is written for the person, and the try ends', async (word) => {
  const { end, words, printed } = await played({ answers: [word], isTerminal: true })
  expect([end, words]).toEqual(['rejected', []])
  expect(printed).toContain('Greet by name.')
  expect(printed).toContain('rejected: nothing was approved')
})

test('y approves the plan by one comment of the maintainer', async () => {
  const { end, words } = await played({ answers: ['y'], isTerminal: true, later: { 3: grant, 5: deliver } })
  expect([end, words]).toEqual(['merged', ['/approve']])
})

test('other words are a comment, and the agent’s answer is shown before the question comes again', async () => {
  const { words, printed } = await played({
    answers: ['Which name?', 'n'],
    isTerminal: true,
    later: { 3: (issue) => issue.comment(people.bot, 'The one of the user.') },
  })
  expect(words).toEqual(['Which name?', 'The one of the user.'])
  expect(printed.indexOf('The one of the user.')).toBeLessThan(printed.indexOf('rejected'))
})

test('without a terminal the plan waits, and no link is shown: its server ends with the command', async () => {
  const { end, printed } = await played({})
  expect(end).toBe('waits')
  expect(printed).toContain('Greet by name.')
  expect(printed).not.toContain('http://')
})

test('with --keep the page that stands above the plan is the one on which a person acts', async () => {
  const { printed } = await played({ keep: true, later: { 100: grant, 105: deliver } })
  expect(printed.match(/http:\S+/g)).toEqual([page, page])
})

test('a Task that is parked after its approval waits for a word on the page with --keep, and why is shown once', async () => {
  const park = (issue: Issue): void => void Object.assign(issue, { granted: true, stageClass: 'parked' })
  const { end, printed } = await played({ keep: true, later: { 2: park, 100: grant, 105: deliver } })
  expect(end).toBe('merged')
  expect(printed.match(/maria can answer on \S+/g)).toEqual([`maria can answer on ${page}`])
})

test('Ctrl-C ends the play as interrupted, also at the question, and rejects nothing', async () => {
  for (const given of [{}, { isTerminal: true }]) {
    const { end, words, printed } = await played({ ...given, keep: true, interruptedAt: 4 })
    expect([end, words]).toEqual(['interrupted', []])
    expect(printed).not.toContain('rejected')
  }
})

test('with --keep a person on the page is waited for, however long the Task is parked', async () => {
  const { end, words, printed, waitedMs } = await played({ keep: true, later: { 100: grant, 105: deliver } })
  expect([end, words]).toEqual(['merged', []])
  expect(printed).toContain(`maria approves it on ${page}`)
  expect(waitedMs).toBeGreaterThan(40_000)
})

test('an approval on the page makes the question moot', async () => {
  const { end, words } = await played({ isTerminal: true, later: { 3: grant, 5: deliver } })
  expect([end, words]).toEqual(['merged', []])
})

test('a Task that stays parked after its approval ends the command, with the reason', async () => {
  const { end, words, printed } = await played({ answers: ['y'], isTerminal: true })
  expect([end, words]).toEqual(['parked', ['/approve']])
  expect(printed).toContain('it has ended')
})
