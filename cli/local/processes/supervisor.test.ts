import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'

const bound = { timeout: 10_000, interval: 20 }

interface Watched {
  readonly supervisor: Supervisor
  readonly lines: Record<string, unknown>[]
  readonly failures: (number | null)[]
  log(): string
}

/** A program of a few lines under a supervisor, ended at the end. */
async function withProgram(
  program: string,
  use: (watched: Watched) => Promise<void>,
  options: Partial<SupervisorOptions> = {},
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'statewright-supervisor-'))
  const logFile = join(dir, 'program.log')
  const lines: Record<string, unknown>[] = []
  const failures: (number | null)[] = []
  const supervisor = new Supervisor({
    command: ['/bin/sh', '-c', program],
    env: { PATH: '/usr/bin:/bin' },
    cwd: dir,
    logFile,
    onLine: (line) => lines.push(line),
    onFailed: (code) => failures.push(code),
    ...options,
  })
  supervisor.start()
  try {
    await use({ supervisor, lines, failures, log: () => readFileSync(logFile, 'utf8') })
  } finally {
    await supervisor.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

const ready = `echo '{"msg":"ready"}'; exec sleep 300`

test('a program that is killed is started again, and counted', async () => {
  await withProgram(ready, async ({ supervisor, lines }) => {
    await vi.waitFor(() => expect(lines).toHaveLength(1), bound)
    const first = supervisor.pid
    supervisor.kill()
    await vi.waitFor(() => expect(lines).toHaveLength(2), bound)
    expect(supervisor.pid).not.toBe(first)
    expect(supervisor.restarts).toBe(1)
  })
})

test('a program that ends with an error before it was ready is told, not started again', async () => {
  await withProgram('echo it cannot be >&2; exit 3', async ({ supervisor, failures, log }) => {
    await vi.waitFor(() => expect(failures).toEqual([3]), bound)
    expect(supervisor.restarts).toBe(0)
    expect(supervisor.pid).toBeUndefined()
    await vi.waitFor(() => expect(log()).toContain('it cannot be'), bound)
  })
})

test('a program that is told to stop stays ended', async () => {
  await withProgram(ready, async ({ supervisor, lines, failures }) => {
    await vi.waitFor(() => expect(lines).toHaveLength(1), bound)
    await supervisor.stop()
    expect(supervisor.pid).toBeUndefined()
    expect([supervisor.restarts, failures]).toEqual([0, []])
  })
})

test('every line goes into the log, those that are JSON are told', async () => {
  await withProgram(`echo plain words; ${ready}`, async ({ lines, log }) => {
    await vi.waitFor(() => expect(lines).toEqual([{ msg: 'ready' }]), bound)
    await vi.waitFor(() => expect(log()).toBe('plain words\n{"msg":"ready"}\n'), bound)
  })
})

test('a program that does not heed its stop is killed, also when something it left behind holds its output open', async () => {
  const stubborn = `trap '' TERM; sleep 5 & echo '{"msg":"ready"}'; while :; do sleep 1; done`
  const begun = performance.now()
  await withProgram(
    stubborn,
    async ({ supervisor, lines }) => {
      await vi.waitFor(() => expect(lines).toHaveLength(1), bound)
      await supervisor.stop()
      expect(supervisor.pid).toBeUndefined()
    },
    { stopLimitMs: 200 },
  )
  expect(performance.now() - begun).toBeLessThan(4000)
})

test('a program gives back what it has freed and keeps its young heap small, unless its own setting is another', async () => {
  const shown = `echo "{\\"msg\\":\\"$MALLOC_TRIM_THRESHOLD_ $NODE_OPTIONS\\"}"; exec sleep 300`
  const first = async (env: Record<string, string>): Promise<unknown> => {
    let msg: unknown
    await withProgram(
      shown,
      async ({ lines }) => {
        await vi.waitFor(() => expect(lines).toHaveLength(1), bound)
        msg = lines[0]?.['msg']
      },
      { env: { PATH: '/usr/bin:/bin', ...env } },
    )
    return msg
  }
  expect(await first({})).toBe('131072 --max-semi-space-size=16')
  expect(await first({ MALLOC_TRIM_THRESHOLD_: '1', NODE_OPTIONS: '--inspect' })).toBe('1 --inspect')
})
