import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxDepth } from '../attestation/canonical.ts'
import type { ModelRequest, Move } from '../selftest/model.ts'
import { startGateway, type TestGateway } from '../testing/gateway.ts'
import { plainClient } from '../testing/plain-client.ts'
import { linkOf, openWorld, runGit, socketFolderOf, waitFor, type Pod, type PodWorld } from '../testing/pod.ts'
import { describeRequiring } from '../../testing/requires.ts'

const token = 'pod-token-canary-4711'
const task = 'implement-lib-1-x7k2p'
const approve = { kind: 'review', payload: { verdict: 'approve' } }

/** Plays `CALL <tool> <json> END` of the newest turn once; then speaks, and where it is told to `HOLD` goes on doing so. */
function decide(request: ModelRequest): Move {
  const all = JSON.stringify(request.body.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
  const last = all.slice(Math.max(all.lastIndexOf('[turn '), all.lastIndexOf('tool_result'), 0))
  const said = JSON.stringify(request.body.messages)
  const isHeld = said.lastIndexOf('HOLD') > said.lastIndexOf('[turn ')
  const call = last.includes('tool_result') ? null : /CALL (\w+) (\{.*?\}) END/.exec(last.replaceAll('\\"', '"'))
  if (call) return { kind: 'call', tool: `mcp__platform__${call[1]}`, input: JSON.parse(call[2]!) }
  return { kind: 'say', text: 'fine', ...(isHeld && { hold: true }) }
}

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
const call = (tool: string, input: object): string => `CALL ${tool} ${JSON.stringify(input)} END`

describeRequiring('claude', 'a pod behind the gateway', () => {
  let world: PodWorld
  let gateway: TestGateway
  let pod: Pod
  const environment = (): Record<string, string> => {
    writeFileSync(join(world.dir, 'pod-token'), token)
    return {
      REPOS: JSON.stringify([{ name: 'lib', url: `${gateway.url}/git/lib.git`, base: 'main' }]),
      PLATFORM_OPERATOR_URL: gateway.url,
      PLATFORM_POD_TOKEN_FILE: join(world.dir, 'pod-token'),
      LIFECYCLE_HOOKS: JSON.stringify({
        postClone: 'echo "$1" > ~/cloned',
        conversationStart: 'echo "$PLATFORM_TASK" > ~/started',
        agentTurnFinished: 'exit 3',
      }),
    }
  }
  beforeAll(async () => {
    world = await openWorld({ decide })
    runGit(world.origin, 'config', 'http.receivepack', 'true')
    gateway = await startGateway(world.dir, token)
    pod = await world.start(environment())
  }, 90_000)
  afterAll(async () => {
    await world.close()
    await gateway.close()
  })

  const socketOf = (server: 'platform' | 'wiring'): string =>
    join(socketFolderOf(pod), `${server === 'platform' ? 'tools' : server}.sock`)
  const metrics = async (): Promise<string> => (await fetch(`${pod.url}/metrics`)).text()
  const told = (): string => world.model.requests.at(-1)!.text
  /** A turn whose last answer doesn't end. */
  async function hold(text: string): Promise<string> {
    const before = world.model.requests.length
    const { body } = await pod.call('POST', '/v1/messages', { text: `HOLD ${text}` })
    const wanted = text === '' ? 1 : 2
    const isHeld = (): boolean => world.model.requests.length >= before + wanted
    await waitFor(isHeld, 20_000, () => pod.log())
    return body.turnId
  }
  async function end(turnId: string): Promise<void> {
    await pod.call('POST', '/v1/interrupt')
    await pod.result(turnId)
  }

  test('clones and pushes with the token out of memory, and leaves it nowhere (TOOLS-11, WRAPPER-SECRETS-5)', async () => {
    writeFileSync(join(world.workspace, 'lib', 'new.txt'), 'new\n')
    expect(await pod.turn('go')).toMatchObject({ state: 'completed', pushed: ['lib'] })
    expect(runGit(world.origin, 'show', `platform/${task}:new.txt`)).toBe('new')
    const files = readdirSync(world.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(
      files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path).includes(token)),
    ).toEqual([])
    expect(readFileSync(`/proc/${pod.process.pid}/environ`, 'utf8')).not.toContain(token)
  })

  test('adds the bearer to a call that the model decides, and brings its answer back (TOOLS-11)', async () => {
    await pod.turn(call('note', { kind: 'plan', body: 'b' }))
    expect(told()).toContain('201 {\\"kind\\":\\"plan')
    expect(gateway.calls).toEqual([`POST /tasks/${task}/notes Bearer ${token}`])
  })

  test('does nothing for whoever knows the socket of the tools: between the turns, and within one (TOOLS-13, WRAPPER-METRICS-16)', async () => {
    const before = gateway.calls.length
    const client = await plainClient(socketOf('platform'))
    expect(await client.call('outcome', approve, 'toolu_1')).toContain('no turn runs')
    const turnId = await hold('')
    expect(await client.call('outcome', approve)).toContain('the model did not make this call')
    expect(await client.call('outcome', approve, 'toolu_guessed')).toContain('the model did not make this call')
    client.close()
    await end(turnId)
    expect(gateway.calls).toHaveLength(before)
    expect(await metrics()).toMatch(/ccw_tool_calls_refused_total\{[^}]*reason="no-block"[^}]*\} 2/)
    expect(await metrics()).toMatch(/ccw_tool_calls_refused_total\{[^}]*reason="no-turn"[^}]*\} 1/)
  })

  test('tells the orchestrator which calls it refused, those between two turns with the next result', async () => {
    const client = await plainClient(socketOf('platform'))
    const first = await hold('')
    await client.call('outcome', approve, 'toolu_guessed')
    await end(first)
    await client.call('note', { body: 'late' }, 'toolu_guessed')
    const second = await hold('')
    await client.call('note', nested(maxDepth + 1), 'toolu_guessed')
    client.close()
    await end(second)
    const expected = new Map([
      [first, [{ tool: 'outcome', reason: 'no-block', count: 1 }]],
      [
        second,
        [
          { tool: 'note', reason: 'no-turn', count: 1 },
          { tool: 'note', reason: 'too-deep', count: 1 },
        ],
      ],
    ])
    for (const [turnId, refusedCalls] of expected) {
      expect((await pod.result(turnId)).refusedCalls).toEqual(refusedCalls)
      const told = (): boolean => world.callbacks.some((callback) => callback.turnId === turnId)
      await waitFor(told, 20_000, () => pod.log())
      expect(world.callbacks.find((callback) => callback.turnId === turnId)).toMatchObject({ refusedCalls })
    }
    expect(await pod.turn('nothing is refused here')).not.toHaveProperty('refusedCalls')
  })

  test('gives a call that comes again its first answer, and takes the block for nothing else, nor after the turn', async () => {
    const before = gateway.calls.length
    const turnId = await hold(call('note', { body: 'once' }))
    const id = /"tool_use_id":"(toolu_\d+)"/.exec(told().slice(told().lastIndexOf('tool_result') - 200))![1]!
    const client = await plainClient(socketOf('platform'))
    expect(await client.call('note', { body: 'once' }, id)).toContain('201')
    expect(await client.call('note', { body: 'twice' }, id)).toContain('other arguments')
    expect(await client.call('outcome', { body: 'once' }, id)).toContain('another tool')
    await end(turnId)
    expect(await client.call('note', { body: 'once' }, id)).toContain('no turn runs')
    client.close()
    expect(gateway.calls).toHaveLength(before + 1)
  })

  test('serves the hooks of the CLI alone: a second connection is closed', async () => {
    const second = connect(socketOf('wiring'))
    await new Promise((resolve) => second.on('close', resolve).on('error', resolve))
    // The line comes through a pipe, and may come after the end of the socket.
    await waitFor(
      () => pod.log().includes('the wrapper refused a second connection to the hooks'),
      10_000,
      () => pod.log(),
    )
    expect(await pod.turn('still there?')).toMatchObject({ state: 'completed' })
  })

  test('pushes what is committed when the tools ask for it', async () => {
    writeFileSync(join(world.workspace, 'lib', 'more.txt'), 'more\n')
    runGit(join(world.workspace, 'lib'), 'add', '-A')
    runGit(join(world.workspace, 'lib'), 'commit', '-qm', 'more')
    const turnId = await hold(call('push', {}))
    expect(runGit(world.origin, 'show', `platform/${task}:more.txt`)).toBe('more')
    await end(turnId)
  })

  test('answers nobody on the loopback who has no key, and no path of the agent’s is there (TOOLS-10, STATUSLINE-7)', async () => {
    const loopback = loopbackOf(pod.process.pid!, pod.url)
    const ask = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' }
      return (await fetch(`${loopback}${path}`, init)).status
    }
    expect(await ask('/internal/account-usage')).toBe(401)
    expect(await ask('/internal/account-usage', { authorization: 'Bearer guessed' })).toBe(401)
    expect(await ask('/k/guessed/internal/credential')).toBe(401)
    for (const path of [
      'model/v1/messages',
      `internal/call/operator/tasks/${task}/outcome`,
      'internal/push',
      'internal/hook/Stop',
    ])
      expect([path, await ask(`/k/guessed/${path}`)]).toEqual([path, 404])
  })

  test('takes usage reports by the socket and refuses a malformed one, and logs an internal issue by itself (TOOL-REPORT-5, STATUSLINE-4, STATUSLINE-6, WRAPPER-METRICS-1, WRAPPER-METRICS-14, WRAPPER-METRICS-15)', async () => {
    const socketPath = socketOf('platform').replace('tools.sock', 'model.sock')
    const report = (body: object): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json' }
        const options = { socketPath, path: '/internal/account-usage', method: 'POST', headers }
        httpRequest(options, (response) => resolve(response.resume().statusCode!))
          .on('error', reject)
          .end(JSON.stringify(body))
      })
    const sevenDay = { usedPercent: 1, resetsAt: 1 }
    expect(await report({ fiveHour: { usedPercent: 1, resetsAt: '2026-11-21T00:00:00Z' }, sevenDay })).toBe(400)
    expect(await report({ fiveHour: sevenDay, sevenDay })).toBe(204)
    const said = await pod.turn(call('report', { category: 'tool_error', description: 'the tool broke' }))
    expect(said.accountUsage?.fiveHour.usedPercent).toBe(1)
    expect(pod.log()).toContain('the tool broke')
    expect(await metrics()).toMatch(/ccw_statusline_reports_total\{[^}]*result="bad_payload"[^}]*\} 1/)
    expect(await metrics()).toMatch(/ccw_turns_total\{[^}]*result="end_turn"[^}]*\} \d/)
    expect(await metrics()).toMatch(/ccw_hook_failures_total\{[^}]*hook="agentTurnFinished"[^}]*\} \d/)
  })

  test('runs the lifecycle hooks with their arguments', () => {
    expect(world.inCommandHome('started').trim()).toBe(task)
    expect(world.inCommandHome('cloned').trim()).toBe(join(world.workspace, 'lib'))
  })
})

describeRequiring('claude', 'a pod whose wrapper believes anybody', () => {
  test('is the control: the same call of the same program approves', { timeout: 90_000 }, async () => {
    const program = [process.execPath, join(import.meta.dirname, '..', 'testing', 'run-unattested-wrapper.ts')]
    const world = await openWorld({ decide, program })
    const gateway = await startGateway(world.dir, token)
    try {
      writeFileSync(join(world.dir, 'pod-token'), token)
      const secret = { PLATFORM_POD_TOKEN_FILE: join(world.dir, 'pod-token') }
      const pod = await world.start({ PLATFORM_OPERATOR_URL: gateway.url, ...secret })
      await pod.call('POST', '/v1/messages', { text: 'HOLD' })
      await waitFor(
        () => world.model.requests.length > 0,
        20_000,
        () => pod.log(),
      )
      const client = await plainClient(join(socketFolderOf(pod), 'tools.sock'))
      await client.call('outcome', approve, 'toolu_guessed')
      client.close()
      expect(gateway.calls).toEqual([`POST /tasks/${task}/outcome Bearer ${token}`])
    } finally {
      await world.close()
      await gateway.close()
    }
  })
})

/** The wrapper's second listener, as anybody finds it who may read /proc/net/tcp. */
function loopbackOf(pid: number, url: string): string {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /socket:\[(\d+)\]/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? []),
  )
  const ports = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
    .map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16))
  return `http://127.0.0.1:${ports.find((port) => !url.endsWith(`:${port}`))}`
}
