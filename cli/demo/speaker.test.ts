import { describe, expect, test, vi } from 'vitest'
import { withForge, withReceiver } from '../../standins/forge/testing/fixture.ts'
import { people } from '../../standins/people.ts'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { doubtIn } from '../../machines/rules/doubts.ts'
import { missed, resendMissed, startResending } from './open.ts'
import { maintainerComments, type MaintainerComment } from './maintainer-comments.ts'
import {
  earliestLiftMs,
  longestLiftMs,
  mostWithdrawals,
  planWords,
  startSpeaker,
  type Moment,
  type PlannedWord,
  type Speaker,
} from './speaker.ts'

const fullName = 'acme/library'
const bound = { timeout: 10_000, interval: 20 }

describe('the plan of words', () => {
  const seeds = Array.from({ length: 50 }, (_, index) => index * 7919)
  const plans = [1, 2, 3, 5, 10].flatMap((kills) => seeds.map((seed) => ({ kills, words: planWords(kills, seed) })))
  const all = plans.flatMap(({ words }) => words)

  test('is a function of its seed', () => {
    for (const seed of seeds) expect(planWords(5, seed)).toEqual(planWords(5, seed))
    const withoutNames = (seed: number): string => JSON.stringify(planWords(5, seed)).replaceAll(`seed ${seed}`, '')
    expect(new Set(seeds.map(withoutNames)).size).toBe(seeds.length)
  })

  test('has one or two words beside each kill, each at a moment of its own and with another text, and none without a kill', () => {
    expect(planWords(0, 1)).toEqual([])
    for (const { kills, words } of plans) {
      const beside = Map.groupBy(words, ({ kill }) => kill)
      expect([...beside.keys()]).toEqual([...Array(kills).keys()])
      for (const [, some] of beside) {
        expect([1, 2]).toContain(some.length)
        expect(new Set(some.map(({ moment }) => moment)).size).toBe(some.length)
      }
      const texts = words.flatMap(({ text, lift }) => (lift === null ? [text] : [text, lift.text]))
      expect(new Set(texts).size).toBe(texts.length)
    }
  })

  test('withholds the merge at least once and a bounded number of times', () => {
    for (const { kills, words } of plans) {
      const { remark: _none, ...withheld } = Object.groupBy(words, ({ sort }) => sort)
      expect(Object.values(withheld).flat()).toHaveLength(Math.min(kills, mostWithdrawals))
      expect(withheld.hold?.length).toBeGreaterThan(0)
      expect(withheld.changes?.length ?? 0).toBeLessThan(2)
    }
  })

  test('means what it calls it, by the grammar of the platform, and lifts each word that withholds within a bound', () => {
    for (const { sort, text, lift } of all) {
      expect(judgeComment(text) === 'withdraws').toBe(sort === 'hold')
      expect(doubtIn(text) !== undefined && sort !== 'hold').toBe(sort === 'doubt')
      expect(lift === null).toBe(sort === 'remark')
      if (lift === null) continue
      expect(judgeComment(lift.text)).toBe('approves')
      expect(lift.afterMs).toBeGreaterThanOrEqual(earliestLiftMs)
      expect(lift.afterMs).toBeLessThanOrEqual(longestLiftMs)
    }
  })

  test('reaches every moment, sort and thread, and writes plain comments right before a kill, which the forge takes at once', () => {
    const kinds = (of: (word: PlannedWord) => unknown): readonly unknown[] => [...new Set(all.map(of))].toSorted()
    expect(kinds(({ moment }) => moment)).toEqual(['after', 'before', 'down'])
    expect(kinds(({ sort }) => sort)).toEqual(['changes', 'doubt', 'hold', 'remark'])
    expect(kinds(({ form }) => form)).toEqual(['issue', 'line', 'mergeRequest', 'review'])
    expect(kinds(({ lift }) => lift?.form)).toEqual(['issue', 'mergeRequest', 'review', undefined])
    expect(kinds(({ lift }) => lift?.isBeside)).toEqual([false, true, undefined])
    expect(kinds(({ moment, form }) => moment === 'before' && form)).toEqual([false, 'issue', 'mergeRequest'])
  })
})

interface Scene {
  readonly speaker: Speaker
  said(): readonly MaintainerComment[]
  /** What each meant. */
  meanings(): readonly MaintainerComment['means'][]
  /** Moves the maintainer's clock. */
  later(ms: number): void
}

interface Setting {
  readonly words: readonly PlannedWord[]
  /** Of the bot's. */
  readonly hasPull?: boolean
}

async function withSpeaker({ words, hasPull }: Setting, use: (scene: Scene) => Promise<void>): Promise<void> {
  await withForge({}, async ({ forge, path: barePath, push, clone }) => {
    forge.createUser({ login: people.maintainer })
    forge.openIssue('acme', fullName, { title: 'It fails', body: '' })
    if (hasPull) {
      await push(await clone('bot'), 'x', { 'src/add.js': 'changed\n' })
      await forge.openPull('bot', fullName, { title: 'X', head: 'x', base: 'main' })
    }
    let passed = 0
    const now = (): number => Date.now() + passed
    const dialect = 'github'
    const speaker = startSpeaker({ forge, fullName, dialect, barePath, words, write: () => undefined, now })
    const said = (): readonly MaintainerComment[] => maintainerComments(forge.audit())
    const meanings: Scene['meanings'] = () => said().map(({ means }) => means)
    try {
      await use({ speaker, said, meanings, later: (ms) => (passed += ms) })
    } finally {
      speaker.close()
    }
  })
}

function hold(n: number, more: Partial<PlannedWord>, lift: Partial<PlannedWord['lift']>): PlannedWord {
  return {
    ...{ kill: 0, moment: 'down', sort: 'hold', form: 'issue', text: `/hold\n\n${n}`, ...more },
    lift: { form: 'issue', isBeside: false, afterMs: 3_000, text: `/approve\n\n${n}`, ...lift },
  }
}

test.each([3, 4])(
  'each word that is planned reaches the forge, and its lift follows in time (seed %d)',
  async (seed) => {
    const words = planWords(5, seed)
    await withSpeaker({ words, hasPull: true }, async ({ speaker, said, meanings, later }) => {
      for (let kill = 0; kill < 5; kill++)
        for (const moment of ['before', 'down', 'after'] satisfies Moment[]) await speaker.beside(kill, moment)
      const withheld = words.filter(({ sort }) => sort !== 'remark')
      expect(said().map(({ text }) => text)).toEqual(expect.arrayContaining(words.map(({ text }) => text)))
      expect(meanings().filter((means) => means === 'withholds')).toHaveLength(withheld.length)
      expect(speaker.idle()).toBe(false)
      later(longestLiftMs)
      await vi.waitFor(() => expect(speaker.idle()).toBe(true), bound)
      expect(meanings().filter((means) => means === 'lifts')).toHaveLength(withheld.length)
      expect(meanings().at(-1)).toBe('lifts')
      const texts = (of: readonly { readonly text: string }[]): readonly string[] =>
        of.map(({ text }) => text).toSorted()
      expect(texts(speaker.spoken())).toEqual(texts(said()))
    })
  },
)

test('without a merge request all is written on the issue, and what would request changes there holds', async () => {
  const changes = hold(1, { sort: 'changes', form: 'review', text: 'The position, too.' }, {})
  await withSpeaker({ words: [changes] }, async ({ speaker, said }) => {
    await speaker.beside(changes.kill, changes.moment)
    expect(said()).toMatchObject([{ number: 1, id: expect.stringMatching(/^\d+$/), means: 'withholds' }])
  })
})

test('a lift that is due beside a later kill is said there, but not within the second of its word', async () => {
  const words = [hold(1, { moment: 'after' }, { isBeside: true, afterMs: longestLiftMs })]
  await withSpeaker({ words }, async ({ speaker, meanings, later }) => {
    await speaker.beside(0, 'after')
    await speaker.beside(1, 'down')
    later(5_000)
    await speaker.beside(1, 'before')
    expect(meanings()).toEqual(['withholds'])
    await speaker.beside(1, 'down')
    expect(meanings()).toEqual(['withholds', 'lifts'])
    const places = speaker.spoken().map(({ kill, moment }) => `${kill} ${moment}`)
    expect(places).toEqual(['1 after', '2 down'])
  })
})

const orders = [
  ['is not lifted before its time has come', [hold(1, {}, { afterMs: longestLiftMs }), hold(2, {}, {})], 0, 50_000],
  [
    'is lifted at last although the orchestrator never answered again',
    [hold(1, {}, {}), hold(2, { kill: 1 }, {})],
    1,
    0,
  ],
] as const

test.each(orders)('a word %s', async (_what, words, answered, beforeMs) => {
  await withSpeaker({ words }, async ({ speaker, said, later }) => {
    for (const kill of [0, 1]) await speaker.beside(kill, 'down')
    later(beforeMs)
    await speaker.beside(answered, 'after')
    later(5_000)
    await vi.waitFor(() => expect(said()).toHaveLength(3), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n2')
    later(60_000)
    await vi.waitFor(() => expect(speaker.idle()).toBe(true), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n1')
  })
})

test('a webhook that found nobody is sent again once its time has come, or at the end, until somebody takes it', async () => {
  await withReceiver(async (receiver) => {
    await withForge({ git: 'memory' }, async ({ forge, octokit }) => {
      forge.openIssue('acme', fullName, { title: 'It fails', body: '' })
      const config = { url: receiver.url, content_type: 'json' }
      const hook = { owner: 'acme', repo: 'library', events: ['issue_comment'], config }
      await forge.idle(octokit('maintainer').repos.createWebhook(hook))
      let passed = 0
      const resending = startResending(forge, () => Date.now() + passed)
      receiver.answer = 503
      await forge.idle(forge.comment('acme', fullName, 1, 'Well.'))
      const comments = receiver.received.filter.bind(receiver.received, ({ event }) => event === 'issue_comment')
      expect([comments().length, resending.idle()]).toEqual([1, false])
      passed = 10_000
      await vi.waitFor(() => expect(comments().length).toBeGreaterThan(1), bound)
      resending.close()
      receiver.answer = 202
      await forge.idle()
      await forge.idle(resendMissed(forge, Infinity))
      expect(missed(forge, Infinity)).toEqual([])
      expect(new Set(comments().map(({ delivery }) => delivery)).size).toBe(1)
    })
  })
})
