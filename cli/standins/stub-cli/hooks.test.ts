import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { hookCaller, type HookAnswer } from './hooks.ts'
import { hookEvents, type Hook, type HookEvent, type Settings } from './settings.ts'

function call(event: HookEvent, commands: readonly Hook[], input: Record<string, unknown> = {}): Promise<HookAnswer> {
  const hooks = Object.fromEntries(
    hookEvents.map((name) => [name, name === event ? commands : []]),
  ) as unknown as Settings['hooks']
  const settings: Settings = {
    hooks,
    statusLine: undefined,
    skipDangerousModePermissionPrompt: true,
    isOnboarded: true,
    isTrusted: true,
    mcpServers: {},
  }
  return hookCaller(settings, tmpdir(), () => ({ session_id: 's-1' }))(event, input)
}

function answering(answer: unknown, matcher = '*'): Hook {
  return { matcher, command: `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'` }
}

const context = (text: string): unknown => ({
  hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: text },
})

test('a hook is told the event, the session and its input', async () => {
  const echo = {
    matcher: '*',
    command: `node -e 'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>console.log(JSON.stringify({hookSpecificOutput:{additionalContext:t}})))'`,
  }
  const { context: texts } = await call('PostToolUse', [echo], { tool_name: 'Bash' })
  expect(JSON.parse(texts[0] ?? '')).toEqual({ session_id: 's-1', hook_event_name: 'PostToolUse', tool_name: 'Bash' })
})

test('a hook with an address is told by POST, and its answer counts; one that refuses or is not there blocks nothing', async () => {
  const told: unknown[] = []
  const server = createServer(async (request, response) => {
    told.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    if (request.url === '/refuses') return response.writeHead(500).end(JSON.stringify({ decision: 'block' }))
    return response.end(JSON.stringify(context('by HTTP')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const nothing = { context: [], blocked: undefined }
  try {
    expect(await call('PostToolUse', [{ matcher: '*', url }])).toEqual({ context: ['by HTTP'], blocked: undefined })
    expect(told).toEqual([{ session_id: 's-1', hook_event_name: 'PostToolUse' }])
    expect(await call('Stop', [{ matcher: '*', url: `${url}/refuses` }])).toEqual(nothing)
  } finally {
    server.closeAllConnections()
    server.close()
  }
  expect(await call('Stop', [{ matcher: '*', url: 'http://127.0.0.1:1/' }])).toEqual(nothing)
})

test('additional context is passed on up to the size that the real CLI delivers', async () => {
  expect(await call('PostToolUse', [answering(context('x'.repeat(9_990)))])).toMatchObject({
    context: ['x'.repeat(9_990)],
  })
  expect(await call('PostToolUse', [answering(context('x'.repeat(10_010)))])).toMatchObject({ context: [] })
})

test('plain output is context for a submitted prompt only', async () => {
  const plain = { matcher: '*', command: 'echo remember this' }
  expect(await call('UserPromptSubmit', [plain])).toEqual({ context: ['remember this'], blocked: undefined })
  expect(await call('Stop', [plain])).toEqual({ context: [], blocked: undefined })
})

test.each<[string, HookEvent, Hook]>([
  ['a decision', 'Stop', answering({ decision: 'block', reason: 'not yet' })],
  [
    'a denied permission',
    'PreToolUse',
    answering({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not yet' } }),
  ],
  ['exit code 2', 'PreToolUse', { matcher: '*', command: 'printf "not yet" >&2; exit 2' }],
])('%s blocks with its reason', async (_, event, command) => {
  expect(await call(event, [command])).toMatchObject({ blocked: 'not yet' })
})

test('a matcher chooses the tools whole, not by a part of their name', async () => {
  const hook = answering({ decision: 'block', reason: 'no' }, 'Bash|Write')
  expect((await call('PreToolUse', [hook], { tool_name: 'Write' })).blocked).toBe('no')
  expect((await call('PreToolUse', [hook], { tool_name: 'WriteAll' })).blocked).toBeUndefined()
})
