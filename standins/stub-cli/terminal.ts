/** The interactive side: keys into the box, prompts into turns, ESC into an interrupt. */
import { setTimeout as delay } from 'node:timers/promises'
import { appliesTo, type StubFaults } from './faults.ts'
import type { InputBox } from './input-box.ts'
import type { Key } from './keys.ts'
import type { Ending } from './turn.ts'

export interface TerminalPorts {
  readonly box: InputBox
  readonly faults: StubFaults
  readonly write: (text: string) => void
  /** Plays the prompt as the turn with this ordinal. */
  readonly play: (prompt: string, ordinal: number, signal: AbortSignal) => Promise<Ending>
  readonly exit: (code: number) => void
}

export interface Terminal {
  press(key: Key): void
  /** A turn that nobody submitted. */
  begin(prompt: string): void
}

/** A second Ctrl-C within this time leaves the program. */
const exitArmedMs = 2_000

export function terminal(ports: TerminalPorts): Terminal {
  const { box, faults } = ports
  const queue: string[] = []
  let turns = 0
  let dropped = 0
  let running: AbortController | undefined
  let armedUntil = 0

  const begin = (prompt: string): void => {
    if (running !== undefined) return void queue.push(prompt)
    const interrupt = new AbortController()
    running = interrupt
    void run(prompt, turns++, interrupt).finally(() => {
      running = undefined
      const next = queue.shift()
      if (next === undefined) draw(ports.write)
      else begin(next)
    })
  }

  const run = async (prompt: string, ordinal: number, interrupt: AbortController): Promise<void> => {
    if (faults.enterDelayMs !== undefined) await delay(faults.enterDelayMs)
    ports.write(`\r\n> ${prompt.slice(0, 80).replaceAll('\n', ' ')}\r\n`)
    const ending = await ports.play(prompt, ordinal, interrupt.signal)
    if (ending === 'restored') box.restore(prompt)
    const spontaneous = faults.spontaneousTurn
    if (spontaneous !== undefined && appliesTo({ turn: spontaneous.afterTurn }, ordinal))
      setTimeout(() => begin(spontaneous.prompt), spontaneous.delayMs)
  }

  const enter = (): void => {
    if (!box.isEmpty && dropped < (faults.dropEnters ?? 0)) return void dropped++
    const prompt = box.submit()
    if (prompt === undefined) return
    if (prompt === '/exit') return ports.exit(0)
    begin(prompt)
  }

  const ctrlC = (): void => {
    if (Date.now() < armedUntil) return ports.exit(0)
    armedUntil = Date.now() + exitArmedMs
    box.clear()
    ports.write('\r\nPress Ctrl-C again to exit\r\n')
  }

  return {
    begin,
    press(key) {
      switch (key.type) {
        case 'text':
          return box.type(key.text)
        case 'paste':
          return box.paste(key.text)
        case 'backspace':
          return box.erase()
        case 'enter':
          return enter()
        case 'ctrl-c':
          return ctrlC()
        case 'escape':
          return faults.ignoreEscape === true ? undefined : running?.abort()
        default:
          return
      }
    },
  }
}

export function draw(write: (text: string) => void): void {
  write('\r\n\u2500\u2500\u2500\u2500\r\n\u276f ')
}
