import { sleep, type Clock } from '../clock.ts'
import type { Terminal } from './terminal.ts'

/**
 * The one recipe that delivered every body exactly, 10 B to 1 M characters (CLI-FACT-2): a typed line with the turn's token, a
 * bracketed paste, Enter as a write of its own. The typed line keeps `!` and `/` at the start of a body harmless and
 * tells the model that the pasted text is the user's own request.
 */
const typedGapMs = 60
const pasteGapMs = 250
/** A late Enter is repeated, the paste never: pasting twice would expand and double it. */
const enterAgainMs = 2500
const maxEnters = 12
const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

export function typedLine(turnId: string): string {
  return `[turn ${turnId}] Carry out the message below.`
}

interface Submission {
  readonly turnId: string
  readonly body: string
  /** Settles when the UserPromptSubmit hook brought the token. */
  readonly accepted: Promise<void>
  /** Nothing is sent off before it settled. */
  readonly ready?: Promise<unknown>
}

/** False: no Enter was taken. */
export async function submit(
  terminal: Terminal,
  clock: Clock,
  { turnId, body, accepted, ready }: Submission,
): Promise<boolean> {
  terminal.write(typedLine(turnId))
  await sleep(clock, typedGapMs)
  terminal.write(`${pasteStart}\n${padding(body)}${body}${pasteEnd}`)
  await sleep(clock, pasteGapMs)
  await ready
  for (let enters = 0; enters < maxEnters && !terminal.exited(); enters += 1) {
    terminal.write('\r')
    if (await settlesWithin(clock, enterAgainMs, accepted)) return true
  }
  return false
}

/**
 * At the end of a short text the CLI drops blanks and one backslash, and it composes the letters (NFC). A paste of more than
 * two line feeds arrives as it is.
 */
function padding(body: string): string {
  return /[\s\\]$/.test(body) || body !== body.normalize('NFC') ? '\n\n' : ''
}

async function settlesWithin(clock: Clock, limitMs: number, promise: Promise<void>): Promise<boolean> {
  let timer: { cancel(): void } | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = clock.setTimer(limitMs, () => resolve(false))
  })
  const settled = await Promise.race([promise.then(() => true), late])
  timer?.cancel()
  return settled
}
