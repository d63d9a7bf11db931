import { expect, test } from 'vitest'
import { withChanges, type TaskContext, type TaskPatch } from '../../machines/task/context.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { createTaskRights } from './task-rights.ts'

const TASK = 'default/implement-library-1-aaaaa'
const BRANCH = 'platform/implement-library-1-aaaaa'
const grant = { planHash: 'p', self: false }

const SEEN_AT = 1_800_000_000_000

function aPlan(at: number): object {
  return { id: `n${at}`, kind: 'plan', at, bodyHash: 'p' }
}

interface World {
  readonly context: TaskPatch
  readonly status?: ActorView['status']
  readonly granted?: boolean
  /** When a maintainer wrote `/allow-ci-changes`. */
  readonly ciAllowedAt?: number
}

function rights({
  context,
  status = 'active',
  granted = true,
  ciAllowedAt,
}: World): ReturnType<typeof createTaskRights> {
  const full = withChanges(
    {
      id: TASK,
      kind: 'implement',
      repositories: ['library'],
      pod: { alive: true, ordinal: 2 },
      stage: { class: 'active' },
      forge: {
        everOwnedIssue: true,
        mergeRequests: [],
        issues: [{ issue: 'default/library-1', repository: 'library', number: 1, state: 'open', grant }],
      },
      journal: { planHash: 'p', notes: [aPlan(SEEN_AT)] as unknown as TaskContext['journal']['notes'] },
      config: { project: 'default/demo' },
    } as unknown as TaskContext,
    context,
  )
  return createTaskRights({
    runtime: {
      read: async (address) =>
        (String(address) === `task:${TASK}` ? { kind: 'task', status, context: full } : undefined) as never,
    },
    grantHolds: async (issue) => granted && issue === 'default/library-1',
    ciChangesAllowedAt: async (project, repository, on, number) =>
      ciAllowedAt !== undefined && `${project} ${repository} ${on} ${number}` === 'default/demo library issue 1'
        ? [ciAllowedAt]
        : [],
  })
}

const identity = { project: 'default/demo', task: TASK, pod: 2 }

test('the living pod of a Task fetches its repositories and pushes its branch (GIT-GATEWAY-2)', async () => {
  expect(await rights({ context: {} }).taskAccess(identity)).toEqual({
    repositories: ['library'],
    branches: { library: BRANCH },
  })
})

test('an earlier pod, a stopped one, an ended and an unknown Task have no rights (POD-TOKEN-3)', async () => {
  expect(await rights({ context: {} }).taskAccess({ ...identity, pod: 1 })).toBeUndefined()
  expect(await rights({ context: { pod: { alive: false } } }).taskAccess(identity)).toBeUndefined()
  expect(await rights({ context: {}, status: 'done' }).taskAccess(identity)).toBeUndefined()
  expect(await rights({ context: {} }).taskAccess({ ...identity, task: 'default/other' })).toBeUndefined()
})

test("the review of a human's change pushes nothing, and no pod pushes to a branch of a person", async () => {
  expect(await rights({ context: { kind: 'review' } }).taskAccess(identity)).toMatchObject({ branches: {} })
  const mergeRequests = [
    { repository: 'library', number: 4, state: 'open', headBranch: 'fix-it' },
  ] as unknown as TaskContext['forge']['mergeRequests']
  expect(await rights({ context: { forge: { mergeRequests } } }).taskAccess(identity)).toMatchObject({ branches: {} })
})

test("GIT-3: the Task's grant and the Issue's own word both have to hold (GIT-GATEWAY-4)", async () => {
  expect(await rights({ context: {} }).mayPush(TASK, 'library')).toEqual({ allowed: true, protectedPaths: false })
  expect(await rights({ context: {}, granted: false }).mayPush(TASK, 'library')).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('is void'),
  })
  const issues = [
    { issue: 'default/library-1', repository: 'library', number: 1, state: 'open', grant: null },
  ] as unknown as TaskContext['forge']['issues']
  expect(await rights({ context: { forge: { issues } } }).mayPush(TASK, 'library')).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('approves'),
  })
  expect(await rights({ context: { stage: { class: 'terminal' } } }).mayPush(TASK, 'library')).toMatchObject({
    allowed: false,
  })
})

test('CLAIM-17: a plan that was swapped after its approval pushes nothing, until it is approved itself (CLAIM-16, CLAIM-17)', async () => {
  expect(await rights({ context: { journal: { planHash: 'q' } } }).mayPush(TASK, 'library')).toEqual({
    allowed: false,
    reason:
      'the newest plan is not the approved one: ask a maintainer to approve it; the work stays in the workspace until then',
  })
  const issues = [
    { issue: 'default/library-1', repository: 'library', number: 1, state: 'open', grant: { ...grant, planHash: 'q' } },
  ] as unknown as TaskContext['forge']['issues']
  expect(
    await rights({ context: { journal: { planHash: 'q' }, forge: { issues } } }).mayPush(TASK, 'library'),
  ).toMatchObject({ allowed: true })
})

test('a Task that never owned an issue is not gated', async () => {
  expect(
    await rights({ context: { forge: { everOwnedIssue: false, issues: [] } }, granted: false }).mayPush(
      TASK,
      'library',
    ),
  ).toMatchObject({ allowed: true })
})

test('protected paths open by a word of a maintainer in a thread of the Task, for the plan that stood when it was said', async () => {
  const opened = { allowed: true, protectedPaths: true }
  const closed = { allowed: true, protectedPaths: false }
  const said = (ciAllowedAt: number, notes: readonly object[]): unknown =>
    rights({ context: { journal: { notes: notes as TaskContext['journal']['notes'] } }, ciAllowedAt }).mayPush(
      TASK,
      'library',
    )
  expect(await said(SEEN_AT + 5000, [aPlan(SEEN_AT)])).toEqual(opened)
  expect(await said(SEEN_AT + 5000, [aPlan(SEEN_AT), { ...aPlan(SEEN_AT + 9000), kind: 'finding' }])).toEqual(opened)
  // A newer plan ends it, also one of the same words that is taken up again.
  expect(await said(SEEN_AT + 5000, [aPlan(SEEN_AT), aPlan(SEEN_AT + 9000)])).toEqual(closed)
  // Within one second nobody can tell which came first, and nobody reads a plan as fast.
  expect(await said(SEEN_AT + 400, [aPlan(SEEN_AT + 600)])).toEqual(closed)
  expect(await said(SEEN_AT + 5400, [aPlan(SEEN_AT), aPlan(SEEN_AT + 5600)])).toEqual(closed)
  // Said before the first plan: it was of none.
  expect(await said(SEEN_AT - 5000, [aPlan(SEEN_AT)])).toEqual(closed)
  expect(await said(SEEN_AT + 5000, [])).toEqual(opened)
})

test.each(['brainstorm', 'incident', 'refine', 'review'] as const)('a %s has nothing to push', async (kind) => {
  const access = await rights({ context: { kind, forge: { everOwnedIssue: false, issues: [] } } }).taskAccess(identity)
  expect(access?.branches).toEqual({})
})

test("GIT-6: a branch that people handed over is the Task's own; any other of people's is not", async () => {
  const mr = {
    repository: 'library',
    number: 7,
    state: 'open',
    headBranch: 'fix',
  } as TaskContext['forge']['mergeRequests'][number]
  const context = { forge: { everOwnedIssue: false, issues: [] } }
  const handed = rights({ context: withChanges(context, { forge: { mergeRequests: [{ ...mr, writable: true }] } }) })
  expect((await handed.taskAccess(identity))?.branches).toEqual({ library: 'fix' })
  expect(
    (await rights({ context: withChanges(context, { forge: { mergeRequests: [mr] } }) }).taskAccess(identity))
      ?.branches,
  ).toEqual({})
})
