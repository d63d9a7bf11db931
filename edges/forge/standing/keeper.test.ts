import { expect, test } from 'vitest'
import { ATask, taskId } from '../../../machines/testing/a-task.ts'
import { withChanges, type TaskContext } from '../../../machines/task/context.ts'
import { explain } from '../../../machines/why/why.ts'
import { until as untilMet } from '../../../runtime/contract/harness.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { ActorView, JournalRow } from '../../../runtime/runtime.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { statePath } from '../../../runtime/step/state-path.ts'
import { createOpenForge } from '../transport/open-forge.ts'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../testing/fixture.ts'
import { keepStandings, type StandingKeeper } from './keeper.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = 'acme/library'

interface Kept {
  readonly fixture: EdgeFixture
  readonly number: number
  readonly keeper: StandingKeeper
  /** Where the Task stands from now on; `heard`: the keeper is told of the step. `id`: another Task of the same issue. */
  stands(task: ATask, change?: { readonly heard?: boolean; readonly id?: string }): void
  /** The keeper's timers go off, one after another, until this is so. */
  until(look: () => boolean): Promise<void>
  /** A little later, when nothing is under way any more; the keeper then keeps nothing up. */
  rest(): Promise<void>
  comments(): readonly string[]
  labels(): readonly string[]
  count(action: string): number
}

async function withKeeper(options: EdgeFixtureOptions, use: (withKeeper: Kept) => Promise<void>): Promise<void> {
  await withForgeEdge(options, async (fixture) => {
    // Its own: with the forge's, requests under way would be given up.
    const clock = simulatedClock(fixture.clock.now())
    await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const { number } = fixture.forge.openIssue('maintainer', REPO, { title: 'Add', body: 'x', labels: ['platform'] })
    await fixture.quiet()
    const url = (await fixture.edge.mirror.issue('demo', 'library', number))!.issue.url
    const current = new Map<string, ActorView>()
    let listener: (row: JournalRow) => void = () => undefined
    const keeper = keepStandings({
      directory: fixture.directory,
      openForge: createOpenForge({ ...fixture, fetch }),
      mirror: fixture.edge.mirror,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      runtime: {
        read: async (address) => current.get(address) as never,
        list: async () => [...current.values()] as never,
        subscribe: (heard) => {
          listener = heard
          return () => (listener = () => undefined)
        },
      },
      why: async (id) => {
        const { value, path, context } = current.get(`task:${id}`)!
        return explain({ task: { value, path, context: context as TaskContext }, timers: [], now: 0 })
      },
    })
    try {
      await use({
        fixture,
        number,
        keeper,
        stands(task, { heard = true, id = taskId } = {}) {
          const address = `task:${id}` as const
          current.set(address, viewOf(task, id, number, url, clock.now()))
          if (heard) listener({ address } as unknown as JournalRow)
        },
        async until(look) {
          const goOn = async (): Promise<boolean> => {
            await fixture.quiet(clock.advance(60_000))
            return look()
          }
          await untilMet(goOn, Boolean, 60_000)
        },
        async rest() {
          clock.advance(60_000)
          await fixture.quiet(keeper.stop())
        },
        comments: () => [...fixture.forge.issue(REPO, number).comments.values()].map(({ body }) => body),
        labels: () => fixture.forge.issue(REPO, number).labels.map(({ name }) => name),
        count: (action) => fixture.forge.audit().filter((entry) => entry.action === action).length,
      })
    } finally {
      await keeper.stop()
    }
  })
}

/** The Task of the machine's tests, as minted for this very issue. */
function viewOf({ value, context }: ATask, id: string, number: number, url: string, updatedAt: number): ActorView {
  const issues = context.forge.issues.map((issue) => ({ ...issue, repository: 'library', number }))
  const origin = context.kind === 'implement' ? { kind: 'webhook', ref: url } : context.origin
  const owned: TaskContext = withChanges(context, {
    id,
    origin,
    forge: { issues },
    config: { ...context.config, project: 'default/demo' },
  })
  const view = { address: `task:${id}`, kind: 'task', id, seq: 1, version: 1, status: 'active', value, updatedAt }
  return { ...view, path: statePath(value as never), context: owned } as unknown as ActorView
}

const parked = (): ATask => new ATask().mint().running().planned().send('approval.refused', refusal)
const declined = (): ATask => new ATask().mint().running().outcome('declined', { decline_reason: 'no' })
const refusal = { issue: new ATask().mint().context.forge.issues[0]!.issue, reason: 'quote-matches' }

const it = testInside(withKeeper, {})

it('a Task has one comment, rewritten in place as it goes on', async (fixture) => {
  const { keeper, stands, until, rest, comments, count } = fixture
  keeper.start()
  stands(new ATask().mint().running())
  await until(() => comments().length === 1)
  expect(comments()[0]).toContain('`implementing`')
  stands(parked())
  await until(() => comments()[0]!.includes('identity-unverified'))
  stands(parked())
  await rest()
  expect([comments().length, count('comment.create'), count('comment.edit')]).toEqual([1, 1, 1])
})

test('an answer that was lost makes no second comment, and neither does another process that knows of none', async () => {
  const lost = {
    kind: 'errorAfterWrite',
    method: 'POST',
    path: '/repos/acme/library/issues/*/comments',
    times: 1,
  } as const
  await withKeeper({ faults: [lost] }, async ({ fixture, keeper, stands, until, comments, count }) => {
    keeper.start()
    stands(new ATask().mint().running())
    await until(() => comments().length === 1)
    await fixture.sql.exec('truncate forge_comment')
    stands(parked())
    await until(() => comments()[0]!.includes('identity-unverified'))
    expect(count('comment.create')).toBe(1)
  })
})

it('what was missed while nobody lived is found by the walk at the start', async (fixture) => {
  const { keeper, stands, until, comments } = fixture
  stands(parked(), { heard: false })
  keeper.start()
  await until(() => comments().length === 1)
})

it('of two comments of two writers the first is kept up to date, and the second points to it', async (opened) => {
  const { fixture, number, keeper, stands, until, comments } = opened
  keeper.start()
  stands(new ATask().mint().running())
  await until(() => comments().length === 1)
  await fixture.quiet(fixture.forge.comment('bot', REPO, number, comments()[0]!))
  stands(parked())
  const [newest, pointer] = ['identity-unverified', 'The comment above shows the state of this Task.']
  await until(() => comments()[0]!.includes(newest) && comments()[1] === pointer)
  expect(comments()).toHaveLength(2)
})

it('a comment that somebody else pasted is none of ours, and one that was deleted is written anew', async (opened) => {
  const { fixture, number, keeper, stands, until, comments } = opened
  keeper.start()
  stands(new ATask().mint().running())
  await until(() => comments().length === 1)
  const [first] = fixture.forge.issue(REPO, number).comments.values()
  fixture.forge.comment('maintainer', REPO, number, `${comments()[0]} and more`)
  await fixture.quiet(fixture.forge.deleteComment('bot', REPO, first!.id))
  stands(parked())
  await until(() => comments().some((body) => body.includes('identity-unverified')))
  expect(comments()).toHaveLength(2)
  expect(comments()[0]).toContain('and more')
})

it('the parked marker is on the issue while its Task is parked, and every other label stays (LABELS-11)', async (fixture) => {
  const { keeper, stands, until, labels } = fixture
  keeper.start()
  stands(parked())
  await until(() => labels().includes('platform-parked'))
  expect(labels()).toContain('platform')
  stands(new ATask().mint().running())
  await until(() => !labels().includes('platform-parked'))
  expect(labels()).toContain('platform')
})

it('what came to rest right before the keeper stops is written before it has stopped', async (fixture) => {
  const { keeper, stands, until, comments } = fixture
  keeper.start()
  stands(new ATask().mint().running())
  await until(() => comments().length === 1)
  stands(parked())
  await keeper.stop()
  expect(comments()).toEqual([expect.stringContaining('identity-unverified')])
})

it('a Task that declined says so in its own comment and marks the issue that it gave back', async (opened) => {
  const { fixture, keeper, stands, until, comments, labels } = opened
  // What no jsonb takes stands beside it.
  fixture.forge.openIssue('maintainer', REPO, { title: 'half \ud800 and \u0000', body: 'x', labels: ['platform'] })
  await fixture.quiet()
  keeper.start()
  stands(new ATask().mint().running())
  await until(() => comments().length === 1)
  stands(declined())
  await until(() => comments()[0]!.includes('implement-declined') && labels().includes('platform-parked'))
  expect(comments()).toHaveLength(1)
})

it('a Task that declined leaves the marker to a newer Task of the same issue', async (fixture) => {
  const { keeper, stands, until, rest, comments, labels } = fixture
  keeper.start()
  stands(declined())
  await until(() => labels().includes('platform-parked'))
  stands(new ATask().mint().running(), { id: 'default/implement-lib-1-later' })
  await until(() => comments().length === 2 && !labels().includes('platform-parked'))
  stands(declined())
  await rest()
  expect(labels()).not.toContain('platform-parked')
})

it('a Task that nobody could look for on the forge is said nowhere', async ({ keeper, stands, rest, count }) => {
  keeper.start()
  stands(new ATask().mint({ kind: 'documentation', issues: [] }))
  await rest()
  expect(count('comment.create')).toBe(0)
})
