import { expect, test, vi } from 'vitest'
import { withForge, withReceiver, type ForgeFixture, type Receiver } from '../../standins/forge/testing/fixture.ts'
import { people } from '../../standins/people.ts'
import { saidByMaintainers, type Said } from './said.ts'
import { startSpeaker, type Speaker } from './speaker.ts'
import { longestLiftMs, planWords, type Moment, type PlannedWord } from './word-plan.ts'

const repository = 'acme/library'
const bound = { timeout: 10_000, interval: 20 }

interface Scene extends ForgeFixture {
  readonly receiver: Receiver
  readonly speaker: Speaker
  said(): readonly Said[]
  /** Moves the maintainer's clock. */
  later(ms: number): void
  /** A merge request of the bot's. */
  openPull(): Promise<number>
}

async function withSpeaker(words: readonly PlannedWord[], use: (scene: Scene) => Promise<void>): Promise<void> {
  await withReceiver(async (receiver) => {
    await withForge({}, async (fixture) => {
      const { forge, path, octokit } = fixture
      forge.createUser({ login: people.maintainer, token: 'token-of-maria' })
      forge.openIssue('acme', repository, { title: 'It fails', body: '' })
      await octokit('maintainer').repos.createWebhook({
        owner: 'acme',
        repo: 'library',
        events: ['issue_comment'],
        config: { url: receiver.url, content_type: 'json' },
      })
      await forge.idle()
      let passed = 0
      const now = (): number => Date.now() + passed
      const speaker = startSpeaker({
        forge,
        repository,
        dialect: 'github',
        barePath: path,
        words,
        say: () => undefined,
        now,
      })
      const openPull = async (): Promise<number> => {
        await fixture.push(await fixture.clone('bot'), 'x', { 'src/add.js': 'changed\n' })
        return (await forge.openPull('bot', repository, { title: 'X', head: 'x', base: 'main' })).number
      }
      const said = (): readonly Said[] => saidByMaintainers(forge.audit())
      try {
        await use({ ...fixture, receiver, speaker, said, later: (ms) => (passed += ms), openPull })
      } finally {
        speaker.close()
      }
    })
  })
}

async function speakAll(speaker: Speaker, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++)
    for (const moment of ['before', 'down', 'after'] satisfies Moment[]) await speaker.beside(kill, moment)
}

const withholds = ({ sort }: PlannedWord): boolean => sort !== 'remark'

test('every word that is planned reaches the forge, and each that withholds the merge is lifted when its time has come', async () => {
  for (const seed of [3, 4]) {
    const words = planWords(5, seed)
    await withSpeaker(words, async ({ speaker, said, later, openPull }) => {
      await openPull()
      await speakAll(speaker, 5)
      expect(said().map(({ text }) => text)).toEqual(expect.arrayContaining(words.map(({ text }) => text)))
      expect(said().filter(({ means }) => means === 'withholds')).toHaveLength(words.filter(withholds).length)
      expect(speaker.idle()).toBe(false)
      later(longestLiftMs)
      await vi.waitFor(() => expect(speaker.idle()).toBe(true), bound)
      expect(said().filter(({ means }) => means === 'lifts')).toHaveLength(words.filter(withholds).length)
      expect(said().at(-1)?.means).toBe('lifts')
      expect(
        speaker
          .spoken()
          .map(({ text }) => text)
          .toSorted(),
      ).toEqual(
        said()
          .map(({ text }) => text)
          .toSorted(),
      )
    })
  }
})

test('without a merge request all is written on the issue, and what would request changes there holds', async () => {
  const changes = planWords(5, 5).find(({ sort }) => sort === 'changes')!
  await withSpeaker([changes], async ({ speaker, said }) => {
    await speaker.beside(changes.kill, changes.moment)
    expect(said()).toMatchObject([{ number: 1, on: 'comment', means: 'withholds' }])
  })
})

test('a lift that is due beside a later kill is said there, but not within the second of its word', async () => {
  const word: PlannedWord = {
    ...{ n: 1, kill: 0, moment: 'after', sort: 'hold', form: 'issue', text: '/hold' },
    lift: { form: 'issue', kill: 1, afterMs: longestLiftMs, text: '/approve' },
  }
  await withSpeaker([word], async ({ speaker, said, later }) => {
    await speaker.beside(0, 'after')
    await speaker.beside(1, 'down')
    expect(said().map(({ means }) => means)).toEqual(['withholds'])
    later(5_000)
    await speaker.beside(1, 'before')
    expect(said().map(({ means }) => means)).toEqual(['withholds'])
    await speaker.beside(1, 'down')
    expect(said().map(({ means }) => means)).toEqual(['withholds', 'lifts'])
    expect(speaker.spoken().map(({ kill, moment }) => [kill, moment])).toEqual([
      [1, 'after'],
      [2, 'down'],
    ])
  })
})

test('a word is not lifted before its time has come', async () => {
  const hold = (n: number, afterMs: number): PlannedWord => ({
    ...{ n, kill: 0, moment: 'down', sort: 'hold', form: 'issue', text: `/hold\n\n${n}` },
    lift: { form: 'issue', kill: null, afterMs, text: `/approve\n\n${n}` },
  })
  await withSpeaker([hold(1, longestLiftMs), hold(2, 3_000)], async ({ speaker, said, later }) => {
    await speaker.beside(0, 'down')
    later(50_000)
    await speaker.beside(0, 'after')
    later(5_000)
    await vi.waitFor(() => expect(said()).toHaveLength(3), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n2')
    later(longestLiftMs)
    await vi.waitFor(() => expect(speaker.idle()).toBe(true), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n1')
  })
})

test('a word is lifted at last although the orchestrator never answered again after its kill', async () => {
  const hold = (n: number, kill: number): PlannedWord => ({
    ...{ n, kill, moment: 'down', sort: 'hold', form: 'issue', text: `/hold\n\n${n}` },
    lift: { form: 'issue', kill: null, afterMs: 3_000, text: `/approve\n\n${n}` },
  })
  await withSpeaker([hold(1, 0), hold(2, 1)], async ({ speaker, said, later }) => {
    for (const kill of [0, 1]) await speaker.beside(kill, 'down')
    await speaker.beside(1, 'after')
    later(30_000)
    await vi.waitFor(() => expect(said()).toHaveLength(3), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n2')
    later(30_000)
    await vi.waitFor(() => expect(speaker.idle()).toBe(true), bound)
    expect(said().at(-1)?.text).toBe('/approve\n\n1')
  })
})

test('a webhook that found nobody is sent again once its time has come, or at the end, until somebody takes it', async () => {
  const [first] = planWords(1, 1)
  const remark: PlannedWord = { ...first!, sort: 'remark', form: 'issue', text: 'Well.', lift: null }
  await withSpeaker([remark], async ({ forge, receiver, speaker, later }) => {
    receiver.answer = 503
    await speaker.beside(0, remark.moment)
    await forge.idle()
    const comments = (): number => receiver.received.filter(({ event }) => event === 'issue_comment').length
    expect([comments(), speaker.idle()]).toEqual([1, false])
    later(10_000)
    await vi.waitFor(() => expect(comments()).toBeGreaterThan(1), bound)
    receiver.answer = 202
    await speaker.sendMissed()
    expect(speaker.idle()).toBe(true)
    expect(new Set(receiver.received.slice(1).map(({ delivery }) => delivery)).size).toBe(1)
  })
})
