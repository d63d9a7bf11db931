/**
 * What the CLI needs by itself, which no supervisor can beat: paste and Enter with nothing in between, and a Stop hook
 * that only leaves a mark. Its boot is over once the screen has been quiet as the wrapper asks it to be.
 */
import { mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { awaitReady } from '../../wrapper/terminal/boot.ts'
import { realClock } from '../../wrapper/testing/pod.ts'
import { bounded, type Contender } from './contender.ts'
import type { Script } from './script.ts'
import { startSeededCli, type SeededCli } from './seeded-cli.ts'

const size = { cols: 120, rows: 40 }
const tailCharacters = 65_536

export async function openCliFloor(script: Script): Promise<Contender> {
  const cli = await startSeededCli(script, { ...size, stopHook: (dir) => `: > ${join(marksIn(dir), '$$')}` })
  let stopped: () => void = () => undefined
  // Only the mark's appearance; that it was written and closed comes as events too.
  const marks = watch(marksIn(cli.dir), (event) => (event === 'rename' ? stopped() : undefined))
  await quiet(cli)
  return {
    readyMs: performance.now() - cli.startedAt,
    async turn(prompt) {
      const told = new Promise<void>((resolve) => (stopped = resolve))
      const submittedAt = performance.now()
      cli.write(`Carry out the message below.\u001b[200~\n${prompt.text}\u001b[201~`)
      cli.write('\r')
      await bounded(told, `the Stop hook after ${prompt.marker}`)
      return { submittedAt, toldAt: performance.now(), reported: undefined }
    },
    async close() {
      marks.close()
      await cli.close()
    },
  }
}

function marksIn(dir: string): string {
  const marks = join(dir, 'stops')
  mkdirSync(marks, { recursive: true })
  return marks
}

/** By the very code that the wrapper waits with. */
async function quiet(cli: SeededCli): Promise<void> {
  let tail = ''
  let lastOutputAt = realClock.now()
  cli.onOutput((text) => {
    tail = (tail + text).slice(-tailCharacters)
    lastOutputAt = realClock.now()
  })
  const terminal = {
    pid: 0,
    write: (bytes: string) => cli.write(bytes),
    kill: () => undefined,
    tail: () => tail,
    lastOutputAt: () => lastOutputAt,
    exited: () => undefined,
    onExit: () => undefined,
  }
  await awaitReady(terminal, realClock, 60_000)
}
