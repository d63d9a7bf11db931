/**
 * A call that no model decided, from the socket of the wrapper's tools to what an operator is told of it. Wrapper and
 * orchestrator are the real ones, each as it is started; the stub plays the CLI.
 */
import type { WhyAnswer } from '../../../machines/why/why-rows.ts'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PodFolder } from '../../../edges/local/pod-folder.ts'
import { startTestModel, type TestModel } from '../../../wrapper/selftest/model.ts'
import { plainClient } from '../../../wrapper/testing/plain-client.ts'
import { socketFolderOf } from '../../../wrapper/testing/pod.ts'
import { said } from '../testing/fixture.ts'
import { why } from './why.ts'
import { writeEndpoints } from '../../local/endpoints.ts'
import { programDir } from '../../program.ts'
import { startOrchestratorFixture, type OrchestratorFixture } from '../../../orchestrator/testing/fixture.ts'

const stub = join(programDir, 'standins', 'stub-cli', 'claude')
const name = 'documentation-1'
const pod = `default/${name}/1`
const secret = 'a-secret-in-the-arguments'

let model: TestModel
let fixture: OrchestratorFixture

beforeAll(async () => {
  let tokenUrl = ''
  model = await startTestModel(() => ({ kind: 'say', text: 'I begin', hold: true }))
  fixture = await startOrchestratorFixture(
    { agentCli: [stub], modelBaseUrl: model.url },
    { programDir, settingsFor: async (identity) => ((tokenUrl = identity.tokenUrl), {}) },
  )
  const nowhere = { internal: '', inspector: '', forge: '', forgeApi: '', identity: '', model: '' }
  const client = { clientId: 'cli', clientSecret: 'c', audience: 'urn:statewright:operator' }
  writeEndpoints(fixture.dir, { ...nowhere, ...client, pid: 1, orchestrator: fixture.orchestrator.url, tokenUrl })
}, 60_000)
afterAll(async () => {
  await fixture?.stop()
  await model?.close()
}, 30_000)

/** The first turn of the Task's pod, once its model was asked. */
async function podInItsTurn(): Promise<PodFolder> {
  await fixture.applyTask(name, 'documentation')
  await fixture.until('the model is asked', () => model.requests.length > 0)
  return new PodFolder(join(fixture.dir, 'state', 'pods'), pod)
}

/** What somebody tries who reaches the socket and is no model. */
async function tryWithoutAModel(folder: PodFolder): Promise<readonly string[]> {
  const client = await plainClient(join(socketFolderOf({ process: folder.read()!.process! }), 'tools.sock'))
  const asked = (tool: string): Promise<string> => client.call(tool, { body: secret }, 'toolu_guessed')
  const answers = [await asked('submit_outcome'), await asked('submit_outcome'), await asked('task_note')]
  client.close()
  return answers
}

async function interrupt(folder: PodFolder): Promise<void> {
  const headers = { authorization: `Bearer ${await fixture.wrapperToken()}` }
  const { status } = await fetch(`${folder.url()}/v1/interrupt`, { method: 'POST', headers })
  expect(status).toBe(202)
}

test('calls that no model decided stand in the journal of their turn, and `why` says them to an operator', async () => {
  const folder = await podInItsTurn()
  for (const answer of await tryWithoutAModel(folder)) expect(answer).toContain('the model did not make this call')
  await interrupt(folder)
  await fixture.until('the turn is over', async () => (await fixture.runtime.read(`turn:${pod}/0`))?.status === 'done')

  const rows = await fixture.runtime.history(`turn:${pod}/0`)
  const calls = [
    { tool: 'submit_outcome', reason: 'no-block', count: 2 },
    { tool: 'task_note', reason: 'no-block', count: 1 },
  ]
  expect(rows.find(({ event }) => event.type === 'turn.result')?.event).toMatchObject({
    stopReason: 'interrupted',
    refusedCalls: calls,
  })
  expect(rows.map(({ event }) => event.type)).toContain('turn.callback')

  const print = async (...args: readonly string[]): Promise<string> =>
    (await said(() => why([name, '--dir', fixture.dir, ...args]))).out
  const lines = (await print()).split('\n').filter((line) => line.includes('refused'))
  expect(lines.map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
    'refused turn 0 of pod 1: the wrapper refused 2 calls of `submit_outcome` that the model did not make',
    'refused turn 0 of pod 1: the wrapper refused 1 call of `task_note` that the model did not make',
  ])
  const answer = JSON.parse(await print('--json')) as WhyAnswer
  expect(answer.refusedCalls).toEqual([{ pod: 1, turn: 0, calls }])
  expect(JSON.stringify([rows, answer])).not.toContain(secret)

  const { body } = await fixture.call('/metrics')
  expect(String(body['text'])).toMatch(/operator_tool_calls_refused_total\{reason="no-block"[^}]*\} 3/)
}, 90_000)
