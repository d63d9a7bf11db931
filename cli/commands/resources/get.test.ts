import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { UsageError } from '../../args.ts'
import { get, watch } from './get.ts'
import { said, withOrchestrator, type CommandFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

interface Item {
  readonly metadata: object
  readonly [field: string]: unknown
}

const metadata = (name: string): object => ({ name, namespace: 'default' })
const tasks: readonly [Item, Item] = [
  {
    kind: 'Task',
    metadata: metadata('implement-a-1-x7f3q'),
    spec: { kind: 'implement', projectRef: 'demo' },
    status: {
      ...{ stage: 'review', stageReason: null, agentKind: 'review' },
      why: { reason: 'task/pod.working.idle/awaiting-approval', owner: 'maintainer' },
    },
  },
  {
    kind: 'Task',
    metadata: metadata('short'),
    spec: { kind: 'refine' },
    status: { stage: 'parked', stageReason: 'Question', agentKind: '' },
  },
]

const it = testInside<[CommandFixture]>((use) => withOrchestrator(use))

describe('get', () => {
  it('shows a table with the columns of its kind, a dash where there is nothing (RESOURCES-23)', async (fixture) => {
    fixture.items['tasks'] = tasks
    const { out } = await said(() => get(['tasks', '--dir', fixture.dir]))
    expect(out.split('\n')).toEqual([
      'NAMESPACE  NAME                 KIND       STAGE   REASON             WHO         AGENT   TITLE  AGE',
      'default    implement-a-1-x7f3q  implement  review  awaiting-approval  maintainer  review  -      -',
      'default    short                refine     parked  Question           -           -       -      -',
    ])
  })

  it('-o wide has every column, and -o name the names alone', async (fixture) => {
    fixture.items['tasks'] = tasks
    const of = async (...args: string[]): Promise<string> =>
      (await said(() => get(['tasks', ...args, '--dir', fixture.dir]))).out
    expect((await of('-o', 'wide', '--namespace', 'default')).split('\n').slice(0, 2)).toEqual([
      'NAME                 KIND       STAGE   REASON             WHO         AGENT   PROJECT  LAPS  PENDING  TITLE  AGE',
      'implement-a-1-x7f3q  implement  review  awaiting-approval  maintainer  review  demo     -     -        -      -',
    ])
    expect(await of('-o', 'name')).toBe('task/implement-a-1-x7f3q\ntask/short')
  })

  it('a Task has the title of its issue, cut but for -o wide, or its goal, and its age', async (fixture) => {
    const title = 'Months are read as minutes by parseDuration'
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString()
    fixture.items['issues'] = [{ kind: 'Issue', metadata: metadata('a-1'), spec: {}, status: { title } }]
    fixture.items['tasks'] = [
      {
        ...tasks[0],
        spec: { kind: 'implement', issues: [{ repository: 'a', number: 1 }] },
        status: { stages: [{ at }] },
      },
      { ...tasks[1], spec: { kind: 'refine', goal: 'sort the issues\nall' }, status: {} },
    ]
    const of = async (...args: string[]): Promise<string> =>
      (await said(() => get(['tasks', ...args, '--dir', fixture.dir]))).out
    expect(await of()).toMatch(/Months are read as minutes by parseDura…  3h$/m)
    expect(await of()).toMatch(/sort the issues +-$/m)
    expect(await of('-o', 'wide')).toContain(title)
  })

  it('-w prints the table, and then each row that changes', async (fixture) => {
    fixture.items['tasks'] = tasks
    let polls = 0
    const clock: Clock = {
      ...systemClock,
      setTimer(_delay, callback) {
        polls += 1
        if (polls === 3) throw new Error('enough')
        if (polls === 2) fixture.items['tasks'] = [tasks[0], { ...tasks[1], status: { stage: 'delivered' } }]
        return systemClock.setTimer(1, callback)
      },
    }
    const { out } = await said(() => expect(watch(['tasks', '--dir', fixture.dir], clock)).rejects.toThrow('enough'))
    expect(out.split('\n').map((line) => line.split(/ +/).slice(1, 4))).toEqual([
      ['NAME', 'KIND', 'STAGE'],
      ['implement-a-1-x7f3q', 'implement', 'review'],
      ['short', 'refine', 'parked'],
      ['short', 'refine', 'delivered'],
    ])
    await expect(get(['tasks', '-w', '-o', 'json', '--dir', fixture.dir])).rejects.toThrow('-w shows rows')
  })

  it('events of the queue that wait come first, in their order, each with its reason', async (fixture) => {
    const event = (name: string, status: object): object => ({
      ...{ kind: 'QueuedEvent', metadata: metadata(name), spec: { taskRef: 't' }, status },
    })
    fixture.items['queuedevents'] = [
      event('a', { state: 'Done', reason: 'minted' }),
      event('b', { state: 'Admitted' }),
      event('c', { state: 'Queued', position: 2, reason: 'no slot is free' }),
      event('d', { state: 'Queued', position: 1, reason: 'the Project is paused' }),
    ]
    const { out } = await said(() => get(['qe', '--namespace', 'default', '--dir', fixture.dir]))
    expect(out.split('\n')).toEqual([
      'NAME  STATE     POSITION  TASK  REASON                 AGE',
      'd     Queued    1         t     the Project is paused  -',
      'c     Queued    2         t     no slot is free        -',
      'b     Admitted  -         t     -                      -',
      'a     Done      -         t     minted                 -',
    ])
  })

  it.for(['issues', 'mergerequests'])('shows no age of %s, whose beginning nobody records', async (plural, fixture) => {
    fixture.items[plural] = [
      {
        kind: 'Issue',
        metadata: metadata('a-1'),
        spec: { repositoryRef: 'a', number: 1 },
        status: { status: 'known' },
      },
    ]
    const { out } = await said(() => get([plural, '--dir', fixture.dir]))
    expect(out).toContain('REPOSITORY')
    expect(out).not.toContain('AGE')
  })

  it('shows false as false, and no columns for nothing (RESOURCES-21, RESOURCES-22)', async (fixture) => {
    fixture.items['projects'] = [
      {
        kind: 'Project',
        metadata: metadata('demo'),
        spec: { maxConcurrentAgents: 0 },
        status: {
          ...{ ready: false, reason: 'SecretMissingKeys' },
          conditions: [{ type: 'Ready' }, { type: 'Paused', status: 'True' }],
        },
      },
    ]
    expect((await said(() => get(['proj', '--dir', fixture.dir]))).out).toBe(
      [
        'NAMESPACE  NAME  READY  REASON             AGENTS  PAUSED  AGE',
        'default    demo  false  SecretMissingKeys  0       True    -',
      ].join('\n'),
    )
    expect((await said(() => get(['repo', '--dir', fixture.dir]))).out).toBe('no repositories')
  })

  it('shows one by its name, as JSON or YAML, and a list as items', async (fixture) => {
    fixture.items['tasks'] = tasks
    const of = async (...args: string[]): Promise<string> =>
      (await said(() => get([...args, '--dir', fixture.dir]))).out
    expect(JSON.parse(await of('task', 'short', '-o', 'json'))).toEqual(tasks[1])
    expect(parse(await of('task', 'short', '-o', 'yaml'))).toEqual(tasks[1])
    expect(JSON.parse(await of('Task', '-o', 'json'))).toEqual({ items: tasks })
    await expect(get(['task', 'none', '--dir', fixture.dir])).rejects.toThrow('there is no tasks none')
  })

  it('asks for one namespace where one is named (RESOURCES-21)', async (fixture) => {
    await said(() => get(['qe', '--namespace', 'a&b', '--dir', fixture.dir]))
    expect(fixture.asked).toEqual(['/resources/queuedevents?namespace=a%26b&limit=500'])
  })

  it('asks for page after page until the list ends (RESOURCES-30)', async (fixture) => {
    fixture.items['tasks'] = Array.from({ length: 1203 }, (_, index) => ({
      ...tasks[1],
      metadata: metadata(`t-${index}`),
    }))
    const { out } = await said(() => get(['tasks', '-o', 'json', '--dir', fixture.dir]))
    expect(JSON.parse(out)).toEqual({ items: fixture.items['tasks'] })
    expect(fixture.asked.length).toBe(3)
  })

  it('is called wrongly with an unknown kind or form, and never shows secrets', async (fixture) => {
    await expect(get(['widgets', '--dir', fixture.dir])).rejects.toThrow(UsageError)
    await expect(get(['pods'])).rejects.toThrow(/^there is no kind pods\nkinds: projects, [^\n]*$/)
    await expect(get([])).rejects.toThrow(UsageError)
    for (const name of ['secret', 'secrets', 'Secret'])
      await expect(get([name, '--dir', fixture.dir])).rejects.toThrow('secrets are never shown')
    await expect(get(['tasks', '-o', 'xml', '--dir', fixture.dir])).rejects.toThrow(
      '-o takes wide, name, json, yaml, not xml',
    )
    expect(fixture.asked).toEqual([])
  })
})

test('get --json names -o json in one line', async () => {
  await expect(get(['tasks', '--json'])).rejects.toThrow(/^get prints JSON with -o json$/)
})
