import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { declaredTools } from '../../attestation/model-request.ts'
import { answerText, startAgent, type Agent, type AgentOptions, type Decide, type Seen } from '../agent.ts'
import type { ContractCase, LoneCase } from '../case.ts'
import type { Move } from '../model.ts'

const echo = 'mcp__platform__echo'
const callEcho = (input: object): Move => ({ kind: 'call', tool: echo, input })
const first =
  (...moves: readonly Move[]): Decide =>
  (_request, nth) =>
    moves[nth] ?? { kind: 'say', text: answerText }

/** Whatever a parser, a schema or a normaliser on the way could touch. */
const awkward = {
  numbers: [1, -0.5, 1e21, 1e-7, 2 ** 70, 0],
  texts: [
    '007',
    '1e3',
    'true',
    'null',
    '',
    ' a ',
    'e\u0301',
    '\u00e9',
    '\u{1f600}',
    '\u2028',
    '"',
    '\\',
    '${prompt}',
    '@lib/a.txt',
  ],
  nothing: [null, {}, [], [[]], { a: {} }],
  nested: { b: { a: [{ c: { d: [1, { e: null }] } }] } },
  extra_key_of_no_schema: true,
  '': 'empty name',
  'a.b[0]': 1,
}

export const attestationCases: readonly ContractCase[] = [
  {
    id: 'attest.id',
    fact: 'a call of an MCP tool says the id of the block by which the model asked for it',
    adapter: 'wrapper/attestation/attestor.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { requests } = await agent.turn('call', first(callEcho({ a: 1 })))
      const block = requests
        .at(-1)
        ?.body.messages.flatMap(({ content }) =>
          Array.isArray(content) ? (content as { type: string; id?: string }[]) : [],
        )
        .findLast(({ type }) => type === 'tool_use')
      assert.ok(block?.id)
      assert.equal(agent.toolCalls.at(-1)?._meta?.['claudecode/toolUseId'], block.id)
    },
  },
  {
    id: 'attest.arguments',
    fact: 'a call of an MCP tool has the arguments of its block, unchanged',
    adapter: 'wrapper/attestation/canonical.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      await agent.turn('call', first(callEcho(awkward)))
      assert.deepEqual(agent.toolCalls.at(-1)?.arguments, JSON.parse(JSON.stringify(awkward)))
      await agent.turn('call', first(callEcho({})))
      assert.deepEqual(agent.toolCalls.at(-1)?.arguments ?? {}, {})
    },
  },
  {
    id: 'attest.retry',
    fact: 'of an answer that breaks off no tool runs; it is asked for again, and the call of the new answer says its own id',
    adapter: 'wrapper/model-proxy/proxy.ts',
    session: 'key',
    holds: async (agent) => {
      const before = agent.toolCalls.length
      const broken: Move = { kind: 'break', how: 'reset', after: { tool: echo, input: { of: 'the broken one' } } }
      const { requests } = await agent.turn('call', first(broken, callEcho({ of: 'the new one' })))
      const calls = agent.toolCalls.slice(before)
      assert.deepEqual(
        calls.map((call) => call.arguments),
        [{ of: 'the new one' }],
      )
      assert.ok(requests.at(-1)?.text.includes(String(calls[0]?._meta?.['claudecode/toolUseId'])))
    },
  },
  {
    id: 'attest.compaction',
    fact: 'a request for a summary declares the tools, begins its last text with the order to use none, and no tool of its answer runs',
    adapter: 'wrapper/attestation/model-request.ts',
    session: 'none',
    holds: (input) =>
      withAgent(input, {}, async (agent) => {
        for (const text of ['some', 'more', 'turns']) await agent.turn(text, first())
        const tooLong: Move = { kind: 'refuse', status: 413, type: 'request_too_large' }
        const seen = await agent.turn('too long', first(tooLong, callEcho({ in: 'summary' })))
        const [, summary] = seen.requests
        assert.ok(summary)
        assert.ok(summary.body.tools?.some(({ name }) => name === echo))
        assert.equal(declaredTools(Buffer.from(summary.text)).size, 0)
        assert.ok(seen.requests.some(({ text }) => declaredTools(Buffer.from(text)).has('echo')))
        assert.deepEqual(agent.toolCalls, [])
      }),
  },
  {
    id: 'socket.fail-closed',
    fact: 'without the socket the CLI reaches no model at all, and the turn fails',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'none',
    holds: (input) =>
      withAgent(input, { environment: { ANTHROPIC_UNIX_SOCKET: '', CLAUDE_CODE_MAX_RETRIES: '0' } }, async (agent) => {
        const { hooks } = await agent.turn('hello')
        assert.deepEqual([hooks.at(-1)?.event, agent.model.requests], ['StopFailure', []])
      }),
  },
  {
    id: 'hooks.gone',
    fact: 'with its relay ended the CLI goes on without hooks: tools run, no Stop is told, the transcript says it',
    adapter: 'wrapper/hooks/wiring.ts',
    session: 'none',
    holds: (input) =>
      withAgent(input, {}, async (agent) => {
        const before: Seen = await agent.turn('hello')
        assert.equal(before.hooks.at(-1)?.event, 'Stop')
        const hooksBefore = agent.hooks.length
        const bash: Move = { kind: 'call', tool: 'Bash', input: { command: 'echo $((6 * 7))stork', description: 'c' } }
        agent.script(first(bash))
        for (const pid of relaysTo(agent.sockets.wiring)) process.kill(pid, 'SIGKILL')
        await agent.submit('use a tool').catch(() => undefined)
        const hasResult = (): boolean => agent.model.requests.at(-1)?.text.includes('42stork') === true
        await agent.until('the result of the tool', hasResult)
        assert.equal(agent.hooks.length, hooksBefore)
        assert.equal(agent.terminal.exited(), undefined)
      }),
  },
]

async function withAgent(
  input: Parameters<LoneCase['holds']>[0],
  options: AgentOptions,
  use: (agent: Agent) => Promise<void>,
): Promise<void> {
  const agent = await startAgent(input, options)
  try {
    await use(agent)
  } finally {
    await agent.close()
  }
}

/** Only processes whose command names this socket, which is this case's own. */
function relaysTo(socket: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandOf(name).includes(`relay.mjs\0${socket}`))
    .map(Number)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
