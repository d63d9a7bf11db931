/** How Tasks and Projects end and begin again, over the whole orchestrator. The tests of one `describe` are one story. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TaskContext } from '../../machines/task/context.ts'
import { projectWith, startOrchestratorFixture, type Answer, type OrchestratorFixture } from './testing/fixture.ts'

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
    await applyProject({ maxConcurrentAgents: 3 })
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
