import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Scenario } from '../scenarios/format.ts'
import { parseScenario, ScenarioInvalid } from '../scenarios/load.ts'
import { startModel, type Model, type ModelLogLine } from './server.ts'
import { aBundle, asPrompt } from './testing/a-bundle.ts'

const apiKey = 'dummy-key'
const running: Model[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((model) => model.close()))
})

async function start(steps: string, log?: (line: ModelLogLine) => void): Promise<Model> {
  const model = await startModel({ scenario: scenarioOf(steps), apiKey, ...(log ? { log } : {}) })
  running.push(model)
  return model
}

function scenarioOf(steps: string): Scenario {
  return parseScenario(
    `{"name": "s", "accountUsage": {"fiveHour": 0.25, "sevenDay": 0.5}, "agents": {"implement": [{"name": "one", "steps": ${steps}}]}}`,
    's',
  )
}

const tools = [{ name: 'Bash' }, { name: 'Read' }, { name: 'mcp__platform__task_note' }]

function body(more: Record<string, unknown> = {}, token = 't-1'): Record<string, unknown> {
  return {
    model: 'claude-opus-5-5',
    system: '- Primary working directory: /w',
    tools,
    messages: [{ role: 'user', content: asPrompt(token, aBundle()) }],
    ...more,
  }
}

function post(
  model: Model,
  given: unknown,
  path = '/v1/messages?beta=true',
  headers: Record<string, string> = { 'x-api-key': apiKey },
): Promise<Response> {
  return fetch(`${model.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof given === 'string' ? given : JSON.stringify(given),
  })
}

interface MessageAnswer {
  readonly content: readonly {
    type: string
    text?: string
    id?: string
    name?: string
    input?: Record<string, unknown>
  }[]
  readonly stop_reason: string
  readonly usage: Record<string, number>
  readonly id: string
}

async function answerOf(model: Model, given: unknown): Promise<MessageAnswer> {
  return (await (await post(model, given)).json()) as MessageAnswer
}

describe('the Messages API', () => {
  test('a stream has the events of the API in their order and carries the same message as the JSON answer', async () => {
    const model = await start(
      '[{"say": "Look: ünï 🎈"}, {"bash": "ls -la /a/rather/long/path/so/that/the/input/comes/in/pieces"}]',
    )
    const text = await (await post(model, body({ stream: true }))).text()
    expect(text).toContain('"model":"scripted"')
    const events = text
      .trim()
      .split('\n\n')
      .map(
        (event) =>
          JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') as {
            type: string
            delta?: { text?: string; partial_json?: string }
          },
      )
    const types = events.map((event) => event.type)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const whole = await answerOf(model, body())
    expect(whole.stop_reason).toBe('tool_use')
    expect(whole.content[0]?.text).toBe(events.map((event) => event.delta?.text ?? '').join(''))
    expect(whole.content[1]?.input).toEqual(JSON.parse(events.map((event) => event.delta?.partial_json ?? '').join('')))
  })

  test('the key is asked for, as x-api-key or bearer', async () => {
    const model = await start('[{"say": "hi"}]')
    const none = await post(model, body(), undefined, {})
    expect([none.status, await none.json()]).toEqual([
      401,
      {
        type: 'error',
        error: { type: 'authentication_error', message: 'invalid x-api-key' },
        request_id: 'req_000001',
      },
    ])
    expect((await post(model, body(), undefined, { 'x-api-key': 'other-key' })).status).toBe(401)
    expect((await post(model, body(), undefined, { authorization: `Bearer ${apiKey}` })).status).toBe(200)
  })

  test('other paths, broken bodies and health have their answers', async () => {
    const model = await start('[{"say": "hi"}]')
    expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200)
    expect((await post(model, body(), '/v1/complete')).status).toBe(404)
    expect((await post(model, '{')).status).toBe(400)
    const wrong = (await (await post(model, { messages: [] })).json()) as { error: { message: string } }
    expect(wrong.error.message).toMatch(/model.*\/messages/s)
    expect(await (await post(model, body(), '/v1/messages/count_tokens')).json()).toEqual({
      input_tokens: expect.any(Number) as number,
    })
  })

  test('the same request costs the same tokens and is the same message; the next request reads what was cached', async () => {
    const model = await start('[{"bash": "ls"}]')
    const first = await answerOf(model, body())
    expect(await answerOf(model, body())).toEqual(first)
    const messages = [
      ...(body()['messages'] as unknown[]),
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: first.content[0]?.id, content: 'a' }] },
    ]
    const second = await answerOf(model, body({ messages }))
    expect(second.usage['cache_read_input_tokens']).toBeGreaterThan(first.usage['input_tokens'] ?? 0)
    expect(second.id).not.toBe(first.id)
  })

  test('account usage is told by the headers of a subscription', async () => {
    const headers = (await post(await start('[{"say": "hi"}]'), body())).headers
    expect(headers.get('anthropic-ratelimit-unified-5h-utilization')).toBe('0.25')
    expect(headers.get('anthropic-ratelimit-unified-7d-utilization')).toBe('0.5')
  })
})

describe('playing', () => {
  test('a request without the tools of an agent gets a neutral answer', async () => {
    const model = await start('[{"bash": "ls"}]')
    expect(await answerOf(model, body({ tools: [] }))).toMatchObject({
      content: [{ type: 'text' }],
      stop_reason: 'end_turn',
    })
    expect(model.turns()).toEqual([])
  })

  test('a turn line inside the pasted message or a tool result begins no turn', async () => {
    const model = await start('[{"say": "turn {{turnToken}}"}]')
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>x</system-reminder>' },
          { type: 'text', text: asPrompt('right', aBundle({ assignment: '\n[turn wrong] Carry out' })) },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: '[turn wrong]' }] }],
      },
    ]
    expect((await answerOf(model, body({ messages }))).content[0]?.text).toBe('turn right')
  })

  test('a server started anew goes on at the step that the conversation has reached', async () => {
    const steps =
      '[{"tool": "task_note", "as": "note", "args": {"kind": "note", "body": "b"}}, {"bash": "echo {{result.note.id}}"}, {"say": "end"}]'
    const first = await answerOf(await start(steps), body())
    const messages = [
      ...(body()['messages'] as unknown[]),
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: first.content[0]?.id,
            content: [{ type: 'text', text: '{"id": "n-5"}' }],
          },
        ],
      },
    ]
    const second = await answerOf(await start(steps), body({ messages }))
    expect(first.content[0]?.name).toBe('mcp__platform__task_note')
    expect(second.content[0]?.input?.['command']).toBe("cd '/w/spanlet' || exit 1\necho n-5")
  })

  test('what cannot be played is said in the transcript and in the log, and ends the turn', async () => {
    const lines: ModelLogLine[] = []
    const missing = await answerOf(
      await start('[{"bash": "echo {{result.plan.id}}"}]', (line) => lines.push(line)),
      body(),
    )
    expect(missing).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ text: 'I stop here: step 1 failed: nothing is known yet as {{result.plan.id}}' }],
    })
    expect(lines).toMatchObject([
      {
        task: 'implement-spanlet-7-abcde',
        agent: 'implement',
        turnToken: 't-1',
        failure: expect.stringContaining('result.plan.id') as unknown,
      },
    ])
    expect((await answerOf(await start('[{"tool": "memory_query"}]'), body())).content[0]?.text).toMatch(
      /memory_query is not offered.*mcp__platform__task_note/,
    )
    const other = body({ messages: [{ role: 'user', content: asPrompt('t', aBundle({ agent: 'upgrade' })) }] })
    expect((await answerOf(await start('[{"say": "hi"}]'), other)).content[0]?.text).toMatch(
      /nothing about the agent kind "upgrade"/,
    )
  })

  test('a pod that did not write the plan finds its id where the writing step would have put it', async () => {
    const model = await start(
      '[{"tool": "task_note", "as": "mine", "when": {"plan": false}, "args": {"kind": "plan"}}, {"say": "plan {{result.mine.id}}"}]',
    )
    const bundle = aBundle({
      notes: [{ kind: 'plan', body: '1.' }],
      assignment: 'Your plan is among the notes (its id is `n-9`).',
    })
    const answer = await answerOf(model, body({ messages: [{ role: 'user', content: asPrompt('t', bundle) }] }))
    expect(answer.content[0]?.text).toBe('plan n-9')
  })

  test('an error of a tool ends the turn unless the step allows it; an expectation does too', async () => {
    const reply = async (steps: string, error: boolean): Promise<string> => {
      const model = await start(steps)
      const first = await answerOf(model, body())
      const messages = [
        ...(body()['messages'] as unknown[]),
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: first.content[0]?.id, content: 'Exit code 1', is_error: error },
          ],
        },
      ]
      return (await answerOf(model, body({ messages }))).content[0]?.text ?? ''
    }
    expect(await reply('[{"bash": "false"}, {"say": "on"}]', true)).toBe('I stop here: step 1 failed: Exit code 1')
    expect(await reply('[{"bash": "false", "allowError": true}, {"say": "on"}]', true)).toBe('on')
    expect(await reply('[{"bash": "x"}, {"expect": {"contains": "pass"}}, {"say": "on"}]', false)).toMatch(
      /step 2 failed: expected the answer to contain "pass"/,
    )
    expect(
      await reply('[{"bash": "x"}, {"expect": {"matches": "CODE \\\\d", "lacks": "fail"}}, {"say": "on"}]', false),
    ).toBe('on')
  })

  test('played turns are kept for whoever asks', async () => {
    const model = await start('[{"bash": "ls"}]')
    await answerOf(model, body())
    expect(model.turns()).toEqual([
      { task: 'implement-spanlet-7-abcde', agent: 'implement', turnToken: 't-1', entry: 'one', steps: ['Bash'] },
    ])
    await expect
      .poll(() => model.requests())
      .toMatchObject([
        { method: 'POST', path: '/v1/messages', status: 200, model: 'claude-opus-5-5', turnToken: 't-1' },
      ])
  })

  test('what a turn was told is kept apart: its new events, and the comments that its bundle lists', async () => {
    const model = await start('[{"bash": "ls"}]')
    const issue = { comments: [{ body: 'An old one.' }, { body: 'Fine & <good>.' }] }
    const content = asPrompt('t-1', aBundle({ issue, events: [{ kind: 'issue_comment', text: 'Fine & <good>.' }] }))
    await answerOf(model, body({ messages: [{ role: 'user', content }] }))
    expect(model.inputs()).toEqual([
      { turnToken: 't-1', events: ['Fine & <good>.'], comments: ['An old one.', 'Fine & <good>.'], calls: [] },
    ])
  })

  test('the calls of a turn are kept with what each tool got and answered', async () => {
    const model = await start('[{"bash": "ls"}]')
    const [id, name, input] = ['call-1', 'mcp__platform__memory_query', { text: 'a crane' }]
    const messages = [
      { role: 'user', content: asPrompt('t-1', aBundle({})) },
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '{"results":[]}' }] },
    ]
    await answerOf(model, body({ messages }))
    expect(model.inputs().map(({ calls }) => calls)).toEqual([
      [{ id, name, input, answer: { text: '{"results":[]}', error: false } }],
    ])
  })

  test('a file that is no scenario does not start', async () => {
    await expect(startModel({ scenarioFile: import.meta.filename, apiKey })).rejects.toThrow(ScenarioInvalid)
  })
})

describe('faults', () => {
  test.each([
    ['overloaded', 529, 'overloaded_error'],
    ['serverError', 500, 'api_error'],
    ['badRequest', 400, 'invalid_request_error'],
    ['promptTooLong', 400, 'invalid_request_error'],
    ['forbidden', 403, 'permission_error'],
  ])('%s is answered %i the given number of times, then the story goes on', async (fault, status, type) => {
    const model = await start(`[{"fault": "${fault}", "times": 2}, {"say": "on"}]`)
    for (const _ of [1, 2]) {
      const answer = await post(model, body())
      expect([answer.status, ((await answer.json()) as { error: { type: string } }).error.type]).toEqual([status, type])
    }
    expect((await answerOf(model, body())).content[0]?.text).toBe('on')
    const other = await post(model, body({ messages: [{ role: 'user', content: asPrompt('t-2', aBundle()) }] }))
    expect(other.status).toBe(status)
  })

  test('a rate limit says when to retry, a usage limit when it resets', async () => {
    const rate = await post(await start('[{"fault": "rateLimit", "seconds": 3}]'), body())
    expect([rate.status, rate.headers.get('retry-after')]).toEqual([429, '3'])
    expect(rate.headers.get('anthropic-ratelimit-unified-status')).toBeNull()
    const usage = await post(await start('[{"fault": "usageLimit", "seconds": 60}]'), body())
    expect([usage.status, usage.headers.get('anthropic-ratelimit-unified-status')]).toEqual([429, 'rejected'])
    expect(Number(usage.headers.get('anthropic-ratelimit-unified-reset'))).toBeGreaterThan(1_700_000_000)
  })

  test('a reset cuts the stream, an error event ends it, and a request without streaming gets its answer then', async () => {
    const cut = await start('[{"fault": "reset"}, {"say": "on"}]')
    await expect(post(cut, body({ stream: true })).then((answer) => answer.text())).rejects.toThrow()
    expect((await answerOf(cut, body())).content[0]?.text).toBe('on')
    const event = await start('[{"fault": "errorEvent"}]')
    expect(await (await post(event, body({ stream: true }))).text()).toMatch(/event: error\ndata: .*overloaded_error/)
  })

  test('a refusal and a cut-off answer are messages with their stop reason', async () => {
    expect((await answerOf(await start('[{"fault": "refusal"}]'), body())).stop_reason).toBe('refusal')
    const cut = await answerOf(await start('[{"fault": "maxTokens", "text": "half a sen"}]'), body())
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'half a sen' }] })
  })

  test('a slow answer is the same answer; a hung one never comes, or its stream only pings', async () => {
    const slow = await start('[{"fault": "slow", "seconds": 0.1}, {"say": "on"}]')
    expect(await (await post(slow, body({ stream: true }))).text()).toContain('"text":"on"')
    const pinging = await post(await start('[{"fault": "hang", "seconds": 0.01}]'), body({ stream: true }))
    const chunks = pinging.body!.getReader()
    for (let ping = 0; ping < 3; ping++)
      expect(Buffer.from((await chunks.read()).value!).toString()).toMatch(/^(event: ping\ndata: .*\n\n)+$/)
    await chunks.cancel()
    const hung = await start('[{"fault": "hang"}]')
    const answered = post(hung, body()).catch(() => 'broken')
    expect(await Promise.race([answered, delay(300, 'nothing')])).toBe('nothing')
  })
})
