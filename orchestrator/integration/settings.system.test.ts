/** Settings that a part of the orchestrator obeys: each changes what it does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../standins/forge/testing/fixture.ts'
import { longestRunMs } from '../../edges/git/store/run-git.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { projectWith, settingsOf, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

const name = 'documentation-1'

describe('an orchestrator whose operator set a model and a small push', () => {
  let fixture: OrchestratorFixture
  beforeAll(async () => {
    fixture = await startOrchestratorFixture({
      models: { model: 'claude-of-the-operator', byKind: {} },
      git: { mostPackBytes: 64, mostCheckoutBytes, longestRunMs },
    })
    await fixture.applyTask(name, 'documentation')
  }, 60_000)
  afterAll(() => fixture?.stop())

  test('runs agents with it (ORCHESTRATOR-SETTINGS-10)', async () => {
    await fixture.podOf(name, 1)
    const { config } = (await fixture.runtime.read(`task:default/${name}`))!.context as unknown as TaskContext
    expect(config?.model['documentation']).toBe('claude-of-the-operator')
  })

  test('refuses the longer push of a pod (ORCHESTRATOR-SETTINGS-17)', async () => {
    const { token } = await fixture.podOf(name, 1)
    const folder = mkdtempSync(join(tmpdir(), 'settings-push-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`x-pod:${token}`).toString('base64')}`
    const url = `${fixture.orchestrator.url}/git/demo/duration.git`
    await run(folder, ['-c', header, 'clone', '--quiet', url, '.'])
    writeFileSync(join(folder, 'page.md'), 'A page')
    await run(folder, ['add', '--all'])
    await run(folder, ['commit', '--quiet', '-m', 'A page'])
    const pushed = run(folder, ['-c', header, 'push', 'origin', `HEAD:refs/heads/platform/${name}`])
    await expect(pushed).rejects.toThrow('git refused the pack')
  })

  test('warns of a skillsRef, since it has no repository of skills (RESOURCE-API-7)', async () => {
    const body = projectWith(fixture.forge, { agent: { skillsRef: 'v1.0.0' } } as object)
    const token = await fixture.operatorToken()
    const answer = await fixture.call('/resources', { method: 'PUT', token, body })
    expect(answer.body['warnings']).toMatchObject([{ path: '/spec/agent/skillsRef' }])
  })
})

test('an orchestrator refuses tokens whose signature is not among its algorithms (ORCHESTRATOR-SETTINGS-6)', async () => {
  const starting = startOrchestratorFixture(
    {},
    {
      settingsFor: async ({ issuer }) => ({ oidc: { ...settingsOf('/', issuer).oidc, algorithms: ['ES512'] } }),
    },
  )
  await expect(starting).rejects.toThrow('the token')
}, 60_000)
