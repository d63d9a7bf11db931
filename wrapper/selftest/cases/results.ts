import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTranscriptLine, type TranscriptEntry } from '../../turns/transcript.ts'
import { mostAnswerCharacters } from '../../tools/port.ts'
import type { Move } from '../model.ts'
import { answerText, type Agent, type Decide, type Seen } from '../agent.ts'
import type { SharedCase } from '../case.ts'

const reader = 'wrapper/turns/transcript.ts'
const bash = (command: string): Move => ({ kind: 'call', tool: 'Bash', input: { command, description: 'contract' } })
/** The tool once, then words. */
const once =
  (move: Move): Decide =>
  (_request, nth) =>
    nth === 0 ? move : { kind: 'say', text: answerText }

export const resultCases: readonly SharedCase[] = [
  {
    id: 'result.last-message',
    fact: 'Stop brings the last message of the assistant',
    adapter: 'wrapper/turns/outcome.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { hooks } = await agent.turn('say it', () => ({ kind: 'say', text: 'two\nlines of a result' }))
      assert.equal(hooks.at(-1)?.input['last_assistant_message'], 'two\nlines of a result')
    },
  },
  {
    id: 'result.transcript',
    fact: 'the transcript holds the last message with its id, model and usage within half a second of Stop',
    adapter: reader,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      await agent.turn('write it down', () => ({ kind: 'say', text: 'a line of record' }))
      const found = (): TranscriptEntry | undefined =>
        entriesOf(agent).find((entry) => entry.type === 'assistant' && entry.text === 'a line of record')
      await agent.until('the line', () => found() !== undefined, 2_000)
      const entry = found()
      assert.ok(entry?.type === 'assistant' && entry.message)
      assert.equal(entry.stopReason, 'end_turn')
      const { id: _id, ...usage } = entry.message
      const counts = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 30, cacheWriteTokens: 20 }
      assert.deepEqual(usage, { model: 'claude-sonnet-4-5', ...counts })
    },
  },
  {
    id: 'result.tool-lines',
    fact: 'a tool call and its result are lines of the transcript that name each other',
    adapter: 'wrapper/turns/tool-calls.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      await agent.turn('use a tool', once(bash('echo heron')))
      const call = () =>
        entriesOf(agent)
          .flatMap((entry) => (entry.type === 'assistant' ? entry.tools : []))
          .at(-1)
      const result = () =>
        entriesOf(agent)
          .flatMap((entry) => (entry.type === 'user' ? entry.results : []))
          .at(-1)
      await agent.until('both lines', () => call() !== undefined && result()?.id === call()?.id, 2_000)
      assert.equal(call()?.name, 'Bash')
      assert.deepEqual(result(), { id: call()?.id, isError: false, text: 'heron' })
    },
  },
  {
    id: 'hooks.tool',
    fact: 'a tool that works fires PreToolUse and PostToolUse with its name',
    adapter: 'wrapper/hooks/hook-input.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const seen = await agent.turn('use a tool', once(bash('true')))
      assert.deepEqual(namesOf(seen), ['UserPromptSubmit', 'PreToolUse Bash', 'PostToolUse Bash', 'Stop'])
    },
  },
  {
    id: 'hooks.tool-failure',
    fact: 'a tool that fails fires PostToolUseFailure in place of PostToolUse',
    adapter: 'wrapper/hooks/hook-input.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const seen = await agent.turn('use a tool', once(bash('exit 3')))
      assert.deepEqual(namesOf(seen), ['UserPromptSubmit', 'PreToolUse Bash', 'PostToolUseFailure Bash', 'Stop'])
    },
  },
  {
    id: 'hooks.unheard',
    fact: 'a tool whose hooks are refused runs all the same',
    adapter: 'wrapper/boot/agent-files.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      agent.answerHooks((event) => (event.endsWith('ToolUse') ? 'refuse' : undefined))
      try {
        const seen = await agent.turn('use a tool', once(bash('echo $((6 * 7))stork')))
        assert.equal(seen.hooks.at(-1)?.event, 'Stop')
        assert.ok(seen.requests.at(-1)?.text.includes('42stork'))
      } finally {
        agent.answerHooks(() => undefined)
      }
    },
  },
  probe('inject.tool', 'context given at PostToolUse reaches the model with the next request', 'true', 200, true),
  probe('inject.failure', 'context given at PostToolUseFailure reaches the model too', 'exit 3', 200, false),
  probe('inject.9k', 'a context of 9,000 characters is delivered whole', 'true', 9_000, false),
  {
    id: 'tools.names',
    fact: 'the tools that the wrapper counts on are offered, those that would wait for a person are not',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const names = await toolNames(agent)
      for (const name of ['Bash', 'Read', 'Edit', 'Write']) assert.ok(names.includes(name), `${name} is missing`)
      for (const name of ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ScheduleWakeup', 'CronCreate'])
        assert.ok(!names.includes(name), `${name} is offered`)
    },
  },
  {
    id: 'tools.mcp',
    fact: 'the tools of an MCP server are offered at once under mcp__<server>__<tool>, and can be called',
    adapter: 'wrapper/boot/mcp-config.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      assert.ok((await toolNames(agent)).includes('mcp__platform__echo'))
      const seen = await agent.turn('call', once({ kind: 'call', tool: 'mcp__platform__echo', input: {} }))
      assert.ok(namesOf(seen).includes('PostToolUse mcp__platform__echo'))
    },
  },
  {
    id: 'tools.large-answer',
    fact: 'the largest answer of the tools’ server reaches the model whole, however many tokens it has (TOOLS-23)',
    adapter: 'wrapper/tools/port.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const answer = { of: '修正'.repeat(mostAnswerCharacters / 2 - 100), last: 'the end of it' }
      const { requests } = await agent.turn('call', once({ kind: 'call', tool: 'mcp__platform__echo', input: answer }))
      const results = JSON.stringify(requests.at(-1)?.body.messages.filter(({ role }) => role === 'user'))
      assert.ok(results.includes('the end of it'))
    },
  },
  {
    id: 'tools.no-background',
    fact: 'a command can not be left to run in the background',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'key',
    holds: async (agent) => {
      const { requests } = await agent.turn('what can you do')
      const tool = requests[0]?.body.tools?.find(({ name }) => name === 'Bash')
      assert.ok(!JSON.stringify(tool).includes('run_in_background'))
    },
  },
  {
    id: 'instructions.own',
    fact: "the workspace's and the home's CLAUDE.md reach the model (WRAPPER-BOOT-3, WRAPPER-BOOT-6)",
    adapter: 'wrapper/boot/instructions.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { requests } = await agent.turn('what do you know')
      assert.ok(requests[0]?.text.includes('The word of the base is heron.'))
    },
  },
  {
    id: 'instructions.excluded',
    fact: 'the CLAUDE.md of a clone does not reach the model, even after a file beside it was read',
    adapter: 'wrapper/boot/agent-files.ts',
    session: 'key',
    holds: async (agent) => {
      writeFileSync(join(agent.workspace, 'lib', 'CLAUDE.md'), 'The word of the stranger is vulture.\n')
      writeFileSync(join(agent.workspace, 'lib', 'a.txt'), 'plain\n')
      const input = { file_path: join(agent.workspace, 'lib', 'a.txt') }
      await agent.turn('read', once({ kind: 'call', tool: 'Read', input }))
      const { requests } = await agent.turn('and now')
      assert.ok(!requests[0]?.text.includes('vulture'))
    },
  },
  {
    id: 'net.messages-only',
    fact: 'nothing but messages is asked over the socket, the policy’s limits aside, which the wrapper does not pass on',
    adapter: 'wrapper/sockets/model-server.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      await agent.turn('once more')
      assert.deepEqual([...new Set(agent.model.strays)], ['GET /api/claude_code/policy_limits'])
    },
  },
]

function probe(id: string, fact: string, command: string, size: number, daily: boolean): SharedCase {
  return {
    id,
    fact,
    adapter: 'wrapper/turns/probes.ts',
    session: 'key',
    daily,
    holds: async (agent) => {
      const text = `${id} ${'p'.repeat(size)}.`
      agent.answerHooks((event) =>
        event.startsWith('PostToolUse')
          ? { hookSpecificOutput: { hookEventName: event, additionalContext: text } }
          : undefined,
      )
      try {
        const { requests } = await agent.turn('use a tool', once(bash(command)))
        assert.ok(requests[1]?.text.includes(text))
      } finally {
        agent.answerHooks(() => undefined)
      }
    },
  }
}

function entriesOf(agent: Agent): readonly TranscriptEntry[] {
  return agent
    .transcript()
    .map((line) => parseTranscriptLine(JSON.stringify(line)))
    .filter((entry) => entry !== undefined)
}

function namesOf(seen: Seen): readonly string[] {
  return seen.hooks.map(({ event, input }) => (input['tool_name'] ? `${event} ${String(input['tool_name'])}` : event))
}

async function toolNames(agent: Agent): Promise<readonly string[]> {
  const { requests } = await agent.turn('which tools')
  return requests[0]?.body.tools?.map(({ name }) => name) ?? []
}
