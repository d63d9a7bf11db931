import { execFile, spawn } from 'node:child_process'
import { createServer, type Server as NetServer } from 'node:net'
import { existsSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openWiring } from '../hooks/wiring.ts'
import { plainClient } from '../testing/plain-client.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { makeSocketFolder, socketsIn } from './agent-sockets.ts'

const relay = join(import.meta.dirname, '..', 'hooks', 'relay.mjs')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

function folder(): ReturnType<typeof makeSocketFolder> {
  const made = makeSocketFolder()
  closers.push(made.remove)
  return made
}

async function listen(path: string, server: NetServer): Promise<void> {
  await new Promise<void>((resolve) => server.listen(path, resolve))
  closers.push(() => server.close())
}

describe('the sockets', () => {
  test('lie in a new folder that only their user may enter', () => {
    const [one, other] = [folder(), folder()]
    expect(one.path).not.toBe(other.path)
    expect(statSync(one.path).mode & 0o777).toBe(0o700)
    one.remove()
    expect(existsSync(one.path)).toBe(false)
  })

  test('are refused where their path is longer than an address can be', () => {
    expect(() => socketsIn(`/${'x'.repeat(110)}`)).toThrow('at most 107 bytes')
  })
})

describe('the relay', () => {
  test('carries lines of any size both ways, and ends with its input', async () => {
    const { tools } = socketsIn(folder().path)
    await listen(
      tools,
      createServer((socket) => socket.pipe(socket)),
    )
    const child = spawn(process.execPath, [relay, tools], { stdio: ['pipe', 'pipe', 'inherit'] })
    const sent = `${'é\u2028'.repeat(500_000)}\n`
    child.stdin.end(sent)
    expect(await text(child.stdout)).toBe(sent)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('ends when the wrapper goes away, and says so where there is none', async () => {
    const { tools } = socketsIn(folder().path)
    await listen(
      tools,
      createServer((socket) => socket.destroy()),
    )
    const child = spawn(process.execPath, [relay, tools], { stdio: ['pipe', 'pipe', 'ignore'] })
    await once(child, 'exit')
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [relay, `${tools}.none`], (_error, _stdout, stderr) => resolve(stderr)).stdin?.end()
    })
    expect(said).toMatch(/^relay: .*ENOENT/)
  })
})

describe('the hooks', () => {
  const members = ['session_id', 'transcript_path', 'prompt_id', 'prompt', 'tool_name', 'last_assistant_message']
  const told = (more: object): object => ({
    event: 'Stop',
    ...Object.fromEntries([...members, 'error', 'error_details'].map((name) => [name, ''])),
    ...more,
  })

  test('are told with what is not empty, and answered with the wrapper’s word or nothing', async () => {
    const { wiring: path } = socketsIn(folder().path)
    const heard: unknown[] = []
    const context = { hookEventName: 'PostToolUse', additionalContext: 'look' } as const
    const wiring = await openWiring({
      path,
      logger: rememberingLogger().logger,
      onHook: (event, input) => {
        heard.push([event, input])
        return event === 'PostToolUse' ? { hookSpecificOutput: context } : undefined
      },
    })
    closers.push(() => wiring.close())
    const client = await plainClient(path)
    closers.push(client.close)
    expect(await client.call('hook', told({ last_assistant_message: 'done ${prompt}' }))).toBe('{}')
    const answer = await client.call('hook', told({ event: 'PostToolUse', tool_name: 'Bash' }))
    expect(JSON.parse(answer)).toEqual({ hookSpecificOutput: context })
    expect(heard).toEqual([
      ['Stop', { last_assistant_message: 'done ${prompt}' }],
      ['PostToolUse', { tool_name: 'Bash' }],
    ])
  })

  test.each<[string, string, object]>([
    ['of another name', 'outcome', told({})],
    ['of an event that nobody asked for', 'hook', told({ event: 'SessionEnd' })],
    ['with a member too many', 'hook', told({ decision: 'block' })],
    ['with a member that is no text', 'hook', told({ prompt: 1 })],
    ['with a member too few', 'hook', { event: 'Stop' }],
  ])('refuse a call %s', async (_what, tool, input) => {
    const { wiring: path } = socketsIn(folder().path)
    const heard: unknown[] = []
    const onHook = (event: unknown): undefined => void heard.push(event)
    const wiring = await openWiring({ path, logger: rememberingLogger().logger, onHook })
    closers.push(() => wiring.close())
    const client = await plainClient(path)
    closers.push(client.close)
    expect(await client.call(tool, input)).toMatch(/^error: .*not a hook/)
    expect(heard).toEqual([])
  })
})
