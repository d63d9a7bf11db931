import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { UsageError } from '../args.ts'
import { get } from './get.ts'
import { said, withOrchestrator } from './testing/fixture.ts'

const metadata = (name: string): object => ({ name, namespace: 'default' })
const tasks = [
  {
    kind: 'Task',
    metadata: metadata('implement-a-1-x7f3q'),
    spec: { kind: 'implement', projectRef: 'demo' },
    status: { stage: 'review', stageReason: null, agentKind: 'review' },
  },
  {
    kind: 'Task',
    metadata: metadata('short'),
    spec: { kind: 'refine' },
    status: { stage: 'parked', stageReason: 'Question', agentKind: '' },
  },
]

describe('get', () => {
  test('shows a table with the columns of its kind, a dash where there is nothing (RESOURCES-23)', async () => {
    await withOrchestrator(async (fixture) => {
      fixture.items['tasks'] = tasks
      const { out } = await said(() => get(['tasks', '--dir', fixture.dir]))
      expect(out.split('\n')).toEqual([
        'NAME                 KIND       STAGE   REASON    AGENT',
        'implement-a-1-x7f3q  implement  review  -         review',
        'short                refine     parked  Question  -',
      ])
    })
  })

  test('shows false as false, and no columns for nothing (RESOURCES-21, RESOURCES-22)', async () => {
    await withOrchestrator(async (fixture) => {
      fixture.items['projects'] = [
        {
          kind: 'Project',
          metadata: metadata('demo'),
          spec: { maxConcurrentAgents: 0 },
          status: { ready: false, reason: 'SecretMissingKeys' },
        },
      ]
      expect((await said(() => get(['proj', '--dir', fixture.dir]))).out).toBe(
        'NAME  READY  REASON             AGENTS\ndemo  false  SecretMissingKeys  0',
      )
      expect((await said(() => get(['repo', '--dir', fixture.dir]))).out).toBe('no repositories')
    })
  })

  test('shows one by its name, as JSON or YAML, and a list as items', async () => {
    await withOrchestrator(async (fixture) => {
      fixture.items['tasks'] = tasks
      const of = async (...args: string[]): Promise<string> =>
        (await said(() => get([...args, '--dir', fixture.dir]))).out
      expect(JSON.parse(await of('task', 'short', '-o', 'json'))).toEqual(tasks[1])
      expect(parse(await of('task', 'short', '-o', 'yaml'))).toEqual(tasks[1])
      expect(JSON.parse(await of('Task', '-o', 'json'))).toEqual({ items: tasks })
      await expect(get(['task', 'none', '--dir', fixture.dir])).rejects.toThrow('there is no tasks none')
    })
  })

  test('asks for one namespace where one is named (RESOURCES-21)', async () => {
    await withOrchestrator(async (fixture) => {
      await said(() => get(['qe', '--namespace', 'a&b', '--dir', fixture.dir]))
      expect(fixture.asked).toEqual(['/resources/queuedevents?namespace=a%26b&limit=500'])
    })
  })

  test('asks for page after page until the list ends (RESOURCES-30)', async () => {
    await withOrchestrator(async (fixture) => {
      fixture.items['tasks'] = Array.from({ length: 1203 }, (_, index) => ({
        ...tasks[1],
        metadata: metadata(`t-${index}`),
      }))
      const { out } = await said(() => get(['tasks', '-o', 'json', '--dir', fixture.dir]))
      expect(JSON.parse(out)).toEqual({ items: fixture.items['tasks'] })
      expect(fixture.asked.length).toBe(3)
    })
  })

  test('is called wrongly with an unknown kind or form, and never shows secrets', async () => {
    await withOrchestrator(async (fixture) => {
      await expect(get(['widgets', '--dir', fixture.dir])).rejects.toThrow(UsageError)
      await expect(get([])).rejects.toThrow(UsageError)
      for (const name of ['secret', 'secrets', 'Secret'])
        await expect(get([name, '--dir', fixture.dir])).rejects.toThrow('secrets are never shown')
      await expect(get(['tasks', '-o', 'xml', '--dir', fixture.dir])).rejects.toThrow('-o takes json or yaml, not xml')
      expect(fixture.asked).toEqual([])
    })
  })
})
