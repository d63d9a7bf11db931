/** An orchestrator and a wrapper of two contract versions, each a program of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { programDir } from '../../cli/program.ts'
import { startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

const name = 'documentation-1'
/** The fixture's model key. */
const leak = `console.error('the model key is no model is asked.')`
let fixture: OrchestratorFixture
let pods: string

beforeAll(async () => {
  pods = mkdtempSync(join(tmpdir(), 'other-version-'))
  mkdirSync(join(pods, 'bin'))
  const wrapper = pathToFileURL(join(programDir, 'wrapper', 'testing', 'run-other-version.ts')).href
  writeFileSync(join(pods, 'bin', 'statewright.mjs'), `${leak}\nawait import(${JSON.stringify(wrapper)})\n`)
  fixture = await startOrchestratorFixture({}, { programDir: pods })
}, 60_000)
afterAll(async () => {
  await fixture?.stop()
  rmSync(pods, { recursive: true, force: true })
}, 30_000)

it('fails the Task of a wrapper of another contract version at once, without a turn (VERSIONING-5, VERSIONING-6)', async () => {
  await fixture.applyTask(name, 'documentation')
  await fixture.until('the Task is over', async () => {
    const task = await fixture.runtime.read(`task:default/${name}`)
    return task?.status === 'done'
  })
  const { context } = (await fixture.runtime.read(`task:default/${name}`))!
  expect(context).toMatchObject({ stage: { name: 'failed', reason: 'agent-contract-mismatch' } })
  const rows = await fixture.runtime.history(`pod:default/${name}/1`)
  expect(rows.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ type: 'pod.session', contractVersion: 5 }),
  )
  expect(await fixture.runtime.read(`turn:default/${name}/1/0`)).toBeUndefined()
  expect(await fixture.runtime.read(`pod:default/${name}/2`)).toBeUndefined()
}, 60_000)

it('shows what the pod logged, without the model key (OPERATIONS-9, OPERATIONS-10)', async () => {
  const token = await fixture.operatorToken()
  const { status, body } = await fixture.call(`/operations/logs?task=${name}`, { token })
  expect([status, body]).toEqual([
    200,
    {
      ...{ task: `default/${name}`, pod: 1, isLive: false, truncated: false },
      ...{ lines: expect.any(Array) as unknown, cursor: expect.stringMatching(/^\d+$/) as unknown },
    },
  ])
  const lines = body['lines'] as readonly string[]
  expect(lines[0]).toBe('the model key is •••.')
  expect(lines.join('\n')).toContain('another contract version')
}, 60_000)
