/** What a wrapper can see of the CLI: the same tests over the real one and over the stub, so that the stub stays true. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startModel, type Model } from '../model/server.ts'
import { aBundle } from '../model/testing/a-bundle.ts'
import { withTerminal, type TerminalUnderTest } from '../model/testing/a-terminal.ts'
import { parseScenario } from '../scenarios/load.ts'

const apiKey = 'sk-dummy-key-0123456789-of-the-scripted-model'
const root = join(import.meta.dirname, '../..')
const clis = { real: join(root, 'node_modules/.bin/claude'), stub: join(import.meta.dirname, 'claude') }

const scenario = parseScenario(
  `
name: contract
agents:
  implement:
    - name: slow
      when: { assignment: { includes: Wait } }
      steps:
        - bash: tail -f /dev/null
    - name: long-answer
      when: { assignment: { includes: Talk } }
      steps:
        - fault: slow
          seconds: 20
        - say: ${'A sentence that is streamed. '.repeat(20)}
    - name: failing
      when: { assignment: { includes: Fail } }
      steps:
        - fault: forbidden
          times: 99
    - name: work
      steps:
        - say: I write it down.
        - tool: task_note
          as: note
          args: { kind: note, body: 'for issue {{issue.number}}' }
        - write: { path: a.txt, content: "one\\n" }
        - edit: { path: a.txt, old: one, new: '{{result.note.id}} in turn {{turn}}' }
        - bash: cat a.txt; exit 3
          as: seen
          allowError: true
        - say: 'I saw: {{result.seen.text}}'
  review:
    - - say: Reviewed.
`,
  'contract.yaml',
)

let model: Model

beforeAll(async () => {
  model = await startModel({ scenario, apiKey })
})

afterAll(() => model.close())

function ask(assignment: string): string {
  return aBundle({ assignment })
}

function stopped(terminal: TerminalUnderTest, times = 1): Promise<void> {
  return terminal.until(`Stop ${times}`, () => terminal.hooks('Stop').length >= times)
}

describe.each(Object.entries(clis))('the %s CLI', (kind, cli) => {
  const options = (): { cli: string; modelUrl: string; apiKey: string } => ({ cli, modelUrl: model.url, apiKey })
  test.skipIf(!existsSync(cli))(
    'plays two turns of one conversation with hooks, tools and a transcript',
    { timeout: 90_000 },
    async () => {
      await withTerminal(options(), async (terminal) => {
        await terminal.submit(`${kind}-1`, ask('Work.'))
        await stopped(terminal)
        expect(terminal.hooks('UserPromptSubmit')[0]?.prompt).toContain(`[turn ${kind}-1] Carry out`)
        expect(terminal.hooks('UserPromptSubmit')[0]?.prompt).toContain(`\n${ask('Work.')}\n</pasted_content id="`)
        expect(terminal.hooks('Stop')[0]).toMatchObject({
          prompt_id: terminal.hooks('UserPromptSubmit')[0]?.prompt_id,
          last_assistant_message: expect.stringContaining('I saw: Exit code 3') as unknown,
        })
        expect(terminal.hooks('Stop')[0]?.last_assistant_message).toContain('id-1 in turn 0')
        expect(terminal.hooks('PostToolUse').map((line) => line.tool_name)).toEqual([
          'mcp__platform__task_note',
          'Write',
          'Read',
          'Edit',
        ])
        expect(terminal.hooks('PostToolUseFailure').map((line) => line.tool_name)).toEqual(['Read', 'Bash'])
        expect(terminal.calls()).toEqual([{ tool: 'task_note', input: { kind: 'note', body: 'for issue 7' } }])
        await terminal.until('the last line', () =>
          JSON.stringify(
            terminal
              .transcript()
              .filter((line) => line.type === 'assistant')
              .at(-1) ?? '',
          ).includes('I saw'),
        )
        const first = terminal
          .transcript()
          .filter((line) => line.type === 'assistant')
          .slice(0, 2)
        expect(
          first.map((line) => ((line.message?.content ?? []) as { type: string }[]).map((block) => block.type)),
        ).toEqual([['text'], ['tool_use']])
        expect(first[0]?.message?.id).toBe(first[1]?.message?.id)
        expect(first[0]?.message?.usage).toEqual(first[1]?.message?.usage)

        await terminal.submit(`${kind}-2`, ask('Work again.'))
        await stopped(terminal, 2)
        expect(terminal.hooks('Stop')[1]?.last_assistant_message).toContain('id-2 in turn 1')
        expect(model.turns().find((turn) => turn.turnToken === `${kind}-2`)?.steps).toContain(
          'mcp__platform__task_note',
        )
        expect(terminal.statusLines()).toBeGreaterThan(0)
      })
    },
  )

  test.skipIf(!existsSync(cli))(
    'marks an interrupted tool, sends no Stop, and takes the next turn',
    { timeout: 90_000 },
    async () => {
      await withTerminal(options(), async (terminal) => {
        await terminal.submit(`${kind}-3`, ask('Wait.'))
        await terminal.until('the tool', () => terminal.hooks('PreToolUse').length > 0)
        terminal.write('\u001b')
        await terminal.until('the marker', () =>
          JSON.stringify(terminal.transcript()).includes('[Request interrupted by user for tool use]'),
        )
        expect(terminal.hooks('Stop')).toEqual([])
        expect(terminal.hooks('PostToolUse')).toEqual([])
        await terminal.submit(`${kind}-4`, ask('Work.'))
        await stopped(terminal)
        expect(terminal.hooks('Stop')[0]?.last_assistant_message).toContain('I saw')
      })
    },
  )

  test.skipIf(!existsSync(cli))('marks an answer interrupted in its stream', { timeout: 90_000 }, async () => {
    await withTerminal(options(), async (terminal) => {
      await terminal.submit(`${kind}-5`, ask('Talk.'))
      await terminal.until('the first words', () => terminal.screen().includes('sentence'))
      terminal.write('\u001b')
      await terminal.until('the marker', () =>
        JSON.stringify(terminal.transcript()).includes('[Request interrupted by user]'),
      )
      expect(terminal.transcript().some((line) => line['isAbortedMidStream'] === true)).toBe(true)
      expect(terminal.hooks('Stop')).toEqual([])
    })
  })

  test.skipIf(!existsSync(cli))(
    'ends a turn that the provider refuses with StopFailure',
    { timeout: 90_000 },
    async () => {
      await withTerminal(options(), async (terminal) => {
        await terminal.submit(`${kind}-6`, ask('Fail.'))
        await terminal.until('StopFailure', () => terminal.hooks('StopFailure').length > 0)
        expect(terminal.hooks('StopFailure')[0]).toMatchObject({
          error: 'authentication_failed',
          prompt_id: terminal.hooks('UserPromptSubmit')[0]?.prompt_id,
        })
        expect(terminal.hooks('Stop')).toEqual([])
        await terminal.until('the error line', () =>
          terminal.transcript().some((line) => line['isApiErrorMessage'] === true),
        )
      })
    },
  )
})
