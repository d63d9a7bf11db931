import { describe, expect, test } from 'vitest'
import { testClock, type TestClock } from '../../http/testing/fixture.ts'
import { awaitReady } from './boot.ts'
import type { Terminal } from './terminal.ts'

const bypass = 'WARNING: Bypass Permissions mode \u276f 1. No, exit 2. Yes, I accept'
const down = '\u001b[B'

/** A screen that the test paints, on a clock that it moves. */
class Scene {
  readonly clock: TestClock = testClock()
  readonly typed: (readonly [key: string, at: number])[] = []
  #tail = ''
  #lastOutputAt = this.clock.now()
  #ended: string | undefined

  constructor(timeoutMs = 60_000) {
    const terminal: Terminal = {
      pid: 1,
      write: (bytes) => void this.typed.push([bytes, this.clock.elapsed()]),
      kill: () => undefined,
      tail: () => this.#tail,
      lastOutputAt: () => this.#lastOutputAt,
      exited: () => undefined,
      onExit: () => undefined,
    }
    awaitReady(terminal, this.clock, timeoutMs).then(
      () => (this.#ended = `ready at ${this.clock.elapsed()}`),
      (error: { reason?: string }) => (this.#ended = `failed: ${error.reason}`),
    )
  }

  paint(text: string): void {
    this.#tail += text
    this.#lastOutputAt = this.clock.now()
  }

  /** Lets time pass until then. */
  async at(milliseconds: number): Promise<string> {
    while (this.clock.elapsed() < milliseconds) {
      this.clock.advance(50)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return this.#ended ?? 'waits'
  }
}

describe('a CLI is ready', () => {
  test('after more than 1.5 s without output (WRAPPER-BOOT-13)', async () => {
    const scene = new Scene()
    await scene.at(10_000)
    scene.paint('> ')
    expect(await scene.at(11_500)).toBe('waits')
    expect(await scene.at(11_550)).toBe('ready at 11550')
  })

  test('not before 4 s, however long it has been quiet (WRAPPER-BOOT-13)', async () => {
    const scene = new Scene()
    scene.paint('> ')
    expect(await scene.at(3950)).toBe('waits')
    expect(await scene.at(4000)).toBe('ready at 4000')
  })

  test('never while it goes on writing, or has written nothing (WRAPPER-BOOT-13)', async () => {
    const [busy, mute] = [new Scene(), new Scene()]
    for (let at = 1500; at < 60_000; at += 1500) {
      busy.paint('.')
      expect(await busy.at(at)).toBe('waits')
    }
    busy.paint('.')
    expect(await busy.at(60_000)).toBe('failed: timeout')
    expect(await mute.at(60_000)).toBe('failed: timeout')
  })
})

describe('a dialog', () => {
  test('of the bypass warning is accepted once, by one down and then Enter, when it is seen (WRAPPER-BOOT-11)', async () => {
    const scene = new Scene()
    await scene.at(1000)
    expect(scene.typed).toEqual([])
    scene.paint(bypass)
    await scene.at(2000)
    scene.paint('> ')
    expect(await scene.at(5000)).toBe('ready at 4000')
    expect(scene.typed.map(([key]) => key)).toEqual([down, '\r'])
    expect(scene.typed[1]![1] - scene.typed[0]![1]).toBeGreaterThanOrEqual(200)
  })

  test.each([
    ['the trust of a folder', 'Do you trust it? 1. No, exit 2. Yes, I trust this folder', 'failed: trust-folder'],
    ['a new MCP server', 'New MCP server found in .mcp.json: wiki', 'failed: mcp-server'],
    ['a key', 'Detected a custom API key in your environment', 'failed: api-key'],
    ['a first start', 'Choose the text style that looks best', 'failed: onboarding'],
    ['a later version', 'Bypass Permissions mode has changed. 1. No, exit 2. Read more', 'ready at 4000'],
  ])('about %s is answered by no key (WRAPPER-BOOT-12)', async (_what, screen, end) => {
    const scene = new Scene()
    scene.paint(screen)
    expect(await scene.at(10_000)).toBe(end)
    expect(scene.typed).toEqual([])
  })
})
