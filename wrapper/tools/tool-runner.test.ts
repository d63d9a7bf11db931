import { describe, expect, test } from 'vitest'
import { Attestor } from '../attestation/attestor.ts'
import { canonical, maxDepth } from '../attestation/canonical.ts'
import type { RefusedCall } from '../turns/refused-calls.ts'
import type { BrokeredRequest } from './port.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { createToolRunner } from './tool-runner.ts'
import { CallRefused, type AgentCalls, type ToolRunner } from './port.ts'

const request = Buffer.from(
  JSON.stringify({ tools: [{ name: 'mcp__platform__task_note' }], messages: [{ role: 'user', content: 'go' }] }),
)
const block = { id: 'toolu_1', tool: 'task_note', input: '{"body":"b"}' }
const call = { id: 'toolu_1', tool: 'task_note', arguments: { body: 'b' } }

interface Fixture {
  readonly attestor: Attestor
  readonly runner: ToolRunner
  readonly sent: string[]
  readonly refused: string[]
  readonly told: RefusedCall[]
}

function fixture(answer: (request: BrokeredRequest) => Promise<Response> = async () => new Response('{}')): Fixture {
  const attestor = new Attestor()
  const sent: string[] = []
  const refused: string[] = []
  const told: RefusedCall[] = []
  const runner = createToolRunner({
    attestor,
    broker: {
      call: (service, path, asked) => {
        sent.push(`${asked.method} ${service}/${path} ${asked.body ?? ''}`)
        return answer(asked)
      },
    },
    push: async () => (sent.push('push'), []),
    task: 't-1',
    metrics: { toolCallRefused: (reason) => void refused.push(reason) },
    logger: rememberingLogger().logger,
    onRefusal: (one) => void told.push(one),
  })
  return { attestor, runner, sent, refused, told }
}

const note = async (calls: AgentCalls): Promise<number> => {
  const signal = new AbortController().signal
  return (await calls.ask('operator', 'tasks/t-1/notes', { method: 'POST', body: '{"body":"b"}', signal })).status
}

/** The model decides in a turn. */
function decided({ attestor }: Fixture): void {
  attestor.turnBegan('turn-1')
  attestor.requestBegan(request).register(block)
}

describe('the runner of the tools', () => {
  test('sends what the model decided, once, and gives the same answer again', async () => {
    const { runner, sent, refused, ...rest } = fixture()
    decided({ runner, sent, refused, ...rest })
    const answers = await Promise.all([runner.perform(call, note), runner.perform(call, note)])
    expect(answers).toEqual([200, 200])
    expect(sent).toEqual(['POST operator/tasks/t-1/notes {"body":"b"}'])
    expect(refused).toEqual([])
  })

  test('refuses and counts what the model did not decide, and runs nothing of it (TOOLS-13)', async () => {
    const at = fixture()
    const asks = [
      { ...call, id: undefined },
      { ...call, id: 'toolu_2' },
      { ...call, tool: 'submit_outcome' },
      { ...call, arguments: { body: 'c' } },
      { ...call, arguments: { body: 'b', more: null } },
    ]
    await expect(at.runner.perform(call, note)).rejects.toThrow(CallRefused)
    decided(at)
    for (const asked of asks) await expect(at.runner.perform(asked, note)).rejects.toThrow(CallRefused)
    expect(at.sent).toEqual([])
    expect(at.refused).toEqual(['no-turn', 'no-block', 'no-block', 'other-tool', 'other-arguments', 'other-arguments'])
  })

  test('tells of each refusal the tool and the reason, and nothing of the arguments', async () => {
    const at = fixture()
    await expect(at.runner.perform({ ...call, arguments: { body: 'a secret' } }, note)).rejects.toThrow(CallRefused)
    decided(at)
    await at.runner.perform(call, note)
    await at.runner.perform(call, note)
    expect(at.told).toEqual([{ tool: 'task_note', reason: 'no-turn' }])
    await expect(at.runner.perform({ ...call, tool: 'submit_outcome' }, note)).rejects.toThrow(CallRefused)
    expect(at.told.slice(1)).toEqual([{ tool: 'submit_outcome', reason: 'other-tool' }])
  })

  test('refuses a block after its turn, and in the next', async () => {
    const at = fixture()
    decided(at)
    at.attestor.turnEnded()
    await expect(at.runner.perform(call, note)).rejects.toThrow('no turn runs')
    at.attestor.turnBegan('turn-2')
    await expect(at.runner.perform(call, note)).rejects.toThrow('did not make this call in this turn')
    expect(at.sent).toEqual([])
  })

  test('cuts off a call that is under way when its turn ends, and lets it send nothing more', async () => {
    const begun = Promise.withResolvers<void>()
    const at = fixture(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          begun.resolve()
        }),
    )
    decided(at)
    const repeated = at.runner.perform(call, async (calls) => {
      await note(calls).catch(() => undefined)
      await calls.push()
    })
    await begun.promise
    at.attestor.turnEnded()
    await expect(repeated).rejects.toThrow('its turn is over')
    expect(at.sent).toHaveLength(1)
  })

  test('carries a call out whose arguments nest as deep as may be, and refuses one of one level more', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) })
    const at = fixture()
    at.attestor.turnBegan('turn-1')
    const deepest = nested(maxDepth - 1)
    at.attestor.requestBegan(request).register({ ...block, input: canonical(deepest)! })
    await expect(at.runner.perform({ ...call, arguments: nested(maxDepth) }, note)).rejects.toThrow('nest too deep')
    expect([at.sent, at.refused]).toEqual([[], ['too-deep']])
    expect(at.told).toEqual([{ tool: 'task_note', reason: 'too-deep' }])
    expect(await at.runner.perform({ ...call, arguments: deepest }, note)).toBe(200)
  })

  test('refuses arguments that nest deeper than any stack, and says why', async () => {
    const at = fixture()
    decided(at)
    const levels = 200_000
    const deep: unknown = JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    await expect(at.runner.perform({ ...call, arguments: deep }, note)).rejects.toThrow('nest too deep')
    expect([at.sent, at.refused]).toEqual([[], ['too-deep']])
  })
})
