import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programDir } from '../../cli/program.ts'

/** Well below the bound after which a start is given up by who waits for it. */
const boundMs = 60_000

interface Started {
  readonly child: ChildProcess
  readonly said: () => string
}

function startChild(httpPort: number): Started {
  const dir = mkdtempSync(join(tmpdir(), 'failed-start-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const child = spawn(process.execPath, [join(programDir, 'bin', 'statewright.mjs'), 'orchestrator'], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      STATE_DIR: join(dir, 'state'),
      HTTP_ADDR: `127.0.0.1:${httpPort}`,
      INTERNAL_ADDR: '127.0.0.1:0',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_AUDIENCE: 'urn:statewright:operator',
      WRAPPER_AUDIENCE: 'urn:statewright:wrapper',
      OIDC_CLIENT_ID: 'orchestrator',
      OIDC_CLIENT_SECRET: 'secret',
      MODEL_PROVIDER_API_KEY: 'key',
      POD_ISOLATION: 'none',
      AGENT_SECLUSION: 'none',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
  return { child, said: () => said }
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(boundMs) })
  return code
}

test('an orchestrator that gets no port ends with an error, and leaves nothing behind that keeps it alive', async () => {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { child, said } = startChild((other.address() as AddressInfo).port)
  expect(await exitOf(child)).toBe(1)
  expect(said()).toContain('EADDRINUSE')
}, 90_000)

test('an orchestrator whose supervisor ends while it starts ends too', async () => {
  const { child, said } = startChild(0)
  child.disconnect()
  expect(await exitOf(child)).toBe(1)
  expect(said()).toContain('supervised this one')
}, 90_000)
