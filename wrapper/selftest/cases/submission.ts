import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keyPlaceholder } from '../../boot/agent-process.ts'
import { answerText, type Agent, type Seen } from '../agent.ts'
import type { SharedCase } from '../case.ts'

const adapter = 'wrapper/terminal/submit.ts'

export const submissionCases: readonly SharedCase[] = [
  exact('submit.one-byte', 'a body of one byte arrives', 'y', true),
  exact('submit.5k', 'a body of 5 KB in many lines arrives exactly, once', textOf(5_000), true),
  exact('submit.200k', 'a body of 200 KB arrives exactly, once', textOf(200_000), true),
  exact('submit.1m', 'a body of 1 MB arrives exactly, once', textOf(1_000_000), false),
  exact('submit.one-line', 'a single line of 20 KB arrives exactly', 'long '.repeat(4_000).trim(), false),
  exact('submit.unicode', 'letters outside ASCII arrive exactly', 'Größe, 鷺 and 🪶, – «done»\nsecond', true),
  exact('submit.backslash', 'a short body keeps its last backslash', 'The folder is C:\\work\\', true),
  exact(
    'submit.decomposed',
    'a short body keeps its last blanks and decomposed letters',
    'cafe\u0301.txt, \u1112\u1161\u11ab  ',
    true,
  ),
  {
    id: 'submit.token',
    fact: 'the UserPromptSubmit hook brings the typed line with the token',
    adapter,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { hooks, token } = await agent.turn('first line\nsecond')
      assert.match(String(hooks[0]?.input['prompt']), new RegExp(`^\\[turn ${token}\\] Carry out the message below\\.`))
    },
  },
  {
    id: 'submit.prompt-id',
    fact: 'prompt_id joins the prompt with the Stop of its turn, and differs from turn to turn',
    adapter: 'wrapper/turns/conversation.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const [one, two] = [await agent.turn('one'), await agent.turn('two')].map(({ hooks }) =>
        [hooks[0], hooks.at(-1)].map((call) => call?.input['prompt_id']),
      )
      assert.ok(one?.[0])
      assert.equal(one[0], one[1])
      assert.notEqual(one[0], two?.[0])
    },
  },
  {
    id: 'submit.once',
    fact: 'one message is one prompt, one request and one Stop',
    adapter,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { hooks, requests } = await agent.turn('once only')
      assert.deepEqual(
        hooks.map(({ event }) => event),
        ['UserPromptSubmit', 'Stop'],
      )
      assert.equal(requests.length, 1)
    },
  },
  {
    id: 'submit.bang',
    fact: 'a body that begins with ! is not run by a shell',
    adapter,
    session: 'key',
    holds: async (agent) => {
      const seen = await agent.turn('!touch was-run')
      assert.equal(seen.requests.length, 1)
      assert.equal(existsSync(join(agent.workspace, 'was-run')), false)
    },
  },
  {
    id: 'submit.slash',
    fact: 'a body that begins with / is no command of the CLI',
    adapter,
    session: 'key',
    holds: async (agent) => {
      const { hooks, requests } = await agent.turn('/clear')
      assert.equal(requests.length, 1)
      assert.equal(hooks.at(-1)?.input['session_id'], agent.sessionId)
    },
  },
  {
    id: 'submit.invisible',
    fact: 'a body that held invisible characters is taken by the first Enter once they are removed',
    adapter: 'wrapper/terminal/sanitise.ts',
    session: 'key',
    holds: async (agent) => {
      const { requests } = await agent.turn('in\u200bvisi\u202eble\ttab\r\nnext \u001b[31mred\u001b[0m')
      assert.ok(lastMessage(requests[0]).includes(JSON.stringify('invisible    tab\nnext red').slice(1, -1)))
    },
  },
  {
    id: 'submit.model',
    fact: 'the model of the command line is the one that is asked, over the socket, with the placeholder for a key',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const { requests } = await agent.turn('who are you')
      assert.equal(requests[0]?.body.model, 'claude-sonnet-4-5')
      assert.equal(requests[0]?.headers['x-api-key'], keyPlaceholder)
      assert.equal(requests[0]?.headers.host, 'model.invalid')
    },
  },
]

function exact(id: string, fact: string, body: string, daily: boolean): SharedCase {
  return {
    id,
    fact,
    adapter,
    session: 'key',
    daily,
    holds: async (agent: Agent) => {
      const seen: Seen = await agent.turn(body)
      const times = lastMessage(seen.requests[0]).split(JSON.stringify(body).slice(1, -1)).length - 1
      if (body.length > 1) assert.equal(times, 1, `the body arrived ${times} times`)
      assert.equal(seen.requests.length, 1)
      assert.equal(seen.hooks.at(-1)?.input['last_assistant_message'], answerText)
    },
  }
}

function lastMessage(request: Seen['requests'][number] | undefined): string {
  return JSON.stringify(request?.body.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
}

/** Lines that differ, so that a lost, doubled or moved one is noticed. */
function textOf(size: number): string {
  let text = ''
  for (let line = 0; text.length < size; line += 1)
    text += `line ${line} of the body, with "quotes" and \\ ${'.'.repeat(line % 60)}|\n`
  return text.slice(0, size - 1).trimEnd() + '|'
}
