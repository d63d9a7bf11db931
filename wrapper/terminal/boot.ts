import { sleep, type Clock } from '../clock.ts'
import { dialogOnScreen, plainText } from './screen.ts'
import type { Terminal } from './terminal.ts'

/** Measured on 2.1.329: pastes before 1.3 s lose their Enter, quiet (1.5 s) with a floor of 4 s held in every run. */
const quietMs = 1500
const floorMs = 4000
const pollMs = 50
/** Time for the dialog to take one key before the next. */
const keyGapMs = 200

class AgentBootError extends Error {
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.name = 'AgentBootError'
    this.reason = reason
  }
}

/** Resolves once the CLI has drawn its prompt and gone quiet; accepts the bypass warning only when it is seen. */
export async function awaitReady(terminal: Terminal, clock: Clock, timeoutMs: number): Promise<void> {
  const startedAt = clock.now()
  let accepted = false
  for (;;) {
    refuseExit(terminal)
    const now = clock.now()
    const dialog = accepted ? undefined : dialogOnScreen(terminal.tail())
    if (dialog === 'bypass-permissions') {
      await acceptBypass(terminal, clock)
      accepted = true
    } else if (isReady(terminal, now, startedAt)) {
      if (dialog) throw new AgentBootError(dialog, `the CLI asks ${dialog} instead of starting`)
      return
    }
    if (now - startedAt >= timeoutMs)
      throw new AgentBootError('timeout', `the CLI was not quiet within ${timeoutMs} ms: ${screenEnd(terminal)}`)
    await sleep(clock, pollMs)
  }
}

function isReady(terminal: Terminal, now: number, startedAt: number): boolean {
  return terminal.tail() !== '' && now - startedAt >= floorMs && now - terminal.lastOutputAt() > quietMs
}

/** The cursor stands on "No, exit": one down, then Enter, as two keystrokes. */
async function acceptBypass(terminal: Terminal, clock: Clock): Promise<void> {
  terminal.write('\u001b[B')
  await sleep(clock, keyGapMs)
  terminal.write('\r')
  await sleep(clock, keyGapMs)
}

function refuseExit(terminal: Terminal): void {
  const exit = terminal.exited()
  if (exit) throw new AgentBootError('exit', `the CLI ended with ${exit.code} while starting: ${screenEnd(terminal)}`)
}

function screenEnd(terminal: Terminal): string {
  return plainText(terminal.tail()).replace(/\s+/g, ' ').trim().slice(-400)
}
