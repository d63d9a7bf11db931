import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { hookCaller, type CallTool, type HookAnswer } from './hooks.ts'
import { hookEvents, type Hook, type HookEvent, type Settings } from './settings.ts'

function call(
  event: HookEvent,
  commands: readonly Hook[],
  input: Record<string, unknown> = {},
  callTool: CallTool = () => Promise.reject(new Error('no server')),
): Promise<HookAnswer> {
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
  return hookCaller(settings, tmpdir(), () => ({ session_id: 's-1' }), callTool)(event, input)
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

test('a hook that is a tool of a server gets what its template makes, and its answer counts', async () => {
  const hook = {
    matcher: '*',
    server: 'wiring',
    tool: 'hook',
    input: { event: 'Stop', id: '${session_id}', what: '${prompt}', none: '${error}', list: '${crons}' },
  }
  const told: unknown[] = []
  const callTool: CallTool = async (...given) => {
    told.push(given)
    return JSON.stringify(context('by a tool'))
  }
  const answer = await call('PostToolUse', [hook], { prompt: 'say ${session_id} "so"', crons: [] }, callTool)
  expect(answer).toEqual({ context: ['by a tool'], blocked: undefined })
  expect(told).toEqual([
    ['wiring', 'hook', { event: 'Stop', id: 's-1', what: 'say ${session_id} "so"', none: '', list: '[]' }],
  ])
})

test('a tool that refuses, or a server that is gone, blocks nothing', async () => {
  const hook = { matcher: '*', server: 'wiring', tool: 'hook', input: {} }
  expect(await call('Stop', [hook], {}, () => Promise.reject(new Error('gone')))).toEqual({
    context: [],
    blocked: undefined,
  })
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
