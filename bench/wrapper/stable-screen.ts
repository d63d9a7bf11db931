/**
 * The method of coder/agentapi, written anew on the same CLI: a message is pasted and Enter pressed until the screen
 * changes; the turn is over once the whole screen stood still for two seconds; the answer is what is new on it above the
 * input box. Its figures: a screen of 80 by 1000, looked at every 25 ms, Enter again every 3 s, 15 s at most.
 */
import { bounded, type Contender } from './contender.ts'
import { createScreen, type Screen } from './screen.ts'
import type { Script } from './script.ts'
import { startSeededCli } from './seeded-cli.ts'

const size = { cols: 80, rows: 1000 }
const lookMs = 25
const stillMs = 2000
const echoLimitMs = 2000
const enterAgainMs = 3000
const enterLimitMs = 15_000

export async function openStableScreen(script: Script): Promise<Contender> {
  const cli = await startSeededCli(script, size)
  const screen = createScreen(size.cols, size.rows)
  cli.onOutput((text) => screen.write(text))
  await bounded(stable(screen), 'a first stable screen')
  return {
    readyMs: performance.now() - cli.startedAt,
    async turn(prompt, asked) {
      const before = screen.text()
      const submittedAt = performance.now()
      cli.write(`x\b\u001b[200~${prompt.text}\u001b[201~`)
      await changes(screen, before, echoLimitMs)
      await pressEnter(cli.write, screen)
      await bounded(asked, `the request of ${prompt.marker}`)
      await bounded(stable(screen), `a stable screen after ${prompt.marker}`)
      return { submittedAt, toldAt: performance.now(), reported: answerOn(screen.text(), before) }
    },
    close: () => cli.close(),
  }
}

async function pressEnter(write: (bytes: string) => void, screen: Screen): Promise<void> {
  const before = screen.text()
  for (let waited = 0; waited < enterLimitMs; waited += enterAgainMs) {
    write('\r')
    if (await changes(screen, before, enterAgainMs)) return
  }
  throw new Error('the screen did not change for 15 s after Enter')
}

async function changes(screen: Screen, before: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs
  while (performance.now() < deadline) {
    if (screen.text() !== before) return true
    await pause()
  }
  return false
}

/** A screen that shows nothing yet is not stable. */
async function stable(screen: Screen): Promise<void> {
  let last = screen.text()
  let since = performance.now()
  while (performance.now() - since < stillMs) {
    await pause()
    const now = screen.text()
    if (now === last && now.trim() !== '') continue
    last = now
    since = performance.now()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, lookMs))
}

/** What stands between an answer and the input box and is neither: the CLI's word on how long it took. */
const footer = /^[✻✽✶✢·*] /

/** The lines that were not there before, from the answer's bullet to the box that takes the next message. */
export function answerOn(after: string, before: string): string {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  const lines = after.split('\n').map((line) => line.trim())
  const bottom = lines.findLastIndex((line) => isBoxEdge(line))
  const top = bottom < 0 ? -1 : lines.slice(0, bottom).findLastIndex((line) => isBoxEdge(line))
  const above = lines.slice(0, top < 0 ? lines.length : top).filter((line) => line !== '' && !known.has(line))
  const begin = above.findLastIndex((line) => line.startsWith('●'))
  const answer = above.slice(Math.max(begin, 0))
  return (footer.test(answer.at(-1) ?? '') ? answer.slice(0, -1) : answer).join('\n')
}

function isBoxEdge(line: string): boolean {
  return /^[─╭╰]{3,}/.test(line)
}
