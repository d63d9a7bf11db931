import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { StackSight, StackWanted } from '../../machines/memory-stack/events.ts'
import { systemClock } from '../../runtime/clock.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { freePort } from '../../testing/free-port.ts'
import { testInside } from '../../testing/inside.ts'
import type { MemoryStacks } from '../ports/memory-stacks.ts'
import { MemoryFolder, memoryFolders, runningMemories, type MemoryRecord } from './memory/folder.ts'
import { localMemoryStacks, type LocalMemoryStacksOptions } from './memory-stacks.ts'
import { familyOf, isAlive, signal, type ProcessIdentity } from './processes.ts'
import { withChild, withFolder } from './testing/fixture.ts'

const bound = { timeout: 20_000, interval: 50 }
const wanted: StackWanted = {
  profile: 'light',
  pgInstances: 1,
  pgStorage: '10Gi',
  pgWalStorage: '8Gi',
  neo4jStorage: '10Gi',
  fills: true,
}
const [first, second] = ['default/demo', 'default/shop'] as const
const goesOn = new AbortController().signal

/** A service in the small: it notes its start, says of itself what a file says, and stops on SIGTERM unless a file is there. */
const service = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
const file = (name) => process.env.STATE_DIR + '/' + name
appendFileSync(file('starts'), process.pid + '\\n')
writeFileSync(file('env'), JSON.stringify(process.env))
if (existsSync(file('refusal'))) { console.error(readFileSync(file('refusal'), 'utf8')); process.exit(3) }
process.on('SIGTERM', () => { appendFileSync(file('stops'), 'asked\\n'); if (!existsSync(file('stubborn'))) process.exit(0) })
require('node:http').createServer((_, response) => {
  const [status, body] = existsSync(file('answer')) ? JSON.parse(readFileSync(file('answer'), 'utf8')) : [200, { status: 'ready' }]
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}).listen(Number(process.env.HTTP_ADDR.split(':')[1]), '127.0.0.1')`

interface Machine {
  readonly root: string
  /** The stacks of an orchestrator: another one is the next after a crash. */
  start(options?: Partial<LocalMemoryStacksOptions>): MemoryStacks
  folder(project?: string): MemoryFolder
  file(name: string, project?: string): string
  write(name: string, text: string, project?: string): void
}

async function withMachine(use: (machine: Machine) => Promise<void>): Promise<void> {
  await withFolder(async (dir) => {
    const root = join(dir, 'memory')
    const folder = (project: string = first): MemoryFolder => new MemoryFolder(root, project)
    try {
      await use({
        root,
        start: (options = {}) =>
          localMemoryStacks({
            root,
            command: [process.execPath, '-e', service],
            issuer: 'http://127.0.0.1:1',
            audience: 'urn:memory',
            env: {},
            databaseServer: '',
            firstPort: 0,
            fetch,
            clock: systemClock,
            random: () => randomInt(2 ** 32) / 2 ** 32,
            ...options,
          }),
        folder,
        file: (name, project) => {
          const path = join(folder(project).path, name)
          return existsSync(path) ? readFileSync(path, 'utf8') : ''
        },
        write: (name, text, project) => {
          folder(project).create()
          writeFileSync(join(folder(project).path, name), text)
        },
      })
    } finally {
      const left = runningMemories(root).flatMap(({ process }) => familyOf(process))
      for (const member of left) signal(member, 'SIGKILL')
      await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), bound)
    }
  })
}

const it = testInside(withMachine)

const look = (stacks: MemoryStacks, project: string = first): Promise<StackSight> =>
  stacks.reconcile(project, wanted, goesOn)

/** Asks until it is found so, as the platform does. */
function until(
  stacks: MemoryStacks,
  phase: StackSight['phase'],
  { project = first, words = '' }: { readonly project?: string; readonly words?: string } = {},
): Promise<StackSight> {
  return vi.waitFor(async () => {
    const sight = await look(stacks, project)
    expect(sight).toMatchObject({ phase, words: expect.stringContaining(words) })
    return sight
  }, bound)
}

function recordOf(machine: Machine, project?: string): MemoryRecord {
  const record = machine.folder(project).read()
  if (record === undefined) throw new Error('nothing is recorded')
  return record
}

function processOf(machine: Machine, project?: string): ProcessIdentity {
  const { process } = recordOf(machine, project)
  if (process === undefined) throw new Error('no process is recorded')
  return process
}

function starts(machine: Machine, project?: string): readonly string[] {
  return machine.file('starts', project).split('\n').filter(Boolean)
}

async function killed(process: ProcessIdentity): Promise<void> {
  signal(process, 'SIGKILL')
  await vi.waitFor(() => expect(isAlive(process)).toBe(false), bound)
}

it('a Project that asks for a memory gets one service, however often it is looked at, and it serves at its endpoint (PROJECT-MEMORY-1)', async (machine) => {
  const firstPort = await freePort()
  const stacks = machine.start({ firstPort })
  expect(await look(stacks)).toMatchObject({ phase: 'pending', part: 'service', words: 'it starts' })
  const endpoint = `http://127.0.0.1:${firstPort}`
  expect(await until(stacks, 'running')).toEqual({
    phase: 'running',
    part: 'service',
    words: '',
    endpoint,
    externalEndpoint: '',
  })
  expect(await look(stacks)).toMatchObject({ phase: 'running' })
  expect(starts(machine)).toEqual([String(processOf(machine).pid)])
  expect((await fetch(`${endpoint}/readyz`)).status).toBe(200)
})

it('a second Project gets a service of its own, on another port and over another folder (MEMORY-RULE-8)', async (machine) => {
  const firstPort = await freePort()
  const stacks = machine.start({ firstPort })
  await Promise.all([look(stacks, first), look(stacks, second)])
  const endpoints = [await until(stacks, 'running'), await until(stacks, 'running', { project: second })]
  expect(new Set(endpoints.map(({ endpoint }) => endpoint)).size).toBe(2)
  expect(endpoints.filter(({ endpoint }) => endpoint.endsWith(`:${firstPort}`))).toHaveLength(1)
  expect(starts(machine, second)).toEqual([String(processOf(machine, second).pid)])
  expect(machine.folder(second).path).not.toBe(machine.folder(first).path)
})

it('a name that could leave the folder is no Project', async (machine) => {
  for (const project of ['../keys', 'demo', 'default/../x', 'default/demo/1', 'a_b/c', 'default/'])
    await expect(look(machine.start(), project)).rejects.toThrow('is no <namespace>/<name>')
  expect(existsSync(machine.root)).toBe(false)
})

it('the next orchestrator goes on with the service that runs, on its port (DEPLOYMENT-7)', async (machine) => {
  const { endpoint } = await until(machine.start(), 'running')
  const running = processOf(machine)
  expect(await look(machine.start())).toMatchObject({ phase: 'running', endpoint })
  expect(processOf(machine)).toEqual(running)
  expect(starts(machine)).toHaveLength(1)
})

it('after a crash between spawn and record adopts the process that came to be (DEPLOYMENT-7)', async (machine) => {
  await until(machine.start(), 'running')
  const { process: running, ...unrecorded } = recordOf(machine)
  machine.folder().write({ ...unrecorded, isSpawning: true })
  expect(await look(machine.start())).toMatchObject({ phase: 'running' })
  expect(recordOf(machine)).toMatchObject({ isSpawning: false, process: running })
  expect(starts(machine)).toHaveLength(1)
})

it('after a crash before the process came to be starts it, and counts no end', async (machine) => {
  await until(machine.start(), 'running')
  const { process: running, ...unrecorded } = recordOf(machine)
  await killed(running!)
  machine.folder().write({ ...unrecorded, isSpawning: true })
  const stacks = machine.start()
  // Its port may be free a little later than its end is seen.
  expect((await until(stacks, 'pending', { words: 'it starts' })).words).toBe('it starts')
  await until(stacks, 'running')
  expect(starts(machine)).toHaveLength(2)
})

it('one that died while no orchestrator ran is started again on its port', async (machine) => {
  const { endpoint } = await until(machine.start(), 'running')
  await killed(processOf(machine))
  const stacks = machine.start()
  // Its port may be free a little later than its end is seen.
  await until(stacks, 'pending', { words: 'it starts; it ended: its log has no error' })
  expect(await until(stacks, 'running')).toMatchObject({ words: '', endpoint })
})

it('another process under the recorded pid is not its service: it gets no signal, and the service is started', async (machine) => {
  const stacks = machine.start()
  await until(stacks, 'running')
  await killed(processOf(machine))
  await withChild(['sleep', '300'], async ({ identity }) => {
    const earlier = { ...identity, startTime: String(Number(identity.startTime) - 1) }
    machine.folder().write({ ...recordOf(machine), process: earlier })
    expect(await stacks.end(first, goesOn)).toMatchObject({ phase: 'gone' })
    machine.folder().write({ ...recordOf(machine), process: earlier })
    await until(stacks, 'running')
    expect(isAlive(identity)).toBe(true)
  })
  expect(starts(machine)).toHaveLength(2)
})

it('one that ends at once says how often, how and why, until it serves', async (machine) => {
  machine.write('refusal', 'the embeddings have too many dimensions')
  const stacks = machine.start()
  const once = 'it ended with exit code 3: the embeddings have too many dimensions'
  await until(stacks, 'pending', { words: `it starts; ${once}` })
  await until(stacks, 'pending', { words: 'it ended 3 times, the last with exit code 3: ' })
  const before = starts(machine).length
  // What it refused is mended.
  rmSync(join(machine.folder().path, 'refusal'))
  expect(await until(stacks, 'running')).toMatchObject({ words: '' })
  expect(starts(machine).length).toBeGreaterThan(before)
  expect(recordOf(machine)).toMatchObject({ ends: 0, lastEnd: '' })
})

it('a kill is named', async (machine) => {
  const stacks = machine.start()
  await until(stacks, 'running')
  await killed(processOf(machine))
  await until(stacks, 'pending', { words: 'it starts; it ended by SIGKILL: its log has no error' })
})

it('a port that somebody else has is named with its owner, and nothing is started there', async (machine) => {
  const firstPort = await freePort()
  const holder = createServer().listen(firstPort, '127.0.0.1')
  await once(holder, 'listening')
  const stacks = machine.start({ firstPort })
  const words = expect.stringMatching(`^its port ${firstPort} is in use by .*\\(pid ${process.pid}\\)$`)
  expect(await look(stacks)).toMatchObject({ phase: 'pending', part: 'service', words })
  expect(starts(machine)).toEqual([])
  holder.close()
  await once(holder, 'close')
  expect(await until(stacks, 'running')).toMatchObject({ endpoint: `http://127.0.0.1:${firstPort}` })
})

it('says what the service says of itself: why it does not serve, and what somebody should look at', async (machine) => {
  machine.write('answer', JSON.stringify([503, { code: 'not-ready', reasons: ['starting', 'the graph is away'] }]))
  const stacks = machine.start()
  await until(stacks, 'pending', { words: 'starting, the graph is away' })
  machine.write('answer', JSON.stringify([500, 'odd']))
  await until(stacks, 'pending', { words: 'it answers 500' })
  machine.write('answer', JSON.stringify([200, { status: 'ready', degraded: ['3 memories wait'] }]))
  expect(await until(stacks, 'degraded')).toMatchObject({ part: 'service', words: '3 memories wait' })
})

it('one that does not answer in time is pending, and whoever gives up is not kept', async (machine) => {
  const clock = simulatedClock(1_000_000)
  const asked = vi.fn<typeof fetch>(
    async (_, init) =>
      new Promise((_resolve, reject) => void init?.signal?.addEventListener('abort', () => reject(new Error('gone')))),
  )
  const stacks = machine.start({ clock, fetch: asked })
  await look(stacks)
  const slow = look(stacks)
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1), bound)
  clock.advance(5_000)
  expect(await slow).toMatchObject({ phase: 'pending', words: 'it does not answer yet' })
  const given = new AbortController()
  const left = stacks.reconcile(first, wanted, given.signal)
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2), bound)
  given.abort(new Error('the orchestrator stops'))
  await expect(left).rejects.toThrow('the orchestrator stops')
})

it('the profile full runs as light on one machine (PROJECT-MEMORY-7)', async (machine) => {
  const stacks = machine.start()
  await until(stacks, 'running')
  expect(await stacks.reconcile(first, { ...wanted, profile: 'full' }, goesOn)).toMatchObject({ phase: 'running' })
  expect(starts(machine)).toHaveLength(1)
})

it('the end of one that lived is told at once, and that of one that ends as it starts is left to the looks', async (machine) => {
  let elapsed = 0
  const heard: unknown[] = []
  const stacks = machine.start({ clock: { ...systemClock, elapsed: () => elapsed } })
  stacks.watch?.((project, { phase, words }) => heard.push([project, phase, words]))
  const kill = async (): Promise<void> => {
    await until(stacks, 'running')
    const { process } = recordOf(machine)
    if (process !== undefined) signal(process, 'SIGKILL')
  }
  await kill()
  await until(stacks, 'running', { words: '' })
  expect(heard).toEqual([])
  elapsed += 30_000
  await kill()
  await vi.waitFor(() => expect(heard).toEqual([[first, 'pending', 'it ended by SIGKILL']]), bound)
})

it('one that was started with other settings stops, and starts again with those of now', async (machine) => {
  const [before, now] = [await freePort(), await freePort()]
  await until(machine.start({ firstPort: before }), 'running')
  const running = processOf(machine)
  const stacks = machine.start({ firstPort: now })
  expect(await look(stacks)).toMatchObject({ phase: 'pending', words: expect.stringContaining('it stops') })
  const endpoint = `http://127.0.0.1:${now}`
  expect(await until(stacks, 'running')).toMatchObject({ endpoint, words: '' })
  expect(isAlive(running)).toBe(false)
  expect(machine.file('stops')).toBe('asked\n')
  expect(starts(machine)).toHaveLength(2)
})

it('its end is asked for once, is over when nothing runs, and names the data that stays', async (machine) => {
  const stacks = machine.start()
  const { endpoint } = await until(stacks, 'running')
  const running = processOf(machine)
  mkdirSync(join(machine.folder().path, 'database'))
  expect(await stacks.end(first, goesOn)).toMatchObject({ phase: 'pending', words: 'it stops' })
  const words = `its data stays in ${machine.folder().path}`
  const gone = { phase: 'gone', part: 'service', words, endpoint: '', externalEndpoint: '' }
  await vi.waitFor(async () => expect(await stacks.end(first, goesOn)).toEqual(gone), bound)
  expect(isAlive(running)).toBe(false)
  expect(machine.file('stops')).toBe('asked\n')
  expect(await machine.start().end(first, goesOn)).toEqual(gone)
  expect(await until(stacks, 'running')).toMatchObject({ endpoint })
})

it('one that does not stop in time is ended by force, with what it started', async (machine) => {
  const clock = simulatedClock(1_000_000)
  machine.write('stubborn', '')
  const stacks = machine.start({ clock })
  await until(stacks, 'running')
  const running = processOf(machine)
  await stacks.end(first, goesOn)
  await vi.waitFor(() => expect(machine.file('stops')).toBe('asked\n'), bound)
  clock.advance(44_999)
  await stacks.end(first, goesOn)
  expect(isAlive(running)).toBe(true)
  clock.advance(1)
  // Another orchestrator goes on with the time that is left.
  await machine.start({ clock }).end(first, goesOn)
  await vi.waitFor(() => expect(isAlive(running)).toBe(false), bound)
  expect(machine.file('stops')).toBe('asked\n')
})

it('the end of what is not there is over, without a word and without a trace', async (machine) => {
  const gone = { phase: 'gone', part: 'service', words: '', endpoint: '', externalEndpoint: '' }
  expect(await machine.start().end(first, goesOn)).toEqual(gone)
  expect(existsSync(machine.root)).toBe(false)
  await machine
    .start({ command: ['/no/such/program'] })
    .reconcile(first, wanted, goesOn)
    .catch(() => undefined)
  expect(await machine.start().end(first, goesOn)).toEqual(gone)
})

it('one whose program cannot be started is asked for again', async (machine) => {
  await expect(look(machine.start({ command: ['/no/such/program'] }))).rejects.toThrow('ENOENT')
  await until(machine.start(), 'running')
})

it('one whose spawn was not recorded is found and ended by its end', async (machine) => {
  await until(machine.start(), 'running')
  const { process: running, ...unrecorded } = recordOf(machine)
  machine.folder().write({ ...unrecorded, isSpawning: true })
  await machine.start().end(first, goesOn)
  await vi.waitFor(() => expect(isAlive(running!)).toBe(false), bound)
})

it('a service gets its settings and no others, its secrets as files that only this user reads, and what is one Project’s only if it is the first (SECURITY-RULE-2)', async (machine) => {
  const env = {
    FORGE_TOKEN: 'of-the-forge',
    GRAPH_URL: 'bolt://neo4j:hidden@graph:7687',
    GRAPH_SPACE: 'demo',
    ENGINE_URL: 'http://lightrag:9621',
    ENGINE_API_KEY_FILE: '/keys/engine',
    EMBEDDINGS_URL: 'http://embeddings',
    STATE_DIR: '/elsewhere',
  }
  const stacks = machine.start({ env })
  await until(stacks, 'running')
  await until(stacks, 'running', { project: second })
  const [given, other] = [first, second].map(
    (project) => JSON.parse(machine.file('env', project)) as Record<string, string>,
  ) as [Record<string, string>, Record<string, string>]
  expect(given).toMatchObject({
    STATE_DIR: machine.folder().path,
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_AUDIENCE: 'urn:memory',
    GRAPH_SPACE: 'demo',
    GRAPH_URL_FILE: join(machine.folder().path, 'graph-url'),
    ENGINE_API_KEY_FILE: '/keys/engine',
    MALLOC_TRIM_THRESHOLD_: '131072',
  })
  expect(machine.file('graph-url')).toBe(env.GRAPH_URL)
  for (const name of ['graph-url', 'record.json', 'memory.log'])
    expect(statSync(join(machine.folder().path, name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(machine.folder().path).mode & 0o777).toBe(0o700)
  for (const text of [machine.file('env'), machine.file('env', second), machine.file('record.json')])
    expect(text).not.toMatch(/hidden|of-the-forge/)
  expect(other).toMatchObject({ EMBEDDINGS_URL: 'http://embeddings' })
  for (const name of ['GRAPH_SPACE', 'ENGINE_URL', 'ENGINE_API_KEY_FILE', 'DATABASE_URL_FILE'])
    expect(other).not.toHaveProperty(name)
})

it('a database that its folder was given before is its database, also where the folder lies elsewhere now', async (machine) => {
  const server = 'postgres://user:word@127.0.0.1:5432/postgres'
  machine.folder().create()
  const made = machine.folder().databaseUrl(server)
  expect(made).toMatch(/^postgres:\/\/user:word@127\.0\.0\.1:5432\/statewright_[0-9a-f]{12}$/)
  expect(machine.folder(second).databaseUrl(server)).not.toBe(made)
  machine.folder().writeSecret('DATABASE_URL', 'postgres://old:word@before:5432/statewright_0123456789ab')
  expect(machine.folder().databaseUrl(server)).toBe('postgres://user:word@127.0.0.1:5432/statewright_0123456789ab')
  expect(machine.folder().data()).toBe(
    'its data stays in the database statewright_0123456789ab of the PostgreSQL server',
  )
})

const server = process.env['DATABASE_URL'] ?? ''
test.skipIf(server === '')(
  `with PostgreSQL each Project gets a database of its own, made once${server === '' ? ' (skipped: no DATABASE_URL)' : ''}`,
  async () => {
    await withMachine(async (machine) => {
      const stacks = machine.start({ databaseServer: server })
      await until(stacks, 'running')
      await until(stacks, 'running', { project: second })
      const urls = [first, second].map((project) => machine.file('database-url', project))
      expect(new Set(urls).size).toBe(2)
      expect(statSync(join(machine.folder().path, 'database-url')).mode & 0o777).toBe(0o600)
      await killed(processOf(machine))
      await until(machine.start({ databaseServer: server }), 'running')
      expect(machine.file('database-url')).toBe(urls[0])
      expect(machine.file('env')).not.toContain(urls[0])
    })
  },
)

it('a folder that is none of ours is left alone', async (machine) => {
  mkdirSync(join(machine.root, 'else'), { recursive: true })
  appendFileSync(join(machine.root, 'note'), 'x')
  expect(memoryFolders(machine.root)).toEqual([])
  await until(machine.start(), 'running')
  expect(memoryFolders(machine.root).map(({ path }) => path)).toEqual([machine.folder().path])
})
