import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { identify, isAlive } from '../../../edges/local/processes.ts'
import { programDir } from '../../program.ts'

/** Ten times what it takes on a busy machine. */
const limitMs = 20_000

/** Starts a server that would outlive it, has a guard stop it, and then does `last`. */
const program = (last: string): string => `
  import { spawn } from 'node:child_process'
  import { startGuard } from ${JSON.stringify(join(programDir, 'cli', 'local', 'processes', 'guard.ts'))}
  const server = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  server.unref()
  const guard = await startGuard('guard.log')
  const first = await guard.add(['sh', '-c', 'echo first >> order'])
  const takeBack = await guard.add(['sh', '-c', 'echo second >> order; kill -9 ' + server.pid])
  const late = await guard.add(['sh', '-c', 'echo late >> order'])
  await late()
  console.log(server.pid)
  ${last}`

function start(last: string): { readonly folder: string; readonly child: ChildProcess; server(): Promise<number> } {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(last)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { folder, child, server: async () => Number(String((await once(child.stdout!, 'data'))[0])) }
}

const orderIn = (folder: string): string => readFileSync(join(folder, 'order'), 'utf8')

test(
  'what a process left running when it was killed is stopped, the last one first',
  { timeout: limitMs * 2 },
  async () => {
    const { folder, child, server } = start('setInterval(() => undefined, 1000)')
    const left = identify(await server())!
    expect(isAlive(left)).toBe(true)
    child.kill('SIGKILL')
    await vi.waitFor(() => expect([isAlive(left), orderIn(folder)]).toEqual([false, 'second\nfirst\n']), limitMs)
    await vi.waitFor(() => expect(readFileSync(join(folder, 'guard.log'), 'utf8')).toContain('first >> order: done'))
  },
)

test('what a process stopped itself is not stopped again', { timeout: limitMs * 2 }, async () => {
  const { folder, child, server } = start('await takeBack(); await first(); server.kill(); await guard.close()')
  const left = identify(await server())
  expect(await once(child, 'exit')).toEqual([0, null])
  expect([left === undefined || !isAlive(left), existsSync(join(folder, 'order'))]).toEqual([true, false])
})
