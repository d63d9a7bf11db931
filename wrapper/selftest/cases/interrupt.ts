import assert from 'node:assert/strict'
import { sleep } from '../../clock.ts'
import { parseTranscriptLine } from '../../turns/transcript.ts'
import type { Agent } from '../agent.ts'
import type { SharedCase } from '../case.ts'

const adapter = 'wrapper/turns/conversation.ts'
const escape = '\u001b'
const clearBox = '\u0003'
/** The model streams at once; an ESC before the CLI has read it would be the early one. */
const firstWordsMs = 1_500
/** Two Ctrl-C within 2 s end the CLI (CLI-FACT-6). */
const armedMs = 2_500

export const interruptCases: readonly SharedCase[] = [
  {
    id: 'interrupt.stream',
    fact: 'ESC in a stream leaves the marker as the last line of user or assistant, and no Stop',
    adapter,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      agent.script(() => ({ kind: 'say', text: 'I begin', hold: true }))
      const [hooks, requests] = [agent.hooks.length, agent.model.requests.length]
      await agent.submit('hold')
      await agent.until('the request', () => agent.model.requests.length > requests)
      await sleep(agent.clock, firstWordsMs)
      agent.terminal.write(escape)
      await agent.until('the marker', () => isInterrupted(agent))
      assert.ok(!agent.hooks.slice(hooks).some(({ event }) => event.startsWith('Stop')))
      assert.equal((await agent.turn('next', () => ({ kind: 'say', text: 'on' }))).hooks.at(-1)?.event, 'Stop')
    },
  },
  {
    id: 'interrupt.tool',
    fact: 'ESC in a tool leaves the marker, and neither PostToolUse nor Stop',
    adapter,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const input = { command: 'tail -f /dev/null', description: 'wait' }
      agent.script((_request, nth) => (nth === 0 ? { kind: 'call', tool: 'Bash', input } : { kind: 'say', text: 'on' }))
      const hooks = agent.hooks.length
      await agent.submit('wait')
      await agent.until('the tool', () => agent.hooks.slice(hooks).some(({ event }) => event === 'PreToolUse'))
      agent.terminal.write(escape)
      await agent.until('the marker', () => isInterrupted(agent))
      const events = agent.hooks.slice(hooks).map(({ event }) => event)
      assert.deepEqual(events, ['UserPromptSubmit', 'PreToolUse'])
    },
  },
  {
    id: 'interrupt.early',
    fact: 'ESC before the first token puts the text back without marker or Stop, and one Ctrl-C clears it',
    adapter,
    session: 'key',
    holds: async (agent) => {
      agent.script((_request, nth) => (nth === 0 ? { kind: 'silence' } : { kind: 'say', text: 'on' }))
      const [hooks, requests] = [agent.hooks.length, agent.model.requests.length]
      const token = await agent.submit('nobody answers')
      await agent.until('the request', () => agent.model.requests.length > requests)
      agent.terminal.write(escape)
      await sleep(agent.clock, armedMs)
      assert.deepEqual(
        agent.hooks.slice(hooks).map(({ event }) => event),
        ['UserPromptSubmit'],
      )
      assert.equal(isInterrupted(agent), false)
      agent.terminal.write(clearBox)
      await sleep(agent.clock, armedMs)
      const prompt = (await agent.turn('next')).hooks[0]?.input['prompt']
      assert.ok(!String(prompt).includes(token), 'the text of the interrupted turn was still in the box')
    },
  },
  {
    id: 'interrupt.idle',
    fact: 'ESC at an idle prompt does no harm',
    adapter,
    session: 'key',
    holds: async (agent) => {
      agent.terminal.write(escape)
      await sleep(agent.clock, armedMs)
      assert.equal((await agent.turn('still there', () => ({ kind: 'say', text: 'yes' }))).hooks.at(-1)?.event, 'Stop')
    },
  },
  {
    id: 'screen.repaints',
    fact: 'while a tool runs the screen is painted again and again',
    adapter: 'wrapper/turns/hindrance.ts',
    session: 'key',
    holds: async (agent) => {
      const input = { command: "python3 -c 'import time; time.sleep(4)' || tail -f /dev/null", description: 'wait' }
      agent.script((_request, nth) => (nth === 0 ? { kind: 'call', tool: 'Bash', input } : { kind: 'say', text: 'on' }))
      const hooks = agent.hooks.length
      await agent.submit('wait')
      await agent.until('the tool', () => agent.hooks.slice(hooks).some(({ event }) => event === 'PreToolUse'))
      for (const until = agent.clock.now() + 3_000; agent.clock.now() < until;) {
        await sleep(agent.clock, 100)
        assert.ok(agent.clock.now() - agent.terminal.lastOutputAt() < 3_000, 'no repaint for 3 s')
      }
      await agent.until('Stop', () => agent.hooks.slice(hooks).some(({ event }) => event === 'Stop'))
    },
  },
]

function isInterrupted(agent: Agent): boolean {
  const entries = agent.transcript().map((line) => parseTranscriptLine(JSON.stringify(line)))
  const last = entries.filter((entry) => entry !== undefined).at(-1)
  return last?.type === 'user' && last.interrupted
}
