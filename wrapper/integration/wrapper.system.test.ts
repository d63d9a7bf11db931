import { readdirSync, readFileSync, readlinkSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifyHmac } from '../../http/auth/hmac.ts'
import { flood, openDescriptors, walk } from '../../http/testing/strangers.ts'
import type { TurnList } from '../../machines/turn/schema.ts'
import type { Move, ModelRequest } from '../selftest/model.ts'
import { toolLabel } from '../turns/tool-calls.ts'
import {
  callbackSecret,
  modelKey,
  openWorld,
  randomText,
  runGit,
  waitFor,
  type Pod,
  type PodWorld,
} from '../testing/pod.ts'
import { describeRequiring } from '../../testing/requires.ts'

/** The model of these tests does what the newest message asks for in so many words. */
function decide(request: ModelRequest): Move {
  const last = request.body.messages.filter(({ role }) => role === 'user').at(-1)
  const text = JSON.stringify(last?.content ?? '')
  if (text.includes('tool_result')) return { kind: 'say', text: 'done' }
  if (text.includes('HOLD THE STREAM')) return { kind: 'say', text: 'I begin', hold: true }
  if (text.includes('SAY NOTHING')) return { kind: 'silence' }
  const command = /RUN (\w+)/.exec(text)?.[1]
  if (command === 'edit')
    return { kind: 'call', tool: 'Bash', input: { command: 'cd lib && echo more >> README.md', description: 'edit' } }
  return { kind: 'say', text: 'understood' }
}

describeRequiring('claude', 'the wrapper on the real CLI', () => {
  let world: PodWorld
  let pod: Pod
  beforeAll(async () => {
    world = await openWorld({ decide })
    pod = await world.start({ LIFECYCLE_HOOKS: JSON.stringify(recordingHooks()) })
  }, 90_000)
  afterAll(() => world.close())
  const hooksRun = (): readonly string[] => world.inCommandHome('hooks').trim().split('\n')
  /** Resolves once the model has been asked `more` times since `before`. */
  let before = 0
  const asked = (more: number): Promise<void> =>
    waitFor(
      () => world.model.requests.length >= before + more,
      20_000,
      () => pod.log(),
    )
  beforeEach(() => {
    before = world.model.requests.length
  })

  /** A result may be read before its callback was sent: until each turn that is listed had its own. */
  const allCalledBack = async (): Promise<void> => {
    const { items } = JSON.parse((await pod.call('GET', '/v1/messages')).text) as TurnList
    const called = (turnId: string): boolean => world.callbacks.some((callback) => callback.turnId === turnId)
    await waitFor(
      () => items.every(({ turnId }) => called(turnId)),
      30_000,
      () => pod.log(),
    )
  }

  test('is ready with the contract version once the agent is, and says nothing of booting (WRAPPER-RULE-1) (TOOL-VERSION-2, VERSIONING-3, SESSION-1, SESSION-2, WRAPPER-BOOT-16)', async () => {
    expect((await pod.call('GET', '/readyz')).status).toBe(200)
    const { body } = await pod.call('GET', '/v1/session')
    expect(body).toMatchObject({
      state: 'idle',
      turnsCompleted: 0,
      contractVersion: 4,
      repo: 'lib',
      model: 'claude-sonnet-4-5',
    })
  })

  test('refuses a caller without a token (WRAPPER-API-1)', async () => {
    const response = await fetch(`${pod.url}/v1/session`)
    expect(response.status).toBe(401)
  })

  test.each([10, 5_000, 200_000])(
    'delivers a body of %i characters exactly and reports the result (MESSAGES-10, MESSAGES-11, MESSAGES-12, WRAPPER-TURN-3)',
    async (size) => {
      const text = randomText(size)
      const result = await pod.turn(text)
      expect(result).toMatchObject({
        state: 'completed',
        stopReason: 'end_turn',
        finalText: 'understood',
        pushed: [],
        failed: [],
      })
      expect(result.usage).toMatchObject({
        inputTokens: 100,
        outputTokens: 7,
        cacheReadTokens: 30,
        cacheWriteTokens: 20,
      })
      const bodies = world.model.requests
        .slice(before)
        .map((request) => JSON.stringify(request.body.messages.at(-1)?.content))
      expect(bodies.filter((body) => body.includes(JSON.stringify(text).slice(1, -1)))).toHaveLength(1)
    },
  )

  test('signs the callback of every turn (TURN-CALLBACK-6, TURN-CALLBACK-11, TURN-CALLBACK-12)', async () => {
    await waitFor(
      () => world.callbacks.length >= 3,
      10_000,
      () => pod.log(),
    )
    expect(world.callbacks[0]).toMatchObject({
      task: 'implement-lib-1-x7k2p',
      pod: 1,
      state: 'completed',
      stopReason: 'end_turn',
    })
    expect(world.callbacks[0]).not.toHaveProperty('accountUsage')
    expect(verifyHmac(callbackSecret, JSON.stringify(world.callbacks[0]), world.signatures[0])).toBe(true)
  })

  test('commits and pushes what a turn changed', async () => {
    const result = await pod.turn('please RUN edit')
    expect(result).toMatchObject({ state: 'completed', finalText: 'done', pushed: ['lib'], failed: [] })
    expect(runGit(world.origin, 'show', 'platform/implement-lib-1-x7k2p:README.md')).toContain('more')
  })

  test('each tool that the CLI declares has a label of its own in the counter of tool calls (WRAPPER-METRICS-18)', async () => {
    await pod.turn('hello')
    const declared = world.model.requests.flatMap(({ body }) => body.tools ?? []).map(({ name }) => name)
    const own = [...new Set(declared)].filter((name) => !name.startsWith('mcp__'))
    expect(own).toContain('Bash')
    expect(own.filter((name) => toolLabel(name) !== name)).toEqual([])
  })

  test('counts a turn while it runs, the tool calls of its transcript, and its one boot (WRAPPER-METRICS-4, WRAPPER-METRICS-5, WRAPPER-METRICS-6, TOOL-REPORT-7)', async () => {
    const metric = async (name: string): Promise<string | undefined> => {
      const text = await (await fetch(`${pod.url}/metrics`)).text()
      return text
        .split('\n')
        .find((line) => line.startsWith(name) && !line.startsWith('#'))
        ?.split(' ')
        .at(-1)
    }
    expect(await metric('ccw_turn_in_flight')).toBe('0')
    expect(await metric('ccw_bootstrap_duration_seconds_count')).toBe('1')
    const bash = 'ccw_tool_calls_total{tool="Bash",outcome="ok"'
    const called = Number((await metric(bash)) ?? 0)
    await pod.turn('please RUN edit')
    expect(Number((await metric(bash)) ?? 0)).toBe(called + 1)
    before = world.model.requests.length
    const { body } = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' })
    await asked(1)
    expect(await metric('ccw_turn_in_flight')).toBe('1')
    await pod.call('POST', '/v1/interrupt')
    await pod.result(body.turnId)
    expect(await metric('ccw_turn_in_flight')).toBe('0')
  })

  test('gives the same turn for the same Idempotency-Key and refuses a second message with 409 (MESSAGES-1, MESSAGES-2, MESSAGES-5, MESSAGES-9, INTERRUPT-1)', async () => {
    const headers = { 'idempotency-key': 'turn:default/t/1/9' }
    const first = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' }, headers)
    expect(first.status).toBe(202)
    const again = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' }, headers)
    expect(again).toMatchObject({ status: 202, body: { turnId: first.body.turnId } })
    const other = await pod.call('POST', '/v1/messages', { text: 'another' })
    expect(other).toMatchObject({ status: 409, body: { code: 'turn-in-flight', turn: { turnId: first.body.turnId } } })
    await asked(1)
    expect((await pod.call('POST', '/v1/interrupt')).status).toBe(202)
    const result = await pod.result(first.body.turnId)
    expect(result).toMatchObject({
      state: 'failed',
      stopReason: 'interrupted',
      idempotencyKey: headers['idempotency-key'],
    })
  })

  test('resolves an interrupt before the first token and takes the next turn (INTERRUPT-3)', async () => {
    const { body } = await pod.call('POST', '/v1/messages', { text: 'SAY NOTHING' })
    await asked(1)
    await pod.call('POST', '/v1/interrupt')
    expect(await pod.result(body.turnId)).toMatchObject({ state: 'failed', stopReason: 'interrupted' })
    expect(await pod.turn('and now?')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })

  test('repeats a callback until it is acknowledged, and tells the result to whoever asks meanwhile (TURN-CALLBACK-7)', async () => {
    await pod.turn('somebody listens')
    await allCalledBack()
    const taken = world.callbacks.length
    world.refuseCallbacks(2)
    const result = await pod.turn('nobody listens')
    expect(result).toMatchObject({ state: 'completed', finalText: 'understood' })
    await allCalledBack()
    expect(world.callbacks.slice(taken).map(({ turnId }) => turnId)).toEqual([result.turnId])
    expect(pod.log().split('the orchestrator did not acknowledge a callback')).toHaveLength(3)
  })

  test.each<[string, object, number, string]>([
    ['an address of this host for its callback', { text: 'x', callbackUrl: 'http://127.0.0.1/' }, 400, 'invalid-input'],
    ['nothing to read', { text: '\u200b\n' }, 400, 'invalid-input'],
    ['a member that nobody knows', { text: 'x', interject: true }, 400, 'invalid-input'],
  ])(
    'refuses a message with %s before it becomes a turn (MESSAGES-6, TURN-CALLBACK-2)',
    async (_what, body, status, code) => {
      const turns = (await pod.call('GET', '/v1/messages')).text
      expect(await pod.call('POST', '/v1/messages', body)).toMatchObject({ status, body: { code } })
      expect((await pod.call('GET', '/v1/messages')).text).toBe(turns)
    },
  )

  test('lists its turns, newest first, by pages, and knows no other (WRAPPER-API-4, WRAPPER-API-5, MESSAGES-8)', async () => {
    const first = JSON.parse((await pod.call('GET', '/v1/messages?limit=2')).text) as TurnList
    expect(first.items.map(({ state }) => state)).toEqual(['completed', 'completed'])
    const next = await pod.call('GET', `/v1/messages?limit=2&cursor=${encodeURIComponent(first.nextCursor!)}`)
    const ids = [...first.items, ...(JSON.parse(next.text) as TurnList).items].map(({ turnId }) => turnId)
    const numbers = ids.map((id) => Number(id.split('-')[1]))
    expect(numbers).toEqual([0, 1, 2, 3].map((nth) => numbers[0]! - nth))
    expect((await pod.call('GET', '/v1/messages/1-99-none')).status).toBe(404)
    expect((await pod.call('POST', '/v1/interject', {})).status).toBe(404)
  })

  test('streams a transcript of any length without holding it (TRANSCRIPT-1)', async () => {
    const { text } = await pod.call('GET', '/v1/transcript')
    expect(text.split('\n').filter((line) => line.includes('"type":"assistant"')).length).toBeGreaterThan(3)
    const path = transcriptOf(world.home)
    const own = statSync(path).size
    const before = residentMegabytes(pod)
    truncateSync(path, transcriptBytes)
    try {
      let bytes = 0
      for await (const chunk of await pod.stream('/v1/transcript')) bytes += chunk.length
      expect(bytes).toBe(transcriptBytes)
      expect(residentMegabytes(pod) - before).toBeLessThan(150)
    } finally {
      truncateSync(path, own)
    }
  })

  test('strangers at its listeners and sockets end nothing, stay nowhere, and the next turn is as before (HTTP-RULE-7)', async () => {
    const pid = pod.process.pid ?? 0
    const places = [...portsOf(pid).map((port) => ({ host: '127.0.0.1', port })), ...socketsOf(pid)]
    expect(places.length).toBeGreaterThan(3)
    const descriptors = openDescriptors(pid)
    const inner: string[] = []
    for (const place of places) {
      // Tools and hooks speak lines, and owe no answer.
      for (const { asked, answer } of await walk(place, 'path' in place ? 50 : undefined))
        if (answer.startsWith('HTTP/1.1 5')) inner.push(asked)
      await flood(place, 200)
    }
    expect(inner).toEqual([])
    await expect.poll(() => openDescriptors(pid), { timeout: 20_000 }).toBeLessThanOrEqual(descriptors + 10)
    expect(await pod.turn('hello')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })

  test('ends gracefully on DELETE: interrupts, pushes, calls back, exits 0 (SESSION-6, WRAPPER-STOP-3)', async () => {
    const { body } = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' })
    await asked(1)
    expect((await pod.call('DELETE', '/v1/session')).status).toBe(202)
    expect(await pod.exit).toBe(0)
    expect(world.callbacks.at(-1)).toMatchObject({ turnId: body.turnId, state: 'failed', stopReason: 'shutdown' })
  })

  test('handed over at its stop what its agent said and did, without the model’s key (TRANSCRIPT-3, TRANSCRIPT-5)', () => {
    expect(world.transcripts).toMatchObject([{ task: 'implement-lib-1-x7k2p', pod: 1 }])
    const [{ lines = [] } = {}] = world.transcripts
    expect(lines.filter((line) => line.endsWith(' agent: understood')).length).toBeGreaterThan(0)
    expect(lines.filter((line) => / call: \w+ \{/.test(line)).length).toBeGreaterThan(0)
    expect(lines.join('\n')).not.toContain(modelKey)
  })

  test('ran the lifecycle hooks in their order, that of a finished turn after its work was pushed (POD-ENV-9, POD-ENV-12, HOOKS-5, HOOKS-7, HOOKS-8, HOOKS-9)', async () => {
    const ran = hooksRun()
    expect(ran.slice(0, 3)).toEqual([
      `preClone ${world.origin}`,
      `postClone ${join(world.workspace, 'lib')}`,
      'conversationStart implement-lib-1-x7k2p demo',
    ])
    const finished = ran.filter((line) => line.startsWith('agentTurnFinished'))
    expect(finished.indexOf('agentTurnFinished pushed')).toBe(3)
    expect(finished.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => 'agentTurnFinished nothing'))
    expect(ran.at(-1)).toBe('conversationFinished implement-lib-1-x7k2p')
  })

  test('a pod that starts again on the same volume restarts the conversation and clones nothing (HOOKS-6, HOOKS-10)', async () => {
    const before = hooksRun().length
    pod = await world.start({ LIFECYCLE_HOOKS: JSON.stringify(recordingHooks()) })
    await waitFor(
      () => hooksRun().length > before,
      30_000,
      () => pod.log(),
    )
    expect(hooksRun().slice(before)).toEqual(['conversationRestart implement-lib-1-x7k2p'])
  }, 60_000)
})

/** Held, it would show in the memory of the process. */
const transcriptBytes = 256 * 2 ** 20

/** Each hook writes its name, its argument or its environment, and whether the remote has the work yet. */
function recordingHooks(): Record<string, string> {
  const note = (text: string): string => `echo "${text}" >> ~/hooks`
  const isPushed = 'git -C lib rev-parse --quiet --verify origin/platform/implement-lib-1-x7k2p > /dev/null'
  return {
    preClone: note('preClone $1'),
    postClone: note('postClone $1'),
    conversationStart: note('conversationStart $PLATFORM_TASK $PLATFORM_PROJECT'),
    conversationRestart: note('conversationRestart $PLATFORM_TASK'),
    agentTurnFinished: `if ${isPushed}; then ${note('agentTurnFinished pushed')}; else ${note('agentTurnFinished nothing')}; fi`,
    conversationFinished: note('conversationFinished $PLATFORM_TASK'),
  }
}

function transcriptOf(home: string): string {
  const projects = join(home, '.claude', 'projects')
  const found = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
  expect(found).toHaveLength(1)
  return join(projects, found[0]!)
}

function residentMegabytes({ process }: Pod): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

/** Inodes of the sockets that a process has open. */
function inodesOf(pid: number): ReadonlySet<string> {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  return new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''))
}

/** TCP ports that it listens on. */
function portsOf(pid: number): readonly number[] {
  const open = inodesOf(pid)
  return rowsOf(`/proc/${pid}/net/tcp`).flatMap(([, local = '', , state, , , , , , inode = '']) =>
    state === '0A' && open.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [],
  )
}

/** Unix sockets that it listens on. */
function socketsOf(pid: number): readonly { readonly path: string }[] {
  const open = inodesOf(pid)
  return rowsOf(`/proc/${pid}/net/unix`).flatMap(([, , , flags, , , inode = '', path]) =>
    path?.startsWith('/') && flags === '00010000' && open.has(inode) ? [{ path }] : [],
  )
}

function rowsOf(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => line.trim().split(/\s+/))
}
