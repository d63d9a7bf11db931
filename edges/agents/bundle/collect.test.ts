import { describe, expect, it } from 'vitest'
import { withChanges, type Note, type TaskContext, type TaskPatch } from '../../../machines/task/context.ts'
import { aMergeRequest } from '../../../machines/testing/a-task.ts'
import {
  aTask,
  aThreadComment,
  aThreadIssue,
  aThreadMergeRequest,
  aThreadReader,
  aView,
  noon,
  nothingSpilled,
  reading,
} from '../testing/fixture.ts'
import { collectBundle } from './collect.ts'
import { renderBundle } from './render.ts'
import type { BundleInput } from './input.ts'

function aNote(n: number, change: Partial<Note> = {}): Note {
  return {
    id: `note-${n}`,
    agent: 'implement',
    pod: 1,
    at: noon + n,
    kind: 'note',
    body: `note ${n}`,
    bodyHash: `h-${n}`,
    source: 'agent',
    ...change,
  }
}

const threads = aThreadReader({
  issues: [aThreadIssue()],
  mergeRequests: [aThreadMergeRequest({ mergeable: null, ci: 'pending' })],
  comments: {
    'issue 1': [aThreadComment()],
    'mr 7': [
      aThreadComment({ id: 'inline-3', author: 'otto', path: 'a.ts', line: 3, inReplyTo: 'inline-2', body: 'Why?' }),
    ],
  },
})

const actors = reading({
  'issue:default/lib-1': aView({}, { path: 'open.approved' }),
  'merge-request:default/lib-mr-7': aView({}, { path: 'review' }),
})

function collect(task: TaskContext, options: Partial<Parameters<typeof collectBundle>[2]> = {}): Promise<BundleInput> {
  return collectBundle(
    { runtime: actors as never, gatedThreads: threads, sql: nothingSpilled, lifeOf: async () => undefined },
    task,
    {
      notes: 'recent',
      eventsUpTo: task.journal.eventSequence,
      ...options,
    },
  )
}

function withMergeRequest(change: TaskPatch = {}): TaskContext {
  return aTask(
    withChanges({ forge: { mergeRequests: [{ ...aMergeRequest(), state: 'open', mergeCommit: null }] } }, change),
  )
}

describe('what a bundle is made from', () => {
  it('tells the agent in which words its push was refused, behind the event that says so (OUTCOME-IMPLEMENT-12)', async () => {
    const event = { repository: 'lib', number: 1, at: noon }
    const task = aTask({
      journal: {
        eventSequence: 2,
        pending: [
          { ...event, n: 1, kind: 'push', author: 'rita', text: 'new head abc' },
          {
            ...event,
            n: 2,
            kind: 'push',
            author: 'statewright',
            text: 'no merge request was opened: push failed: lib',
          },
        ],
      },
      turn: { lastFailedRepos: ['lib', 'other'] },
    })
    const pushRefusal = async (project: string, repository: string, of: string): Promise<string | undefined> =>
      [project, repository, of].join(' ') === `${task.config.project} lib ${task.id}`
        ? 'protected paths: CLAUDE.md'
        : undefined
    const bundle = await collectBundle(
      {
        runtime: actors as never,
        gatedThreads: threads,
        sql: nothingSpilled,
        pushRefusal,
        lifeOf: async () => undefined,
      },
      task,
      {
        notes: 'recent',
        eventsUpTo: 2,
      },
    )
    expect(bundle.events.map(({ text }) => text)).toEqual([
      'new head abc',
      'no merge request was opened: push failed: lib. lib: protected paths: CLAUDE.md',
    ])
  })

  it('shows that a merge request is closed, or open again, in its element (EVENTS-7, BUNDLE-10)', async () => {
    for (const state of ['closed', 'open'] as const) {
      const gatedThreads = aThreadReader({ mergeRequests: [aThreadMergeRequest({ state })] })
      const runtime = reading({ 'merge-request:default/lib-mr-7': aView({}, { path: state }) })
      const bundle = await collectBundle(
        { runtime: runtime as never, gatedThreads, sql: nothingSpilled, lifeOf: async () => undefined },
        withMergeRequest(),
        {
          notes: 'recent',
          eventsUpTo: 0,
        },
      )
      expect(renderBundle(bundle, { maxBytes: 100_000, eventsInside: true }).text).toContain(
        `<merge_request repo="lib" number="7" state="${state}" status="${state}"`,
      )
    }
  })

  it('is the Task as committed, its threads from the mirror, and each one’s status from its actor', async () => {
    expect(await collect(withMergeRequest({ journal: { notes: [aNote(1)] } }))).toEqual({
      task: 'implement-lib-1-x7k2p',
      kind: 'implement',
      stage: 'implementing',
      agent: 'implement',
      project: 'demo',
      issues: [
        {
          repository: 'lib',
          number: 1,
          state: 'open',
          status: 'approved',
          title: 'Fails',
          author: 'rita',
          body: 'It fails.',
          url: 'http://forge/acme/lib/issues/1',
          comments: [{ externalId: '12', author: 'maria', bot: false, body: '/approve', at: noon }],
        },
      ],
      mergeRequests: [
        {
          repository: 'lib',
          number: 7,
          state: 'open',
          status: 'review',
          title: 'Fix',
          author: 'bot',
          body: 'Fixed.',
          url: 'http://forge/acme/lib/pull/7',
          ci: 'pending',
          mergeable: 'unknown',
          headBranch: 'platform/implement-lib-1-x7k2p',
          headSha: 'sha-1',
          comments: [
            {
              externalId: 'inline-3',
              author: 'otto',
              bot: false,
              body: 'Why?',
              at: noon,
              path: 'a.ts',
              line: 3,
              inReplyTo: 'inline-2',
            },
          ],
        },
      ],
      events: [],
      notes: [{ agent: 'implement', at: noon + 1, kind: 'note', source: 'agent', body: 'note 1' }],
      notesTotal: 1,
      earlier: [],
    })
  })

  it('of an issue that came back it has the plan and hand-off of the earlier Task as data, which gives way first (BUNDLE-23)', async () => {
    const notes = [
      aNote(1, { kind: 'plan', body: 'old plan' }),
      aNote(2),
      aNote(3, { kind: 'handoff', body: 'old words' }),
    ]
    const earlier = aTask({
      id: 'default/implement-lib-1-old00',
      journal: { notes, planHash: 'old', planNoteId: 'note-1' },
    })
    const runtime = reading({
      'issue:default/lib-1': aView({ deliveredBy: earlier.id }, { path: 'open.refined' }),
      [`task:${earlier.id}`]: aView(earlier),
    })
    const collected = async (since?: number): Promise<BundleInput> =>
      collectBundle(
        {
          runtime: runtime as never,
          gatedThreads: threads,
          sql: nothingSpilled,
          lifeOf: async () => (since === undefined ? undefined : { uid: 'u', since }),
        },
        aTask(),
        { notes: 'recent', eventsUpTo: 0 },
      )
    const bundle = await collected()
    expect(bundle.notes).toEqual([])
    expect(bundle.earlier.map(({ task, notes: of }) => [task, of.map(({ body }) => body)])).toEqual([
      ['implement-lib-1-old00', ['old plan', 'old words']],
    ])
    const render = (maxBytes: number): string => renderBundle(bundle, { maxBytes, eventsInside: true }).text
    const whole = render(100_000)
    expect(whole).toMatch(
      /<earlier_task task="implement-lib-1-old00" about="[^"]*approve nothing[^"]*" total="2" elided="0">/,
    )
    const oldest = render(Buffer.byteLength(whole) - 1)
    expect([oldest.includes('old plan'), oldest.includes('old words')]).toEqual([false, true])
    const none = render(Buffer.byteLength(oldest) - 1)
    expect([none.includes('earlier_task'), none.includes('/approve')]).toEqual([false, true])
    expect((await collected(Infinity)).earlier).toEqual([])
  })

  it('leaves out a thread that the mirror does not have yet', async () => {
    const task = withMergeRequest()
    const unseen = withChanges(task, {
      forge: { issues: task.forge.issues.map((issue) => ({ ...issue, number: 99 })) },
    })
    const { issues, mergeRequests } = await collect(unseen)
    expect([issues, mergeRequests.length]).toEqual([[], 1])
  })

  it('names the agent that the stage wants while no pod lives', async () => {
    expect((await collect(aTask({ pod: { agentKind: '' }, stage: { wants: 'review' } }))).agent).toBe('review')
    expect((await collect(aTask({ pod: { agentKind: '' }, stage: { wants: null } }))).agent).toBe('')
  })

  it('has the events that the turn carries and no later one', async () => {
    const event = { kind: 'issue_comment', repository: 'lib', number: 1, author: 'maria', at: noon }
    const pending = ['one', 'two', 'three'].map((text, index) => ({ ...event, text, n: index + 1 }))
    const { events } = await collect(aTask({ journal: { pending, eventSequence: 3 } }), { eventsUpTo: 2 })
    expect(events.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('has the newest 30 notes, oldest first, and counts all (BUNDLE-19, BUNDLE-RULE-3)', async () => {
    const notes = Array.from({ length: 40 }, (_, n) => aNote(n))
    const recent = await collect(aTask({ journal: { notes }, pod: { ordinal: 9 } }))
    expect([recent.notes.length, recent.notes[0]?.body, recent.notes.at(-1)?.body, recent.notesTotal]).toEqual([
      30,
      'note 10',
      'note 39',
      40,
    ])
    expect((await collect(aTask({ journal: { notes }, pod: { ordinal: 9 } }), { notes: 'all' })).notes.length).toBe(40)
  })

  it('has no more than 64 KiB of notes (BUNDLE-19, BUNDLE-RULE-3)', async () => {
    const notes = Array.from({ length: 5 }, (_, n) => aNote(n, { body: `${n}`.repeat(20_000) }))
    const { notes: kept } = await collect(aTask({ journal: { notes }, pod: { ordinal: 9 } }))
    expect(kept.map(({ body }) => body[0])).toEqual(['2', '3', '4'])
  })

  it('has the newest note though it is larger than that by itself', async () => {
    const notes = [aNote(0), aNote(1, { body: '漢'.repeat(32_768) })]
    expect(
      (await collect(aTask({ journal: { notes }, pod: { ordinal: 9 } }))).notes.map(({ body }) => body[0]),
    ).toEqual(['漢'])
  })

  it('always has the plans and hand-offs of the last two pods, however old they are (BUNDLE-3, BUNDLE-19, BUNDLE-RULE-3)', async () => {
    const early = [
      aNote(1, { kind: 'plan', pod: 7 }),
      aNote(2, { kind: 'plan', pod: 8 }),
      aNote(3, { kind: 'handoff', pod: 9 }),
      aNote(4, { kind: 'finding', pod: 9 }),
    ]
    const notes = [...early, ...Array.from({ length: 30 }, (_, n) => aNote(n + 10, { pod: 9 }))]
    const { notes: kept } = await collect(aTask({ journal: { notes }, pod: { ordinal: 9 } }))
    expect(kept.slice(0, 3).map(({ body }) => body)).toEqual(['note 2', 'note 3', 'note 10'])
    expect(kept.length).toBe(32)
  })
})
