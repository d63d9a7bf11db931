/** The trees of the images, each run as its Dockerfile says: by a user who is not root, on a root that is read-only. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Mount } from '../../standins/kubelet/mounts.ts'
import { sandboxed } from '../../standins/kubelet/sandbox.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const userFlags = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
const refused = spawnSync('unshare', [...userFlags, '--mount', 'true']).status !== 0
const reason = refused ? ' (skipped: this machine refuses user namespaces)' : ''
/** A start takes about 4 s on an idle machine: most of it makes the embedded store. */
const startMs = 80_000
const limitMs = 120_000

const programs = ['orchestrator', 'single-server', 'memory', 'wrapper', 'cli'] as const
type Program = (typeof programs)[number]

interface Report {
  readonly program: Program
  readonly bytes: number
  readonly gateBytes: number
  readonly goalBytes: number
  readonly apart: Readonly<Record<string, number>>
  readonly packages: readonly { readonly name: string }[]
}

let out = ''
let reports: readonly Report[] = []
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'trees-'))
  chmodSync(out, 0o755)
  const lines = execFileSync(process.execPath, ['bin/image-tree.mjs', 'all', join(out, 'trees'), '--json'], {
    cwd: root,
    encoding: 'utf8',
  })
  reports = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report)
})
afterAll(() => rmSync(out, { recursive: true, force: true }))

const tree = (program: Program): string => join(out, 'trees', program)
const packagesOf = (program: Program): readonly string[] =>
  reports.find((report) => report.program === program)!.packages.map(({ name }) => name)

test('each is below the goal, the agent CLI apart', () => {
  expect(reports.map(({ program }) => program)).toEqual(programs)
  expect(reports.filter(({ bytes, goalBytes }) => bytes > goalBytes).map(({ program }) => program)).toEqual([])
  expect(reports.filter(({ apart }) => 'claude-code' in apart).map(({ program }) => program)).toEqual([
    'single-server',
    'wrapper',
  ])
})

test('each has only what its program imports', () => {
  expect(packagesOf('orchestrator')).toContain('@kubernetes/client-node')
  expect(packagesOf('orchestrator')).not.toContain('@lydell/node-pty')
  expect(packagesOf('single-server')).toContain('@lydell/node-pty')
  for (const name of ['@kubernetes/client-node', 'neo4j-driver', '@electric-sql/pglite'])
    expect([name, packagesOf('wrapper').includes(name)]).toEqual([name, false])
  expect(packagesOf('memory')).toContain('neo4j-driver')
  expect(packagesOf('memory')).not.toContain('@kubernetes/client-node')
  const left = globSync('**/*.{d.ts,map}', { cwd: join(out, 'trees') })
  expect(left).toEqual([])
})

describe.skipIf(refused)(`a read-only root and no root${reason}`, () => {
  test.each(programs)(
    'the %s image has every package that its program names, each with all that it loads',
    (program) => {
      const dist = join(tree(program), 'app', 'dist')
      const named = globSync('*.mjs', { cwd: dist }).flatMap((name) =>
        importsOf(readFileSync(join(dist, name), 'utf8')),
      )
      const specifiers = [...new Set(named)].toSorted()
      expect(specifiers.length).toBeGreaterThan(3)
      const load = `for (const name of ${JSON.stringify(specifiers)})
      await import(name).catch((error) => console.log(name + ': ' + error.message))
    process.exit()`
      writeFileSync(join(dist, 'load-all.mjs'), load)
      onTestFinished(() => rmSync(join(dist, 'load-all.mjs')))
      expect(inside(program, ['node', '/app/dist/load-all.mjs'])).toEqual({ code: 0, text: '' })
    },
  )

  test('writes nowhere but to its state and to /tmp, and is not root', () => {
    const places = '/ /app /app/dist /app/node_modules /etc /usr/local/bin /var /var/lib/statewright /tmp'
    const script = `id -u; for at in ${places}; do (echo x > $at/new) 2>/dev/null && echo $at; done; true`
    expect(inside('orchestrator', ['/bin/sh', '-c', script])).toEqual({
      code: 0,
      text: '1000\n/var/lib/statewright\n/tmp\n',
    })
  })

  test('the orchestrator is alive and ready on its embedded store', { timeout: limitMs }, async () => {
    const { url, internalUrl } = await serving('orchestrator', ['orchestrator'], {
      ...oidc,
      WRAPPER_AUDIENCE: 'wrappers',
      OIDC_CLIENT_ID: 'statewright',
      OIDC_CLIENT_SECRET: 's',
      MODEL_PROVIDER_API_KEY: 'x',
      PLACE: 'machine',
      POD_ISOLATION: 'none',
      INTERNAL_ADDR: '127.0.0.1:0',
    })
    for (const address of [`${url}/healthz`, `${internalUrl}/readyz`])
      expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })

  test('the memory service is alive and ready on its embedded store', { timeout: limitMs }, async () => {
    const { url } = await serving('memory', ['memory'], oidc)
    for (const path of ['/healthz', '/readyz'])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200])
  })

  test.each(['wrapper', 'single-server'] as const)(
    'the %s image has a wrapper that names the settings that it misses, and the agent CLI that it starts',
    (program) => {
      const { code, text } = inside(program, ['/usr/local/bin/statewright', 'wrapper'])
      expect([code, text]).toEqual([1, expect.stringContaining('OIDC_ISSUER')])
      const links = '/usr/local/bin/cc-statusline http://127.0.0.1:1/ && test -x /usr/local/bin/claude'
      expect(inside(program, ['/bin/sh', '-c', links])).toEqual({ code: 0, text: '' })
    },
  )

  test('the command line explains itself and has the grammars that it parses with', () => {
    expect(inside('cli', ['/usr/local/bin/statewright', '--help'])).toMatchObject({ code: 0 })
    const script =
      'cd /tmp && mkdir src && echo "export function first() {}" >src/a.ts && echo "int second(void) { return 1; }" >src/b.c && statewright code-graph extract src'
    const { code, text } = inside('cli', ['/bin/sh', '-c', script])
    expect([code, text]).toEqual([0, expect.stringMatching(/first[^]*second/)])
  })

  test('what an image does not bring is refused with its name', () => {
    expect(inside('memory', ['/usr/local/bin/statewright', 'orchestrator'])).toEqual({
      code: 1,
      text: 'statewright: the image of memory does not bring orchestrator, because it has only what memory needs\n',
    })
  })
})

const oidc = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_AUDIENCE: 'operators' }

/** What npm installs and a chunk imports, now or later. */
function importsOf(code: string): readonly string[] {
  return [
    ...code.matchAll(/^(?:import|export)\b[^;'"]*?["']([^."'][^"']*)["']/gm),
    ...code.matchAll(/\bimport\(["']([^."'][^"']*)["']\)/g),
  ].map(([, name]) => name!)
}

interface Container {
  readonly file: string
  readonly parameters: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** As a kubelet would start it, with `readOnlyRootFilesystem`, and a volume for the state and one for /tmp. */
function container(
  program: Program,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Container {
  const folder = mkdtempSync(join(tmpdir(), 'container-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  for (const name of ['root', 'state', 'tmp']) mkdirSync(join(folder, name))
  for (const name of ['state', 'tmp']) chmodSync(join(folder, name), 0o777)
  const mounts: readonly Mount[] = [
    { source: join(tree(program), 'app'), target: '/app', readOnly: true },
    { source: join(tree(program), 'usr/local/bin'), target: '/usr/local/bin', readOnly: true },
    // The base image's Node.
    { source: process.execPath, target: '/node/bin/node', readOnly: true },
    { source: join(folder, 'state'), target: '/var/lib/statewright', readOnly: false },
    { source: join(folder, 'tmp'), target: '/tmp', readOnly: false },
  ]
  const [file = '', ...parameters] = sandboxed({
    ...{ root: join(folder, 'root'), mounts, programs: [], workingDir: '/app', command },
    ...{ uid: 1000, gid: 1000, isRootReadOnly: true, isProcWhole: false },
  })
  return {
    file,
    parameters,
    env: {
      PATH: '/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: '/tmp',
      NODE_ENV: 'production',
      STATE_DIR: '/var/lib/statewright',
      HTTP_ADDR: '127.0.0.1:0',
      ...env,
    },
  }
}

/** The last one is the sandbox's own: nobody reads here what it says there. */
const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const

function inside(program: Program, command: readonly string[]): { readonly code: number | null; readonly text: string } {
  const { file, parameters, env } = container(program, command)
  const { status, stdout, stderr } = spawnSync(file, parameters, { env, stdio: [...stdio], encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}

interface Ready {
  readonly url: string
  readonly internalUrl: string
}

/** Starts a program and resolves with what it logs when it is ready. */
async function serving(
  program: Program,
  command: readonly string[],
  given: Readonly<Record<string, string>>,
): Promise<Ready> {
  const { file, parameters, env } = container(program, ['node', '/app/bin/statewright.mjs', ...command], given)
  const child = spawn(file, parameters, { env, stdio: [...stdio], detached: true })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    process.kill(-child.pid!, 'SIGTERM')
    await ended
  })
  const seen: string[] = []
  child.stderr!.on('data', (part: Buffer) => seen.push(part.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs)
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      seen.push(line)
      if (line.includes('"msg":"ready"')) return JSON.parse(line) as Ready
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error(`the ${program} did not become ready:\n${seen.join('\n')}`)
}
