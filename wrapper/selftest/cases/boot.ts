import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { awaitReady } from '../../terminal/boot.ts'
import { dialogOnScreen, plainText } from '../../terminal/screen.ts'
import { editJson, startAgent, type Agent, type AgentInput, type AgentOptions } from '../agent.ts'
import type { ContractCase } from '../case.ts'

const bootLimitMs = 60_000

export const bootCases: readonly ContractCase[] = [
  {
    id: 'boot.seeded',
    fact: 'with the seed in place the CLI starts at its prompt, without a dialog (WRAPPER-BOOT-3, WRAPPER-BOOT-5)',
    adapter: 'wrapper/boot/agent-files.ts',
    session: 'key',
    daily: true,
    holds: async ({ terminal }) => {
      assert.equal(dialogOnScreen(terminal.tail()), undefined)
      assert.equal(terminal.exited(), undefined)
    },
  },
  {
    id: 'boot.session-id',
    fact: 'a hook tells the session id of the command line and where the transcript is',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const hook = (await agent.turn('hello')).hooks[0]
      assert.equal(hook?.event, 'UserPromptSubmit')
      assert.equal(hook?.input['session_id'], agent.sessionId)
      assert.match(String(hook?.input['transcript_path']), new RegExp(`${agent.sessionId}\\.jsonl$`))
    },
  },
  {
    id: 'boot.bypass-warning',
    fact: 'without its seed the bypass warning is shown, is recognised, and is accepted by one down and Enter (WRAPPER-BOOT-11)',
    adapter: 'wrapper/terminal/screen.ts',
    session: 'none',
    holds: async (input) => {
      await withBoot(input, seedless('settings', 'skipDangerousModePermissionPrompt'), async (agent) => {
        await awaitReady(agent.terminal, agent.clock, bootLimitMs)
        assert.equal((await agent.turn('hello')).hooks.at(-1)?.event, 'Stop')
      })
    },
  },
  {
    id: 'boot.trust-dialog',
    fact: 'without its seed the trust dialog is shown and recognised',
    adapter: 'wrapper/terminal/screen.ts',
    session: 'none',
    holds: (input) => refusesToBoot(input, seedless('onboarding', 'projects'), 'trust-folder'),
  },
  {
    id: 'boot.key-dialog',
    fact: 'without its seed the question about the API key is shown and recognised',
    adapter: 'wrapper/terminal/screen.ts',
    session: 'none',
    holds: (input) => refusesToBoot(input, seedless('onboarding', 'customApiKeyResponses'), 'api-key'),
  },
  {
    id: 'boot.sigterm',
    fact: 'SIGTERM ends the CLI',
    adapter: 'wrapper/boot/orphan.ts',
    session: 'none',
    holds: async (input) => {
      await withBoot(input, {}, async (agent) => {
        await awaitReady(agent.terminal, agent.clock, bootLimitMs)
        agent.terminal.kill('SIGTERM')
        await agent
          .until('its end', () => false, 10_000)
          .catch(() => assert.notEqual(agent.terminal.exited(), undefined, 'SIGTERM did not end the CLI'))
      })
    },
  },
  {
    id: 'boot.no-onboarding',
    fact: 'without the onboarding seed the CLI asks a person or gives up, and is not taken for ready',
    adapter: 'wrapper/boot/agent-files.ts',
    session: 'none',
    holds: async (input) => {
      await withBoot(
        input,
        { spoil: ({ home }) => rmSync(join(home, '.claude.json')) },
        async ({ terminal, clock }) => {
          await assert.rejects(awaitReady(terminal, clock, bootLimitMs))
          assert.match(plainText(terminal.tail()), /Welcome|connect|theme/i)
        },
      )
    },
  },
]

/** The seed with one member of one of its files left out. */
function seedless(file: 'settings' | 'onboarding', member: string): AgentOptions {
  return {
    spoil: ({ home }) =>
      editJson(join(home, file === 'settings' ? '.claude/settings.json' : '.claude.json'), (value) => {
        delete value[member]
      }),
  }
}

async function refusesToBoot(input: AgentInput, options: AgentOptions, reason: string): Promise<void> {
  await withBoot(input, options, async ({ terminal, clock }) => {
    await assert.rejects(awaitReady(terminal, clock, bootLimitMs), { reason })
  })
}

async function withBoot(input: AgentInput, options: AgentOptions, use: (agent: Agent) => Promise<void>): Promise<void> {
  const agent = await startAgent(input, { ...options, awaitBoot: false })
  try {
    await use(agent)
  } finally {
    await agent.close()
  }
}
