/** How Tasks and Projects end and begin again, over the whole orchestrator. The tests of one `describe` are one story. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { IssueContext } from '../../machines/issue/context.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { people } from '../../standins/people.ts'
import {
  projectWith,
  repository,
  startOrchestratorFixture,
  type Answer,
  type OrchestratorFixture,
} from '../testing/fixture.ts'

let fixture: OrchestratorFixture
beforeAll(async () => void (fixture = await startOrchestratorFixture()), 120_000)
afterAll(() => fixture?.stop(), 30_000)

async function ask(method: string, path: string, body?: object): Promise<Answer> {
  return fixture.call(path, { method, token: await fixture.operatorToken(), ...(body ? { body } : {}) })
}

async function applyProject(spec: object): Promise<void> {
  expect((await ask('PUT', '/resources', projectWith(fixture.forge, spec))).status).toBe(200)
}

function applyTask(spec: object = {}): Promise<Answer> {
  return ask('PUT', '/resources', {
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Task',
    metadata: { name: 'by-hand' },
    spec: { projectRef: 'demo', kind: 'brainstorm', goal: 'think', repositories: ['duration'], ...spec },
  })
}

const path = '/resources/tasks/default/by-hand'

async function listed(): Promise<readonly string[]> {
  const { body } = await ask('GET', '/resources/tasks')
  return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
}

async function stageOf(name: string): Promise<string | undefined> {
  const actor = await fixture.runtime.read(`task:default/${name}`)
  return (actor?.context as unknown as TaskContext | undefined)?.stage.name
}

describe('a Project that is deleted', () => {
  const project = '/resources/projects/default/demo'
  const open = (title: string): unknown =>
    fixture.forge.openIssue(people.maintainer, repository, { title, body: 'b', labels: ['platform'] })
  async function implementing(): Promise<readonly TaskContext[]> {
    const all = (await fixture.runtime.list('task')).map(({ context }) => context as unknown as TaskContext)
    return all.filter(({ kind, stage }) => kind === 'implement' && stage.class !== 'terminal')
  }
  const issuesOf = async (): Promise<readonly IssueContext[]> =>
    (await fixture.runtime.list('issue')).map(({ context }) => context as unknown as IssueContext)
  const queue = async (): Promise<QueueContext> =>
    (await fixture.runtime.read('queue:default/demo'))!.context as unknown as QueueContext

  test('ADMISSION-8: closes its live Tasks, drops what waits, and leaves no Issue with a mint or a Task', async () => {
    await applyProject({ maxConcurrentAgents: 1 })
    open('One')
    open('Two')
    await fixture.until('one works and one waits', async () => {
      const { entries } = await queue()
      return (await implementing()).length === 1 && entries.some(({ admittedAt }) => admittedAt === null)
    })
    const [live] = await implementing()
    const pod = await fixture.podOf(live!.id.slice('default/'.length), 1)
    const podPath = async (): Promise<string | undefined> => (await fixture.runtime.read(`pod:${live!.id}/1`))?.path
    expect((await ask('DELETE', project)).status).toBe(204)
    await fixture.until('nothing is left', async () => (await implementing()).length === 0)
    // As the pod of any Task that is cancelled: its turn ends, it hands over its notes, and it stops.
    await fixture.until('its pod leaves its turn', async () => (await podPath()) === 'alive.draining')
    await pod.endTurn()
    await fixture.until('its pod goes on to stop', async () => (await podPath()) !== 'alive.draining')
    expect(['alive.handingOff', 'alive.retiring', 'alive.synthesizing', 'alive.stopping', 'gone']).toContain(
      await podPath(),
    )
    await fixture.quiet()
    expect((await issuesOf()).map(({ owner, mint, held }) => ({ owner, mint, held }))).toEqual([
      { owner: '', mint: null, held: false },
      { owner: '', mint: null, held: false },
    ])
    expect(await queue()).toMatchObject({ closedReason: 'Deleted', entries: [] })
  })

  test('ADMISSION-8: applied again, it works on its open issues as a new Project does', async () => {
    await applyProject({ maxConcurrentAgents: 3 })
    await fixture.until('both work', async () => (await implementing()).length === 2)
    await fixture.quiet()
    const owners = (await issuesOf()).map(({ owner }) => owner)
    expect(owners.toSorted()).toEqual((await implementing()).map(({ id }) => id).toSorted())
  })

  test('ADMISSION-8: deletes its Tasks by hand too; applied again, such a Task is a second one', async () => {
    await applyProject({ maxConcurrentAgents: 0 })
    await fixture.quiet()
    const waits = async (): Promise<Answer> =>
      ask('PUT', '/resources', {
        apiVersion: 'platform.dev/v1alpha1',
        kind: 'Task',
        metadata: { name: 'waits' },
        spec: { projectRef: 'demo', kind: 'brainstorm', goal: 'wait', repositories: ['duration'] },
      })
    expect((await waits()).body).toMatchObject({ change: 'created' })
    expect((await ask('DELETE', project)).status).toBe(204)
    expect((await ask('GET', '/resources/tasks/default/waits')).status).toBe(404)
    await applyProject({ maxConcurrentAgents: 9 })
    expect((await waits()).body).toMatchObject({ name: 'waits', change: 'created' })
    await fixture.until('it works', async () => (await stageOf('waits')) === 'brainstorming')
  })
})

describe('a Task made by hand', () => {
  beforeAll(() => applyProject({ maxConcurrentAgents: 0 }))

  test('TASK-RESOURCE-23, RESOURCES-30: is there to be read while it waits for its slot, with the reason why it waits', async () => {
    await fixture.quiet()
    expect((await applyTask()).body).toMatchObject({ name: 'by-hand', change: 'created', warnings: [] })
    await fixture.quiet()
    const { status, body } = await ask('GET', path)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'Task',
      metadata: { name: 'by-hand', namespace: 'default' },
      spec: { goal: 'think', kind: 'brainstorm' },
      status: { stage: 'queued', stageReason: 'paused', position: 1 },
    })
    expect(await listed()).toContain('by-hand')
  })

  test('TASK-RESOURCE-21: keeps what it was made for; a change is refused before it is written, and every field is named', async () => {
    const { status, body } = await applyTask({ goal: 'think again', priority: 5 })
    expect([status, body['code']]).toEqual([400, 'invalid-input'])
    expect((body['errors'] as { path: string }[]).map((one) => one.path)).toEqual(['/spec/goal', '/spec/priority'])
    expect((await ask('GET', path)).body).toMatchObject({ spec: { goal: 'think' }, metadata: { generation: 1 } })
    expect((await applyTask()).body).toMatchObject({ change: 'unchanged' })
  })

  test('TASK-RESOURCE-22: deleted while it waits and applied again, it is minted', async () => {
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('GET', path)).status).toBe(404)
    expect((await applyTask()).body).toMatchObject({ name: 'by-hand', change: 'created', warnings: [] })
    await applyProject({ maxConcurrentAgents: 9 })
    await fixture.until('it works', async () => (await stageOf('by-hand')) === 'brainstorming')
  })

  test('TASK-RESOURCE-22: deleted while it works and applied again, it is a second Task with a name of its own', async () => {
    expect((await ask('DELETE', path)).status).toBe(204)
    await fixture.until('it is closed', async () => (await stageOf('by-hand')) === 'rejected')
    const { body } = await applyTask()
    const second = String(body['name'])
    expect(second).toMatch(/^by-hand-[0-9a-z]{5}$/)
    expect(body).toMatchObject({ change: 'created', warnings: [{ path: '/metadata/name' }] })
    await fixture.until('the second works', async () => (await stageOf(second)) === 'brainstorming')
    expect((await applyTask()).body).toMatchObject({ name: second, change: 'unchanged' })
    await fixture.quiet()
    expect((await listed()).filter((name) => name.startsWith('by-hand'))).toEqual(['by-hand', second])
    expect((await ask('DELETE', path)).status).toBe(204)
    await fixture.until('the second is closed', async () => (await stageOf(second)) === 'rejected')
  })
})
