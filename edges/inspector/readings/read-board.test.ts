import { describe, expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { goodToken, issueFacts, maintainers, playStory, withFixture, type Fixture } from '../testing/fixture.ts'
import { until } from '../../../runtime/contract/harness.ts'
import { Board, boardFor, boardOf, type BoardFilter, type Card } from '../../../machines/why/board.ts'
import { inReview } from '../../../machines/testing/a-task.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import { boardReader } from './read-board.ts'

/** The inspector's story: one Task works, one was closed, and the third issue waits for nothing but a slot. */
async function withBoard(
  use: (read: (wanted?: BoardFilter) => Promise<Board>, fixture: Fixture) => Promise<void>,
): Promise<void> {
  await withFixture(async (fixture) => {
    await playStory(fixture)
    let elapsed = 0
    // Each reading is of now.
    const clock = { now: () => fixture.clock.now(), elapsed: () => (elapsed += 60_000) }
    await use(boardReader({ runtime: fixture.runtime, maintainers, clock }), fixture)
  })
}

const titles = ({ cards }: Board['waiting']): readonly string[] => cards.map(({ title }) => title)

describe('the board (OPERATIONS-17)', () => {
  test('has each Task in one column, by who can move it, with the title of its issue and where to go', () =>
    withBoard(async (read, { send }) => {
      await send('issue:default/lib-10', { type: 'issue.observed', facts: issueFacts(10) })
      await send('issue:default/lib-11', { type: 'issue.observed', facts: issueFacts(11) })
      const board = await until(read, ({ queued, working }) => queued.cards.length === 3 && working.cards.length === 1)
      expect(Value.Check(Board, board)).toBe(true)
      expect(titles(board.ended)).toEqual(['Parse durations with 8 units'])
      expect(titles(board.working)).toEqual(['Parse durations with 7 units'])
      expect(board.queued.cards.map(({ title, queue }) => [title, queue])).toEqual([
        ['Parse durations with 9 units', { position: 1, reason: 'no free slot' }],
        ['Parse durations with 10 units', { position: 2, reason: 'no free slot' }],
        ['Parse durations with 11 units', { position: 3, reason: 'no free slot' }],
      ])
      expect(board.queued.cards[0]).toMatchObject({
        ...{ stage: 'queued', owner: 'queue', project: 'default/demo' },
        address: 'queue:default/demo',
      })
      expect(board.working.cards[0]?.thread).toMatchObject({
        url: expect.stringContaining('forge.example/lib/issues/'),
      })
      expect(board.projects).toMatchObject([{ project: 'default/demo', fault: null, hold: '', slots: 2, used: 2 }])
    }))

  test('what waits for people says for whom, and a login finds its own: it filters and gives nothing', () =>
    withBoard(async (read, { send, runtime }) => {
      const waits = async (): Promise<readonly Card[]> => (await read()).waiting.cards
      const [task] = await runtime.list('task', { status: 'active' })
      await send(task!.address, { type: 'task.hold', by: 'ops', reason: 'look at it: ghp_0123456789abcdefghij' })
      const [held] = await until(waits, ({ length }) => length === 1)
      expect(held).toMatchObject({ task: task!.id, owner: 'operator', people: ['Maria'] })
      expect(JSON.stringify(held)).not.toContain('ghp_')
      const limits = { maxConcurrentAgents: 9, capacity: 9, alertCapacity: 1 }
      await send('queue:default/demo', { type: 'queue.configured', ...limits })
      const facts = { ...issueFacts(12), title: 'Leave months out', selfProposed: true }
      await send('issue:default/lib-12', { type: 'issue.observed', facts })
      const cards = await until(waits, ({ length }) => length === 2)
      expect(cards[1]).toMatchObject({ title: 'Leave months out', owner: 'human', people: ['Maria', 'rosa'] })
      // Her /retry releases a hold (PARK-4), the author's does not.
      const mine = { '@maria': [held?.title, 'Leave months out'], ROSA: ['Leave months out'], mallory: [] }
      for (const [me, theirs] of Object.entries(mine))
        expect([me, titles((await read({ me })).waiting)]).toEqual([me, theirs])
      expect((await read({ me: 'mallory' })).ended.cards).toHaveLength(1)
    }))

  test('has what its filters leave, in any case: by Project, repository, person, reason and text; a column counts what is left', () =>
    withBoard(async (read) => {
      await until(read, ({ queued, working }) => queued.cards.length === 1 && working.cards.length === 1)
      const left = async (wanted: BoardFilter): Promise<string> => {
        const { projects, ...board } = await read(wanted)
        const found = [board.waiting, board.working, board.queued, board.ended].flatMap(titles)
        return `${projects.length}: ${found.map((title) => title.replace(/\D+/g, '')).join()}`
      }
      expect(await left({})).toBe('1: 7,9,8')
      expect(await left({ project: 'Default/demo', repository: 'LIB', person: '@Rosa', reason: '' })).toBe('1: 7,9,8')
      expect(await left({ q: 'lib#9' })).toBe('1: 9')
      expect(await left({ q: ' lib#8 WITH ' })).toBe('1: 8')
      expect(await left({ reason: 'pod.working.busy' })).toBe('1: 7')
      expect(await left({ reason: 'busy' })).toBe('1: ')
      expect(await left({ project: 'default/other' })).toBe('0: ')
      expect(await left({ repository: 'li' })).toBe('1: ')
    }))

  test('finds each Task by the words that the list finds it by, and each person by its name without a sign before it (INSPECTOR-7)', () =>
    withBoard(async (read, { runtime, url }) => {
      const board = await until(read, ({ working }) => working.cards.length === 1)
      const ids = [...board.working.cards, ...board.ended.cards].map(({ task }) => task).toSorted()
      const words = [
        'task:default/',
        'IMPLEMENT',
        'lib#7',
        'lib#8',
        'pod.working',
        'default/demo',
        'units',
        'units 7 WITH',
        'nothing',
      ]
      for (const q of words) {
        const { working, ended } = await read({ q })
        const onBoard = [...working.cards, ...ended.cards].map(({ task }) => task).toSorted()
        const { views } = await runtime.find('task', { limit: 9, text: q })
        expect([q, onBoard]).toEqual([q, views.map(({ id }) => id).filter((id) => ids.includes(id))])
      }
      const headers = { authorization: `Bearer ${goodToken}` }
      const list = await fetch(`${url}/inspector/api/actors?kind=issue&person=%40Rosa`, { headers })
      expect(await list.json()).toMatchObject({ total: 3 })
      expect((await read({ person: '@rosa' })).working.cards).toHaveLength(1)
    }))

  test('finds what ended in a quiet Project behind hundreds that ended later elsewhere, and names since when where there are more', () =>
    withFixture(async (fixture) => {
      await playStory(fixture)
      const { runtime, clock } = fixture
      const tasks = await until(
        () => runtime.list('task'),
        (found) => found.length > 1,
      )
      const ended = tasks.find(({ context }) => (context as TaskContext).stage.class === 'terminal')
      const boardWith = (later: number): Promise<Board> => {
        const views = Array.from({ length: later + 1 }, (_, index) => {
          const config = { ...(ended!.context as TaskContext).config, project: index === 900 ? 'quiet/p' : 'busy/p' }
          return { ...ended!, updatedAt: 1_000_000 - index, context: { ...ended!.context, config } }
        })
        return boardReader({
          runtime: {
            read: (address) => runtime.read(address),
            list: async () => [],
            listEnded: async (_, { limit }) => views.slice(0, limit) as never,
          },
          maintainers,
          clock,
        })({ project: 'quiet/p' })
      }
      const all = await boardWith(900)
      expect([all.ended.cards.length, all.endedSince]).toEqual([1, undefined])
      const cut = await boardWith(5000)
      expect([cut.ended.cards.length, cut.endedSince]).toEqual([1, 1_000_000 - 999])
    }))

  test('asks an operator about a Task that nobody can load, and about a model that is withheld', () => {
    const none = { tasks: [], ended: [], queues: [], projects: [], maintainers: new Map(), ledgers: new Map() }
    const hold = { cause: 'no_credit', message: 'top up', since: 1, until: 9 } as const
    const quarantined = [{ id: 'default/a', fault: 'no upgrade of task from version 1 to 2', since: 5 }]
    const whole = boardOf({ ...none, issues: new Map(), quarantined, hold, now: 7 })
    const board = boardFor(whole)
    expect(Value.Check(Board, board)).toBe(true)
    expect(board.waiting.cards).toMatchObject([{ task: 'default/a', owner: 'operator', detail: quarantined[0]?.fault }])
    const inProject = (project: string) => boardFor(whole, { project }).waiting.cards.length
    expect(['Default/demo', 'other/demo'].map(inProject)).toEqual([1, 0])
    expect([
      board.isScripted,
      boardOf({ ...none, issues: new Map(), quarantined, hold, now: 7, isScripted: true }).isScripted,
    ]).toEqual([false, true])
    expect(board.withheld).toEqual({ cause: 'no_credit', message: 'top up', until: 9 })
  })

  test('finds a Task by a commit of its merge request', () => {
    const none = { ended: [], quarantined: [], queues: [], projects: [], maintainers: new Map(), ledgers: new Map() }
    const { context } = inReview()
    const [mergeRequest] = context.forge.mergeRequests
    const mergeRequests = [{ ...mergeRequest!, headSha: '0123456789ab', mergeCommit: 'ba9876543210' }]
    const tasks = [
      { path: 'stage.live.minted pod.none', context: { ...context, forge: { ...context.forge, mergeRequests } } },
    ]
    const board = boardOf({ ...none, tasks, issues: new Map(), hold: null, now: 7 })
    const found = (q: string): number =>
      [boardFor(board, { q })].flatMap(({ waiting, working }) => [...waiting.cards, ...working.cards]).length
    expect(['0123456', 'BA98765 lib!7', '012345', '123456789ab'].map(found)).toEqual([1, 1, 0, 0])
  })

  test('names what holds a Project', () =>
    withBoard(async (read, { send }) => {
      await send('queue:default/demo', { type: 'queue.paused', by: 'ops', reason: 'release' })
      const board = await until(read, ({ projects }) => projects[0]?.hold !== '')
      expect(board.projects[0]?.hold).toBe('paused by ops: release')
      await send('project:default/demo', {
        type: 'project.checked',
        generation: 1,
        ready: false,
        reason: 'TokenRefused',
        message: 'read own account: Bad credentials',
      })
      const { projects } = await until(read, (now) => now.projects[0]?.fault !== null)
      expect(projects[0]?.fault).toEqual({ reason: 'TokenRefused', message: 'read own account: Bad credentials' })
    }))
})
