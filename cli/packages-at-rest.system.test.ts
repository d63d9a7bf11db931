/** What a process imports it keeps for its whole life: who rests has no package of a part that nobody configured. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programDir } from './program.ts'

const boundMs = 120_000

/** Writes down each file that the process loads, those of its threads too. */
const hook = `import { registerHooks } from 'node:module'
import { appendFileSync } from 'node:fs'
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context) } })`

const identity = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'urn:statewright:operator' }
const ofOrchestrator = {
  ...identity,
  INTERNAL_ADDR: '127.0.0.1:0',
  WRAPPER_AUDIENCE: 'urn:statewright:wrapper',
  OIDC_CLIENT_ID: 'orchestrator',
  OIDC_CLIENT_SECRET: 'secret',
  MODEL_PROVIDER_API_KEY: 'key',
  POD_ISOLATION: 'none',
  AGENT_SECLUSION: 'none',
}

/** A bundler, the driver of a store, a parser of code, the client of a cluster or of a forge: each is several MiB. */
const ofNobody = ['rolldown', '@kubernetes/client-node', 'neo4j-driver', 'rxjs', 'web-tree-sitter', '@octokit/rest']
const ofServers = [...ofNobody, 'oidc-provider', 'koa', '@modelcontextprotocol/sdk', '@opentelemetry/sdk-trace']
const ofUp = [...ofNobody, '@electric-sql/pglite', 'graphology', 'prom-client', 'pino']

/** The packages of a process that has written a line with `mark`, and what it then still took to end. */
async function packagesOf(
  parameters: readonly string[],
  { mark, env = {} }: { readonly mark: string; readonly env?: Readonly<Record<string, string>> },
): Promise<readonly string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'packages-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const list = join(dir, 'loaded')
  const child = spawn(process.execPath, [`--import=data:text/javascript,${encodeURIComponent(hook)}`, ...parameters], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'] ?? '',
      STATE_DIR: join(dir, 'state'),
      HTTP_ADDR: '127.0.0.1:0',
      LOADED: list,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close', { signal: AbortSignal.timeout(boundMs) })
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes(mark)) {
      child.kill('SIGTERM')
      break
    }
  child.stdout.resume()
  await closed
  const names = readFileSync(list, 'utf8').matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//g)
  return [...new Set([...names].map(([, name = '']) => name))]
}

const program = join(programDir, 'bin', 'statewright.mjs')

test.each([
  ['orchestrator', ofOrchestrator, ['@electric-sql/pglite', 'fastify']],
  ['memory', identity, ['@electric-sql/pglite', 'fastify']],
] as const)(
  'the %s has loaded no package of a part that it has not got, once it is ready',
  async (name, env, used) => {
    const loaded = await packagesOf([program, name], { mark: '"ready"', env })
    expect(loaded).toEqual(expect.arrayContaining([...used]))
    expect(loaded.filter((one) => ofServers.includes(one))).toEqual([])
  },
  boundMs,
)

test(
  'up has loaded nothing that only its servers need',
  async () => {
    const command = JSON.stringify(join(programDir, 'cli/commands/programs/up.ts'))
    const script = `await import(${command}); console.log('loaded')`
    const loaded = await packagesOf(['--input-type=module', '--eval', script], { mark: 'loaded' })
    expect(loaded).toContain('oidc-provider')
    expect(loaded.filter((one) => ofUp.includes(one))).toEqual([])
  },
  boundMs,
)
