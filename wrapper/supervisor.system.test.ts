import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { captureLog } from '../http/testing/fixture.ts'
import type { Fetch } from '../http/ports.ts'
import type { Session } from '../machines/turn/schema.ts'
import { Attestor } from './attestation/attestor.ts'
import { podStartFile } from './boot/pod-start.ts'
import { runWrapper } from './supervisor.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'
import { leapingClock } from './testing/leaping-clock.ts'
import { plainTools } from './testing/plain-tools.ts'
import { openWorld, runGit, waitFor, type Call, type PodWorld } from './testing/pod.ts'

const stub = join(import.meta.dirname, '..', 'standins', 'stub-cli', 'claude')
const limitMs = 30_000

/** The wrapper in this process, on the stub CLI: the test moves its clock, paints its screen and answers its callbacks. */
class Fixture {
  readonly world: PodWorld
  readonly clock = leapingClock()
  readonly log = captureLog()
  /** What was typed into the terminal. */
  readonly typed: string[] = []
  /** While it holds, the CLI's output never rests: no boot comes to its end. */
  isPainting = false
  /** How often the wrapper asked when the CLI last wrote, after the boot's floor. */
  looks = 0
  answerCallback: () => Promise<number> = async () => 200
  terminal: Terminal | undefined
  onOpen: () => void = () => undefined
  exit: Promise<number> = Promise.resolve(0)
  #stop = new AbortController()

  constructor(world: PodWorld) {
    this.world = world
    mkdirSync(world.home, { recursive: true })
  }

  faults(faults: object): void {
    writeFileSync(join(this.world.home, '.stub-cli.json'), JSON.stringify(faults))
  }

  start(extra: Readonly<Record<string, string>> = {}): void {
    this.#stop = new AbortController()
    rmSync(this.#endpoint, { force: true })
    this.terminal = undefined
    let count = 0
    this.exit = runWrapper({
      env: this.world.environment({ AGENT_SECLUSION: 'none', BOOT_TIMEOUT_SECONDS: '600', ...extra }),
      clock: this.clock,
      ids: { next: () => crypto.randomUUID() },
      entropy: { hex: (bytes) => (++count).toString(16).padStart(2 * bytes, '0'), uuid: () => crypto.randomUUID() },
      fetch: this.#fetch,
      logger: this.log.logger,
      openTerminal: (options) => {
        this.onOpen()
        const terminal = openTerminal(options)
        this.terminal = {
          ...terminal,
          write: (bytes) => (this.typed.push(bytes), terminal.write(bytes)),
          lastOutputAt: () => ((this.looks += 1), this.isPainting ? this.clock.now() : terminal.lastOutputAt()),
        }
        return this.terminal
      },
      createToolsServer: plainTools,
      attestor: new Attestor(),
      version: '0',
      node: process.execPath,
      isRoot: process.getuid?.() === 0,
      stopSignal: this.#stop.signal,
    })
  }

  /** The wrapper's address, once it serves. */
  async serves(): Promise<Call> {
    await this.drawn()
    await waitFor(() => (this.clock.leap(500), this.isServing()), limitMs, this.complaint)
    return this.world.callerOf((JSON.parse(readFileSync(this.#endpoint, 'utf8')) as { url: string }).url)
  }

  /** The CLI has drawn its prompt, or the one that a dialog preselects. */
  async drawn(): Promise<void> {
    await waitFor(() => this.terminal?.tail().includes('\u276f') ?? false, limitMs, this.complaint)
  }

  /** Ends by itself or by a failure, while its clock runs four times as fast: its git has a deadline too. */
  async ended(): Promise<number> {
    let code: number | undefined
    void this.exit.then((given) => (code = given))
    await waitFor(() => (this.clock.leap(75), code !== undefined), limitMs, this.complaint)
    return code!
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.isPainting = false
    this.answerCallback = async () => 200
    await this.ended()
  }

  async close(): Promise<void> {
    await this.stop()
    await this.world.close()
  }

  /** As the volume remembers it. */
  startedAt(): number {
    return (JSON.parse(readFileSync(podStartFile(this.world.stateDir), 'utf8')) as { startedAt: number }).startedAt
  }

  isServing(): boolean {
    return existsSync(this.#endpoint)
  }

  /** What a boot has made so far. */
  made(): readonly string[] {
    const { home, workspace } = this.world
    const isMade: Readonly<Record<string, boolean>> = {
      clone: existsSync(join(workspace, 'lib', '.git')),
      'agent files': existsSync(join(home, '.claude', 'settings.json')),
      skills: existsSync(join(home, '.claude', 'skills', 'heron', 'SKILL.md')),
      agent: this.terminal !== undefined,
      servers: this.isServing(),
    }
    return Object.keys(isMade).filter((what) => isMade[what])
  }

  readonly #fetch: Fetch = async (url, init) => {
    if (!String(url).endsWith('/internal/turn-complete')) return fetch(url, init)
    return new Response(null, { status: await this.answerCallback() })
  }

  get #endpoint(): string {
    return join(this.world.stateDir, 'endpoint.json')
  }

  readonly complaint = (): string =>
    this.log
      .lines()
      .map((line) => JSON.stringify(line))
      .join('\n')
}

async function aFixture(): Promise<Fixture> {
  return new Fixture(await openWorld({ decide: () => ({ kind: 'say', text: 'understood' }), cli: [stub] }))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function aSkillsRepository(dir: string): string {
  const source = join(dir, 'skills-repository')
  mkdirSync(join(source, 'skills', 'heron'), { recursive: true })
  writeFileSync(join(source, 'skills', 'heron', 'SKILL.md'), 'how to wade')
  runGit(source, 'init', '--quiet', '--initial-branch=main')
  runGit(source, 'add', '--all')
  runGit(source, 'commit', '--quiet', '-m', 'skills')
  return source
}

describe('a boot', () => {
  const everything = ['clone', 'agent files', 'skills', 'agent', 'servers']
  const nowhere = '/nowhere/lib.git'
  const withoutClone = { REPOS: JSON.stringify([{ name: 'lib', url: nowhere, base: 'main' }]) }
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await aFixture()
  })
  afterEach(() => fixture.close())

  test.each<[string, Readonly<Record<string, string>>, object, number]>([
    ['configuration', { EFFORT: 'huge' }, {}, 0],
    ['clone', withoutClone, {}, 0],
    ['skills', { SKILLS_REPO_URL: nowhere }, {}, 2],
    ['agent', {}, { exitAtBoot: 3 }, 4],
  ])(
    'that fails at its %s has done what comes before it, and nothing after it (WRAPPER-BOOT-1)',
    async (_step, env, faults, done) => {
      fixture.faults(faults)
      fixture.start({ SKILLS_REPO_URL: aSkillsRepository(fixture.world.dir), ...env })
      expect(await fixture.ended()).toBe(1)
      expect(fixture.made()).toEqual(everything.slice(0, done))
    },
  )

  test('that clones from a server without an answer ends after the time of its setting, and says so (WRAPPER-BOOT-17)', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/lib.git`
    const repositories = JSON.stringify([{ name: 'lib', url, base: 'main' }])
    try {
      fixture.start({ REPOS: repositories, GIT_LONGEST_RUN_SECONDS: '2' })
      expect(await fixture.ended()).toBe(1)
      expect(fixture.complaint()).toContain('ended by SIGKILL (limit 2000 ms)')
    } finally {
      silent.close()
    }
  })

  test('serves nothing before its agent is quiet, not even /readyz (WRAPPER-BOOT-1, WRAPPER-BOOT-14, WRAPPER-API-3)', async () => {
    fixture.isPainting = true
    const address = `127.0.0.1:${await freePort()}`
    let before: readonly string[] = []
    fixture.onOpen = () => void (before = fixture.made())
    fixture.start({ HTTP_ADDR: address, SKILLS_REPO_URL: aSkillsRepository(fixture.world.dir) })
    await fixture.drawn()
    expect(before).toEqual(everything.slice(0, 3))
    const looks = fixture.looks
    await waitFor(() => (fixture.clock.leap(10_000), fixture.looks > looks + 5), limitMs, fixture.complaint)
    await expect(fetch(`http://${address}/readyz`)).rejects.toThrow('fetch failed')
    expect(fixture.made()).toEqual(everything.slice(0, 4))
    fixture.isPainting = false
    await fixture.serves()
    expect((await fetch(`http://${address}/readyz`)).status).toBe(200)
    expect(fixture.made()).toEqual(everything)
  })

  test('warns of a profile that is empty or that nobody knows, and of no other (GATING-6)', async () => {
    const warned = async (profile: string): Promise<readonly unknown[]> => {
      const before = fixture.log.lines().length
      fixture.start({ PLATFORM_TOOL_PROFILE: profile, ...withoutClone })
      await fixture.ended()
      const lines = fixture.log.lines().slice(before)
      const warnings = lines.filter((line) => String(line['msg']).includes('tool profile'))
      return warnings.map((line) => [line['level'], line['profile']])
    }
    expect(await warned('clarify')).toEqual([[40, 'clarify']])
    expect(await warned('')).toEqual([[40, '']])
    expect(await warned('implement')).toEqual([])
  })

  test('accepts the bypass warning that it sees, by one down and one Enter (WRAPPER-BOOT-11)', async () => {
    fixture.faults({ dialog: 'bypass' })
    fixture.start()
    await fixture.serves()
    expect(fixture.typed).toEqual(['\u001b[B', '\r'])
  })

  test.each(['trust', 'unknown'])(
    'that meets a dialog of kind %s fails, and answers nothing (WRAPPER-BOOT-12)',
    async (dialog) => {
      fixture.faults({ dialog })
      fixture.start({ BOOT_TIMEOUT_SECONDS: '8' })
      await fixture.drawn()
      expect(await fixture.ended()).toBe(1)
      expect([fixture.typed, fixture.isServing()]).toEqual([[], false])
    },
  )
})

describe('one pod, from its boot to its second start', () => {
  let fixture: Fixture
  let call: Call
  beforeAll(async () => {
    fixture = await aFixture()
    const configuration = join(fixture.world.dir, 'configuration')
    for (const [name, text] of fragments) {
      mkdirSync(join(configuration, 'mcp.d'), { recursive: true })
      writeFileSync(join(configuration, 'mcp.d', name), text)
    }
    fixture.start({ CONFIG_DIR: configuration })
    call = await fixture.serves()
  })
  afterAll(() => fixture.close())
  const read = async <Answer>(path: string): Promise<Answer> => JSON.parse((await call('GET', path)).text) as Answer
  const state = async (turnId: string): Promise<string> =>
    (await read<{ readonly state: string }>(`/v1/messages/${turnId}`)).state
  const session = (): Promise<Session> => read('/v1/session')

  const servers = (url: string, ...names: string[]): string =>
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { type: 'http', url }])) })
  const fragments = [
    ['20-more.json', servers('http://twenty', 'wiki', 'board')],
    ['10-base.json', servers('http://ten', 'wiki', 'search')],
    ['15-broken.json', '{'],
    ['30-other.txt', servers('http://thirty', 'wiki')],
  ] as const

  test('merges the fragments of the mounted configuration in the order of their names (WRAPPER-MCP-2)', async () => {
    const written = JSON.parse(readFileSync(join(fixture.world.workspace, '.mcp.json'), 'utf8')) as {
      readonly mcpServers: Readonly<Record<string, { readonly url?: string }>>
    }
    const urls = Object.entries(written.mcpServers).map(([name, { url }]) => [name, url])
    expect(urls.filter(([, url]) => url !== undefined)).toEqual([
      ['wiki', 'http://twenty'],
      ['search', 'http://ten'],
      ['board', 'http://twenty'],
    ])
  })

  test('types nothing where the CLI shows no dialog (WRAPPER-BOOT-11)', () => {
    expect(fixture.typed).toEqual([])
  })

  test('has an empty transcript before its first turn (TRANSCRIPT-2)', async () => {
    expect(await call('GET', '/v1/transcript')).toMatchObject({ status: 200, text: '' })
  })

  test('tells the result of a turn before, during and after its callback (TURN-CALLBACK-9)', async () => {
    const told: [string, string][] = []
    const turnId = Promise.withResolvers<string>()
    const tell = async (when: string): Promise<void> => void told.push([when, await state(await turnId.promise)])
    const answers = [503, 200]
    const looked = Promise.withResolvers<void>()
    let tries = 0
    fixture.answerCallback = async () => {
      tries += 1
      // However soon the second one comes, the test looks before it.
      if (tries === 2) await looked.promise
      await tell('during a try')
      return answers.shift()!
    }
    turnId.resolve((await call('POST', '/v1/messages', { text: 'hello' })).body.turnId)
    await waitFor(() => answers.length === 1, limitMs, fixture.complaint)
    await tell('between two tries')
    looked.resolve()
    const nextTry = (): void => (tries < 2 ? fixture.clock.leap(1000) : undefined)
    await waitFor(() => (nextTry(), answers.length === 0), limitMs, fixture.complaint)
    await tell('after the last')
    expect(told).toEqual([
      ['during a try', 'completed'],
      ['between two tries', 'completed'],
      ['during a try', 'completed'],
      ['after the last', 'completed'],
    ])
    expect((await call('GET', '/v1/transcript')).text).toContain('"type":"assistant"')
  })

  test('answers 503 to a new message while it stops, and the same turn to one that it knows (MESSAGES-13)', async () => {
    const callback = Promise.withResolvers<number>()
    fixture.answerCallback = () => callback.promise
    const key = { 'idempotency-key': 'turn:1' }
    const { body } = await call('POST', '/v1/messages', { text: 'hello' }, key)
    await waitFor(async () => (await state(body.turnId)) !== 'running', limitMs, fixture.complaint)
    expect((await call('DELETE', '/v1/session')).status).toBe(202)
    await waitFor(async () => (await session()).state === 'stopping', limitMs, fixture.complaint)
    const refused = { status: 503, body: { code: 'not-ready' } }
    expect(await call('POST', '/v1/messages', { text: 'more' })).toMatchObject(refused)
    expect(await call('POST', '/v1/messages', { text: 'hello' }, key)).toMatchObject({ status: 202, body })
    callback.resolve(200)
    expect(await fixture.ended()).toBe(0)
  })

  test('gets no new hour when it starts again (WRAPPER-STOP-1)', async () => {
    const first = fixture.startedAt()
    await fixture.stop()
    fixture.clock.leap(first + 3_500_000 - fixture.clock.now())
    fixture.start()
    call = await fixture.serves()
    expect((await session()).startedAt).toBe(new Date(first).toISOString())
    fixture.clock.leap(200_000)
    const refused = { status: 410, body: { code: 'ttl-passed' } }
    expect(await call('POST', '/v1/messages', { text: 'more' })).toMatchObject(refused)
  })
})
