import { spawn as spawnPty } from '@lydell/node-pty'
import { spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const bin = dirname(fileURLToPath(import.meta.url))
const { isRead, noticeOf } = (await import(new URL('./hand-over.mjs', import.meta.url).href)) as {
  isRead(parameters: readonly string[], isTerminal: boolean | undefined): boolean
  noticeOf(version: string): string | undefined
}

/** Another Node than ours, as far as a path tells. */
let other = ''
let dir = ''

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'hand-over-'))
  other = join(dir, 'node')
  try {
    linkSync(process.execPath, other)
  } catch {
    copyFileSync(process.execPath, other)
  }
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** A script that hands over first and then runs `body`. */
function script(name: string, body: string): string {
  const path = join(dir, `${name}.mjs`)
  const lines = [
    `import { handOver } from ${JSON.stringify(join(bin, 'hand-over.mjs'))}`,
    `import { aborted, untilInterrupted } from ${JSON.stringify(join(bin, '..', 'cli', 'local', 'processes', 'interrupt.ts'))}`,
    `if (!(await handOver(${JSON.stringify(path)}, process.argv.slice(2)))) {`,
    body,
    '}',
  ]
  writeFileSync(path, lines.join('\n'))
  return path
}

interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly said: string
}

/** Runs it with the other Node, and calls `onReady` once it has said `ready`. */
async function launch(
  parameters: readonly string[],
  onReady: (child: ChildProcess) => void = () => undefined,
): Promise<End> {
  const child = spawn(other, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const hear = (chunk: Buffer): void => {
    const wasReady = said.includes('ready')
    said += chunk.toString()
    if (!wasReady && said.includes('ready')) onReady(child)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, said })))
}

describe('a Node that is not ours', () => {
  test('has ours run the program', async () => {
    const { version } = JSON.parse(readFileSync(join(bin, '..', 'package.json'), 'utf8')) as { version: string }
    expect(await launch([join(bin, 'statewright.mjs'), '--version'])).toEqual({
      code: 0,
      signal: null,
      said: `${version}\n`,
    })
    const path = script('which', 'console.log(process.execPath)')
    expect((await launch([path])).said).toBe(`${process.execPath}\n`)
  })

  test('ends with the exit code of the program', async () => {
    expect(await launch([script('code', 'process.exitCode = 7')])).toMatchObject({ code: 7 })
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'passes %s on and ends by it, as the program did',
    async (signal) => {
      const path = script(`wait-${signal}`, `console.log('ready'); setInterval(() => undefined, 1000)`)
      expect(await launch([path], (child) => child.kill(signal))).toMatchObject({ code: null, signal })
    },
  )

  test('leaves the end to a program that hears the signal', async () => {
    const path = script(
      'hears',
      `process.on('SIGTERM', () => process.exit(5)); console.log('ready'); setInterval(() => undefined, 1000)`,
    )
    expect(await launch([path], (child) => child.kill('SIGTERM'))).toMatchObject({ code: 5, signal: null })
  })
})

describe('Ctrl-C', () => {
  const stopping = `const interrupted = untilInterrupted()
    console.log('ready')
    await aborted(interrupted)
    console.log('stopping')
    await new Promise((resolve) => setTimeout(resolve, 300))
    console.log('stopped')`

  test('of a terminal, which reaches launcher and program, is one, and the program stops in good order', async () => {
    const terminal = spawnPty(other, [script('terminal', stopping)], {
      name: 'xterm',
      env: { PATH: process.env['PATH'] ?? '' },
    })
    let said = ''
    const end = new Promise<{ exitCode: number; signal?: number }>((resolve) => terminal.onExit(resolve))
    terminal.onData((chunk) => {
      const wasReady = said.includes('ready')
      said += chunk
      if (!wasReady && said.includes('ready')) terminal.write('\x03')
    })
    expect(await end).toMatchObject({ exitCode: 0 })
    expect(said).toContain('stopped')
  })

  test('a second time ends a program that hangs while it stops', async () => {
    const hanging = `let seconds = 0
      const interrupted = untilInterrupted(() => (seconds += 2) * 1000)
      console.log('ready')
      await aborted(interrupted)
      console.log('hanging')
      process.kill(process.pid, 'SIGINT')
      setInterval(() => undefined, 1000)`
    const end = await launch([script('hanging', hanging)], (child) => child.kill('SIGINT'))
    expect(end).toMatchObject({ code: null, signal: 'SIGINT' })
  })
})

test.each([
  ['20.19.2', true],
  ['21.0.0', true],
  ['22.19.0', false],
  ['24.1.0', false],
  ['26.0.0', false],
])('Node %s is told of a later one: %s', (version, isTold) => {
  expect(noticeOf(version) !== undefined).toBe(isTold)
})

test('the notice is for a terminal, and for nobody who wants JSON', () => {
  expect(isRead(['get', 'tasks'], true)).toBe(true)
  expect(isRead(['get', 'tasks'], undefined)).toBe(false)
  expect(isRead(['why', 'a', '--json'], true)).toBe(false)
})
