/** What a run is told there is to do. */
import { expect, test } from 'vitest'
import type { ActorKind } from '../../machines/definition.ts'
import type { Backlog } from '../../machines/project/events.ts'
import { TerminalError } from '../../runtime/errors.ts'
import type { ActorView, EffectContext } from '../../runtime/runtime.ts'
import type { ProjectSettings } from '../forge/projects.ts'
import { readBacklog } from './read-backlog.ts'

type Context = Readonly<Record<string, unknown>>
const id = 'default/demo'
const taskConfig = { project: id }
const project = {
  name: 'demo',
  namespace: 'default',
  repositories: [
    { name: 'lib', url: 'https://forge.test/acme/lib.git' },
    { name: 'docs', url: 'https://forge.test/acme/Docs' },
  ],
  kinds: { documentationRepo: 'https://forge.test/acme/docs.git' },
  taskConfig,
} as unknown as ProjectSettings

const task = (name: string, kind: string, more: Context = {}): Context => ({
  id: `default/${name}`,
  kind,
  repositories: ['lib'],
  stage: { name: 'implementing', class: 'active' },
  config: taskConfig,
  ...more,
})
const issue = (number: number, more: Context = {}, facts: Context = {}): Context => ({
  id: `default/lib-${number}`,
  facts: {
    project: id,
    repository: 'lib',
    number,
    state: 'open',
    wanted: true,
    swept: true,
    bodyHash: 'b',
    humanCommented: false,
    approvals: [],
    ...facts,
  },
  status: 'refined',
  owner: '',
  mint: null,
  held: false,
  urged: false,
  ...more,
})
const mergeRequest = (number: number, more: Context = {}, facts: Context = {}): Context => ({
  id: `default/lib-mr-${number}`,
  facts: {
    config: taskConfig,
    repository: 'lib',
    number,
    state: 'open',
    draft: false,
    wanted: true,
    headSha: `s${number}`,
    headBranch: 'x',
    ...facts,
  },
  owner: '',
  mint: null,
  held: true,
  ...more,
})
const waiting = (name: string, kind: string, admittedAt: number | null = null): Context => ({
  entry: `mint/default/${name}`,
  sort: 'mint',
  task: `default/${name}`,
  admittedAt,
  seed: { kind, repositories: ['lib'] },
})

interface World {
  readonly tasks?: readonly Context[]
  readonly done?: readonly string[]
  readonly issues?: readonly Context[]
  readonly mergeRequests?: readonly Context[]
  readonly entries?: readonly Context[]
  /** By number of the issue. */
  readonly labels?: Readonly<Record<number, readonly string[]>>
}

async function read(world: World, name = id): Promise<Backlog> {
  const kinds: Partial<Record<ActorKind, readonly Context[]>> = {
    task: world.tasks ?? [],
    issue: world.issues ?? [],
    'merge-request': world.mergeRequests ?? [],
  }
  const runtime = {
    list: async (kind: ActorKind) =>
      (kinds[kind] ?? []).map((context) => ({
        id: context['id'],
        status: 'active',
        context,
      })) as unknown as ActorView[],
    read: async (address: string) =>
      address.startsWith('queue:')
        ? ({ context: { entries: world.entries ?? [] } } as unknown as ActorView)
        : world.done?.includes(address.slice('task:'.length))
          ? ({ status: 'done' } as ActorView)
          : undefined,
  }
  const handler = readBacklog({
    runtime: runtime as never,
    directory: { project: async (asked) => (asked === id ? project : undefined) },
    openProposals: async () => 2,
    labelsOf: async (_project, _repository, number) => world.labels?.[number] ?? [],
  })
  const context = { key: 'k', actor: 'project:default/demo', at: 5 } as unknown as EffectContext
  const [delivery] = await handler.perform({ project: name, run: 'issueScan/1' }, context)
  expect(delivery).toMatchObject({ to: 'project:default/demo', key: 'k/read', event: { run: 'issueScan/1', at: 5 } })
  return delivery!.event['backlog'] as Backlog
}

test('SCHEDULE-9: work stages count, parks and merging do not, and ended Tasks are none (PROJECT-10, PROJECT-12)', async () => {
  const { tasks } = await read({
    tasks: [
      task('a', 'implement'),
      task('b', 'implement', { stage: { name: 'merging', class: 'active' } }),
      task('c', 'upgrade', { stage: { name: 'awaiting-human', class: 'parked' } }),
      task('d', 'review', { stage: { name: 'delivered', class: 'terminal' } }),
      task('e', 'implement', { config: { project: 'default/other' } }),
    ],
  })
  expect(tasks.map(({ task: name, open }) => [name, open])).toEqual([
    ['default/a', true],
    ['default/b', false],
    ['default/c', false],
  ])
})

test('what waits to be minted counts, once, and not any more when it has ended', async () => {
  const { tasks } = await read({
    entries: [waiting('new', 'upgrade'), waiting('here', 'implement', 1), waiting('over', 'incident', 1)],
    tasks: [task('here', 'implement')],
    done: ['default/over'],
  })
  expect(tasks.map(({ task: name, kind, open }) => [name, kind, open]).toSorted()).toEqual([
    ['default/here', 'implement', true],
    ['default/new', 'upgrade', true],
  ])
})

test('open issues of the lifecycle, oldest first; those that wait for a sweep may be offered', async () => {
  const { issues } = await read({
    issues: [
      issue(3),
      issue(1, { owner: 'default/x' }, { wanted: false }),
      issue(2, {}, { swept: false }),
      issue(4, {}, { state: 'closed' }),
      issue(5, {}, { wanted: false }),
      issue(6, {}, { project: 'default/other' }),
    ],
  })
  expect(issues.map(({ issue: name, offerable }) => [name, offerable])).toEqual([
    ['default/lib-1', false],
    ['default/lib-2', false],
    ['default/lib-3', true],
  ])
})

test('the parked marker is read for the order alone: an issue whose Task was parked before is offered last (LABELS-11)', async () => {
  const { issues } = await read({
    issues: [issue(1), issue(2, { owner: 'default/x' }), issue(3)],
    labels: { 1: ['platform-parked'], 2: ['platform-parked'] },
  })
  expect(issues.map(({ issue: name, offerable }) => [name, offerable])).toEqual([
    ['default/lib-2', false],
    ['default/lib-3', true],
    ['default/lib-1', true],
  ])
})

test('SCHEDULE-7: the print of an issue changes with what people say and write, not with what the platform does', async () => {
  const print = async (more: Context, facts: Context): Promise<string> =>
    (await read({ issues: [issue(1, more, facts)] })).issues[0]!.print
  const plain = await print({}, {})
  expect(await print({ owner: 'default/x', labels: ['l'], mint: { task: 't' } }, {})).toBe(plain)
  expect(await print({}, { bodyHash: 'c' })).not.toBe(plain)
  expect(await print({}, { humanCommented: true })).not.toBe(plain)
  expect(await print({}, { approvals: [{ commentId: '1' }] })).not.toBe(plain)
})

test('merge requests that nobody looks at, by their head', async () => {
  const { mergeRequests } = await read({
    mergeRequests: [mergeRequest(1), mergeRequest(2, { owner: 'default/x' }), mergeRequest(3, {}, { draft: true })],
  })
  expect(mergeRequests).toEqual([{ mergeRequest: 'default/lib-mr-1', repository: 'lib', headSha: 's1' }])
})

test('repositories, the enrolled documentation by its URL, proposals', async () => {
  expect(await read({})).toMatchObject({ repositories: ['lib', 'docs'], documentation: 'docs', openProposals: 2 })
})

test('of a Project that is gone nothing is read', async () => {
  await expect(read({}, 'default/gone')).rejects.toThrow(TerminalError)
})
