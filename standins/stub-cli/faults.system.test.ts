/** The faults for which the stub exists, each seen from outside. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startModel, type Model } from '../model/server.ts'
import { aBundle } from '../model/testing/a-bundle.ts'
import { withTerminal, type TerminalUnderTest } from '../model/testing/a-terminal.ts'
import { parseScenario } from '../scenarios/load.ts'

const apiKey = 'sk-dummy-key-0123456789-of-the-scripted-model'
const cli = join(import.meta.dirname, 'claude')
const scenario = parseScenario(
  '{"name": "f", "agents": {"implement": [[{"bash": "true"}, {"say": "Finished."}]]}}',
  'f.json',
)

let model: Model

beforeAll(async () => {
  model = await startModel({ scenario, apiKey })
})

afterAll(() => model.close())

function withFaults(
  faults: Readonly<Record<string, unknown>>,
  action: (terminal: TerminalUnderTest) => Promise<void>,
): Promise<void> {
  return withTerminal({ cli, modelUrl: model.url, apiKey, faults }, action)
}

const accepted = (terminal: TerminalUnderTest): Promise<void> =>
  terminal.until('the prompt hook', () => terminal.hooks('UserPromptSubmit').length > 0)
const stopped = (terminal: TerminalUnderTest): Promise<void> =>
  terminal.until('Stop', () => terminal.hooks('Stop').length > 0)

test('a swallowed Enter leaves the text in the box, and the next one submits it whole', async () => {
  await withFaults({ dropEnters: 1 }, async (terminal) => {
    await terminal.submit('e-1', aBundle())
    terminal.write('And this.')
    terminal.write('\r')
    await stopped(terminal)
    expect(terminal.hooks('UserPromptSubmit').map((line) => line.prompt)).toEqual([expect.stringContaining(aBundle())])
    expect(terminal.hooks('UserPromptSubmit')[0]?.prompt).toMatch(/And this\.$/)
  })
})

test('without its Stop hook a turn ends in the transcript alone', async () => {
  await withFaults({ noStop: { turn: 0 } }, async (terminal) => {
    await terminal.submit('s-1', aBundle())
    await terminal.until('the last answer', () => JSON.stringify(terminal.transcript()).includes('Finished.'))
    await terminal.submit('s-2', aBundle())
    await stopped(terminal)
    expect(terminal.hooks('UserPromptSubmit')).toHaveLength(2)
    expect(terminal.hooks('Stop')).toHaveLength(1)
  })
})

test('a forced StopFailure carries its error', async () => {
  await withFaults({ stopFailure: { error: 'rate_limit', message: "You've hit your limit" } }, async (terminal) => {
    await terminal.submit('x-1', aBundle())
    await terminal.until('StopFailure', () => terminal.hooks('StopFailure').length > 0)
    expect(terminal.hooks('StopFailure')[0]).toMatchObject({
      error: 'rate_limit',
      last_assistant_message: "You've hit your limit",
    })
  })
})

test('an exit in the middle of a turn has its code and no ending', async () => {
  await withFaults({ exitMidTurn: { turn: 0, code: 7 } }, async (terminal) => {
    await terminal.submit('d-1', aBundle())
    await expect(terminal.exited).resolves.toBe(7)
    expect(terminal.hooks('Stop')).toEqual([])
  })
})

test('ESC before the first token leaves no marker and puts the prompt back, so that the next text follows it', async () => {
  await withFaults({ stall: { turn: 0 } }, async (terminal) => {
    await terminal.submit('b-1', aBundle())
    await accepted(terminal)
    terminal.write('\u001b')
    await terminal.submit('b-2', 'second')
    await terminal.until('the second prompt', () => terminal.hooks('UserPromptSubmit').length === 2)
    expect(terminal.hooks('UserPromptSubmit')[1]?.prompt).toMatch(/\[turn b-1\][\s\S]*\[turn b-2\]/)
    expect(JSON.stringify(terminal.transcript())).not.toContain('interrupted by user')
  })
})

test('Ctrl-C clears a box to which a prompt came back', async () => {
  await withFaults({ stall: { turn: 0 } }, async (terminal) => {
    await terminal.submit('c-1', aBundle())
    await accepted(terminal)
    terminal.write('\u001b')
    await terminal.until('the box to be drawn again', () => terminal.screen().split('\u276f').length > 2)
    terminal.write('\u0003')
    await terminal.submit('c-2', aBundle())
    await stopped(terminal)
    expect(terminal.hooks('UserPromptSubmit')[1]?.prompt).not.toContain('c-1')
  })
})

test('a hung turn takes no ESC and no further turn', async () => {
  await withFaults({ hang: {} }, async (terminal) => {
    await terminal.submit('h-1', aBundle())
    await accepted(terminal)
    terminal.write('\u001b')
    await terminal.submit('h-2', aBundle())
    terminal.end()
    await expect(terminal.exited).resolves.toBe(143)
    expect(terminal.hooks('UserPromptSubmit')).toHaveLength(1)
    expect(terminal.hooks('Stop')).toEqual([])
  })
})

test('a turn nobody asked for has a prompt of its own', async () => {
  await withFaults(
    { spontaneousTurn: { afterTurn: 0, delayMs: 10, prompt: '<task-notification>done</task-notification>' } },
    async (terminal) => {
      await terminal.submit('n-1', aBundle())
      await terminal.until('the second turn', () => terminal.hooks('Stop').length === 2)
      const [first, second] = terminal.hooks('UserPromptSubmit')
      expect(second?.prompt).toBe('<task-notification>done</task-notification>')
      expect(second?.prompt_id).not.toBe(first?.prompt_id)
    },
  )
})

test('the bypass dialog refuses by default: a blind Enter ends the program', async () => {
  await withFaults({ dialog: 'bypass' }, async (terminal) => {
    await terminal.until('the dialog', () => terminal.screen().includes('Bypass Permissions mode'))
    terminal.write('\r')
    await expect(terminal.exited).resolves.toBe(1)
  })
})

test('the bypass dialog is accepted by Down and Enter', async () => {
  await withFaults({ dialog: 'bypass' }, async (terminal) => {
    await terminal.until('the dialog', () => terminal.screen().includes('Bypass Permissions mode'))
    terminal.write('\u001b[B')
    terminal.write('\r')
    await terminal.submit('y-1', aBundle())
    await stopped(terminal)
  })
})

test('a late transcript is complete in the end', async () => {
  await withFaults({ transcriptDelayMs: 300 }, async (terminal) => {
    await terminal.submit('t-1', aBundle())
    await stopped(terminal)
    await terminal.until('the last line', () => JSON.stringify(terminal.transcript()).includes('Finished.'))
  })
})
