import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './testing/gateway.ts'
import { openWorld, runGit, waitFor, type Pod, type PodWorld } from './testing/pod.ts'
import { describeRequiring } from '../testing/requires.ts'

const token = 'pod-token-canary-4711'

describeRequiring('claude', 'a pod behind the gateway', () => {
  let world: PodWorld
  let gateway: TestGateway
  let pod: Pod
  let broker: string
  beforeAll(async () => {
    world = await openWorld({ decide: () => ({ kind: 'say', text: 'fine' }) })
    runGit(world.origin, 'config', 'http.receivepack', 'true')
    gateway = await startGateway(world.dir, token)
    writeFileSync(join(world.dir, 'pod-token'), token)
    pod = await world.start({
      REPOS: JSON.stringify([{ name: 'lib', url: `${gateway.url}/git/lib.git`, base: 'main' }]),
      PLATFORM_OPERATOR_URL: gateway.url,
      PLATFORM_POD_TOKEN_FILE: join(world.dir, 'pod-token'),
      LIFECYCLE_HOOKS: JSON.stringify({
        postClone: `echo "$1" > ${world.dir}/cloned`,
        conversationStart: `echo "$PLATFORM_TASK" > ${world.dir}/started`,
        agentTurnFinished: 'exit 3',
      }),
    })
    const mcp = JSON.parse(readFileSync(join(world.workspace, '.mcp.json'), 'utf8')) as {
      mcpServers: { platform: { env: Record<string, string> } }
    }
    broker = mcp.mcpServers.platform.env['PLATFORM_INTERNAL_URL']!
  }, 90_000)
  afterAll(async () => {
    await world.close()
    await gateway.close()
  })

  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${broker}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('clones and pushes with the token out of memory, and leaves it nowhere', async () => {
    writeFileSync(join(world.workspace, 'lib', 'new.txt'), 'new\n')
    expect(await pod.turn('go')).toMatchObject({ state: 'completed', pushed: ['lib'] })
    expect(runGit(world.origin, 'show', 'platform/implement-lib-1-x7k2p:new.txt')).toBe('new')
    const files = readdirSync(world.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(
      files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path).includes(token)),
    ).toEqual([])
    expect(readFileSync(`/proc/${pod.process.pid}/environ`, 'utf8')).not.toContain(token)
  })

  test('adds the bearer to a call that the profile may make', async () => {
    const answer = await post('/internal/call/operator/tasks/implement-lib-1-x7k2p/notes?x=1', {
      kind: 'plan',
      body: 'b',
    })
    expect([answer.status, await answer.json()]).toEqual([201, { kind: 'plan', body: 'b' }])
    expect(gateway.calls).toContain(`POST /tasks/implement-lib-1-x7k2p/notes?x=1 Bearer ${token}`)
  })

  test('lets no other call pass, and nobody without the key', async () => {
    const before = gateway.calls.length
    expect((await post('/internal/call/operator/tasks/another/outcome', {})).status).toBe(403)
    expect((await post('/internal/call/memory/queries', {})).status).toBe(404)
    const foreign = broker.replace(/\/k\/.*/, '/k/guessed')
    expect((await fetch(`${foreign}/internal/call/operator/tasks/implement-lib-1-x7k2p/notes`)).status).toBe(401)
    expect((await fetch(`${foreign}/model/v1/messages`, { method: 'POST', body: '{}' })).status).toBe(401)
    expect((await post('/internal/credential', { prompt: `Password for '${gateway.url}': ` })).status).toBe(401)
    expect(gateway.calls).toHaveLength(before)
  })

  test('pushes what is committed when the tools ask for it', async () => {
    writeFileSync(join(world.workspace, 'lib', 'more.txt'), 'more\n')
    runGit(join(world.workspace, 'lib'), 'add', '-A')
    runGit(join(world.workspace, 'lib'), 'commit', '-qm', 'more')
    expect(await (await fetch(`${broker}/internal/push`, { method: 'POST' })).json()).toEqual({
      pushed: ['lib'],
      failed: [],
    })
  })

  test('logs an internal issue by itself and refuses a malformed usage report', async () => {
    expect(
      (await post('/internal/report-issue', { category: 'tool_error', description: 'the tool broke' })).status,
    ).toBe(202)
    await waitFor(
      () => pod.log().includes('the tool broke'),
      10_000,
      () => pod.log(),
    )
    const usage = await fetch(`${new URL(broker).origin}/internal/account-usage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        fiveHour: { usedPercent: 1, resetsAt: '2026-11-21T00:00:00Z' },
        sevenDay: { usedPercent: 1, resetsAt: 1 },
      }),
    })
    expect(usage.status).toBe(400)
    const metrics = await (await fetch(`${pod.url}/metrics`)).text()
    expect(metrics).toMatch(/ccw_statusline_reports_total\{[^}]*result="bad_payload"[^}]*\} 1/)
    expect(metrics).toMatch(/ccw_turns_total\{[^}]*result="end_turn"[^}]*\} 1/)
    expect(metrics).toMatch(/ccw_hook_failures_total\{[^}]*hook="agentTurnFinished"[^}]*\} 1/)
  })

  test('runs the lifecycle hooks with their arguments', () => {
    expect(readFileSync(join(world.dir, 'started'), 'utf8').trim()).toBe('implement-lib-1-x7k2p')
    expect(readFileSync(join(world.dir, 'cloned'), 'utf8').trim()).toBe(join(world.workspace, 'lib'))
  })
})
