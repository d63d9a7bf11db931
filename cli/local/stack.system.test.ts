import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { findByVariable } from '../../edges/local/processes.ts'
import { flood, openDescriptors, walk } from '../../http/testing/strangers.ts'
import { defaultScenarioFile, loadScenario } from '../../standins/scenarios/load.ts'
import { programDir } from '../program.ts'
import { freePort } from './processes/ports.ts'
import { isFree } from '../../edges/local/memory/ports.ts'
import { startStack } from './stack.ts'

/** Ends by itself, in less time than a command that failed is given before it is ended. */
const endMs = 9_000

interface Ended {
  readonly code: unknown
  readonly said: string
}

const demo = (...args: readonly string[]): Promise<Ended> => command('demo', ...args)

async function command(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(programDir, 'bin', 'statewright.mjs'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const failed = Promise.withResolvers<number>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (text.includes('statewright:')) failed.resolve(performance.now())
  })
  const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as [number | null]
  expect(performance.now() - (await failed.promise)).toBeLessThan(endMs)
  return { code, said }
}

/** Of both tests that start everything: new stores take ten seconds. */
const stateDir = realpathSync(mkdtempSync(join(tmpdir(), 'stack-')))
afterAll(() => rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 }))

const memoryFolder = 'state/memory/default_demo'

/** Three in a row. */
async function freePorts(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if ((await isFree(port + 1)) && (await isFree(port + 2))) return port
  }
}

/** Where a process listens, as `host:port`; of IPv6 the host is as proc(5) writes it. */
function listenersOf(pid: number): readonly string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        // Closed meanwhile, as the one that lists this folder.
        return []
      }
    }),
  )
  const found = ['tcp', 'tcp6'].flatMap((table) => {
    const [, ...lines] = readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n')
    return lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      const [host = '', port = ''] = local.split(':')
      const isListening = state === '0A' && sockets.has(`socket:[${inode}]`)
      return isListening ? [`${host === '0100007F' ? '127.0.0.1' : host}:${Number.parseInt(port, 16)}`] : []
    })
  })
  return found.toSorted()
}

/** Odd requests, and so many connections: afterwards as many descriptors, and answers that take no ten times as long. */
async function meetStrangers(pid: number, port: number, connections: number): Promise<void> {
  const place = { host: '127.0.0.1', port }
  const [idle, descriptors] = [await answerMs(port), openDescriptors(pid)]
  const heard = await walk(place)
  await flood(place, connections)
  expect(heard.filter(({ answer }) => answer.startsWith('HTTP/1.1 5'))).toEqual([])
  await expect.poll(() => openDescriptors(pid), { timeout: 20_000 }).toBeLessThanOrEqual(descriptors + 10)
  await expect.poll(() => answerMs(port), { timeout: 20_000 }).toBeLessThan(10 * idle)
}

/** The middle of nine. */
async function answerMs(port: number): Promise<number> {
  const taken: number[] = []
  for (let asked = 0; asked < 9; asked += 1) {
    const before = performance.now()
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toMatchObject({})
    taken.push(performance.now() - before)
  }
  return taken.toSorted((a, b) => a - b)[4]!
}

function aFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'stack-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

test('a repository that is not there is named before anything is opened or written, and the command ends', async () => {
  const dir = join(aFolder(), 'state')
  const { code, said } = await demo('--dir', dir, '--repo', '/not/there')
  expect(code).toBe(1)
  expect(said).toContain('there is no folder /not/there: give a git repository with --repo PATH')
  expect(existsSync(dir)).toBe(false)
}, 90_000)

test('of a start that fails behind its forge, the forge is closed and the command ends', async () => {
  const dir = aFolder()
  mkdirSync(join(dir, 'identity-key.json'))
  const { code, said } = await demo('--dir', dir)
  expect(code).toBe(1)
  expect(said).toContain('EISDIR')
}, 90_000)

test('everything listens on 127.0.0.1 only, the orchestrator on the port and the second behind it, memory between them, and no stranger ends it or slows it down (LISTENERS-7, HTTP-RULE-7)', async () => {
  const dir = stateDir
  const port = await freePorts()
  const before = new Set(listenersOf(process.pid))
  const stack = await startStack({
    dir,
    scenario: await loadScenario(defaultScenarioFile),
    port,
    model: { provider: 'scripted' },
    unsafeNoIsolation: false,
    memory: true,
    onLine: () => undefined,
  })
  try {
    const [orchestrator, memory] = ['state', memoryFolder].map((name) => findByVariable('STATE_DIR', join(dir, name)))
    expect(listenersOf(orchestrator!.pid)).toEqual([`127.0.0.1:${port}`, `127.0.0.1:${port + 2}`])
    expect(listenersOf(memory!.pid)).toEqual([`127.0.0.1:${port + 1}`])
    const { forge, identity, model } = stack.endpoints
    const rest = [forge, identity, model].map((url) => new URL(url).host).toSorted()
    expect(listenersOf(process.pid).filter((one) => !before.has(one))).toEqual(rest)
    await meetStrangers(orchestrator!.pid, port, 2000)
    await meetStrangers(orchestrator!.pid, port + 2, 200)
    await meetStrangers(memory!.pid, port + 1, 200)
  } finally {
    await stack.stop()
  }
}, 180_000)

test('without --port the orchestrator of `up` has 8080 (LISTENERS-7)', async () => {
  const holder = createServer().listen(8080, '127.0.0.1')
  // Somebody else may have it.
  await Promise.race([once(holder, 'listening'), once(holder, 'error')]).catch(() => undefined)
  onTestFinished(() => void holder.close())
  const dir = join(aFolder(), 'state')
  const { code, said } = await command('up', '--dir', dir)
  expect(code).toBe(1)
  expect(said).toContain('port 8080 is in use by')
}, 90_000)

test('of a start that fails after its programs run, nothing is left running', async () => {
  const dir = stateDir
  const log = join(dir, 'orchestrator.log')
  const logged = existsSync(log) ? statSync(log).size : 0
  // What cannot be written, as on a disk that filled up meanwhile.
  mkdirSync(join(dir, 'endpoints.json.new'))
  const started = startStack({
    dir,
    scenario: await loadScenario(defaultScenarioFile),
    port: 0,
    model: { provider: 'scripted' },
    unsafeNoIsolation: false,
    memory: true,
    onLine: () => undefined,
  })
  await expect(started).rejects.toThrow('EISDIR')
  expect(readFileSync(log).subarray(logged).toString()).toContain('"msg":"ready"')
  expect(readFileSync(join(dir, memoryFolder, 'memory.log'), 'utf8')).toContain('"msg":"ready"')
  for (const folder of ['state', memoryFolder])
    expect(findByVariable('STATE_DIR', join(dir, folder)), folder).toBeUndefined()
}, 120_000)
