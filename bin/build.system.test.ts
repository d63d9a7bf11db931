import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { bundle } = (await import(new URL('./build/bundle.mjs', import.meta.url).href)) as {
  bundle(places: { readonly root: string; readonly outDir: string }): Promise<void>
}

/** What a release holds: no source, so that nothing can fall back to one. */
let release = ''
let dist = ''

beforeAll(async () => {
  release = await mkdtemp(join(tmpdir(), 'release-'))
  dist = join(release, 'dist')
  await bundle({ root, outDir: dist })
  await mkdir(join(release, 'bin'))
  for (const name of ['statewright.mjs', 'hand-over.mjs']) await cp(join(root, 'bin', name), join(release, 'bin', name))
  await cp(join(root, 'package.json'), join(release, 'package.json'))
  await symlink(join(root, 'node_modules'), join(release, 'node_modules'))
})

afterAll(() => rm(release, { recursive: true, force: true }))

function launch(...args: readonly string[]): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(release, 'bin', 'statewright.mjs'), ...args], {
    encoding: 'utf8',
    env: { HOME: release, PATH: process.env['PATH'] ?? '' },
  })
  return { code: status, output: `${stdout}${stderr}` }
}

test('the built worker of the workspace answers', () => {
  const parameters = { path: process.env['PATH'], identity: { login: 'b', email: 'b@x' }, workspaceDir: release }
  const request = { id: 1, operation: 'gather', request: { name: 'lib', stamp: 's' } }
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(dist, 'workspace-worker.mjs'), JSON.stringify(parameters)],
    { encoding: 'utf8', env: {}, input: `${JSON.stringify(request)}\n` },
  )
  expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { id: 1, answer: { state: 'none' } }])
})

test('the built command line says the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(launch('--version')).toEqual({ code: 0, output: `${version}\n` })
})

test.each(['up', 'demo', 'apply', 'get', 'secret'])('the built command %s loads and says its usage', (name) => {
  const { code, output } = launch(name, '--help')
  expect(output).toContain(`statewright ${name}`)
  expect(code).toBe(0)
})

test.each([
  ['orchestrator', 'OIDC_ISSUER'],
  ['wrapper', 'OIDC_ISSUER'],
])('the built %s loads all of itself and names the settings that it misses', (name, setting) => {
  const { code, output } = launch(name)
  expect(output).toContain(setting)
  expect(code).toBe(1)
})

function programs(): readonly string[] {
  return readdirSync(dist).filter((name) => name.endsWith('.mjs'))
}

function matchesIn(name: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(join(dist, name), 'utf8').matchAll(pattern)].map((match) => match[1] ?? '')
}

test('every file that a program names by its own place lies there', () => {
  const named = programs().flatMap((name) => matchesIn(name, /new URL\(["'](\.[^"']+)["'],\s*import\.meta\.url\)/g))
  expect(named).toEqual(
    expect.arrayContaining([
      './pglite-worker.mjs',
      './runtime/store/migrations/',
      './wrapper/usage/statusline.mjs',
      './wrapper/hooks/relay.mjs',
      './edges/inspector/page/page.css',
    ]),
  )
  expect(named.filter((path) => !existsSync(join(dist, path)))).toEqual([])
  expect(existsSync(join(dist, 'standins/scenarios/repository/package.json'))).toBe(true)
})

test('what a user installs is enough: no program imports a development package', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  const imported = (name: string): readonly string[] =>
    matchesIn(name, /^(?:import|export)\b[^;'"]*?["']([^."'][^"']*)["']/gm)
      .concat(matchesIn(name, /\bimport\(["']([^."'][^"']*)["']\)/g))
      .filter((specifier) => !specifier.startsWith('node:') && !builtinModules.includes(specifier))
  const listed = Object.keys(dependencies)
  const isListed = (specifier: string): boolean =>
    listed.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  const all = programs().flatMap((name) => imported(name))
  expect(all).toContain('fastify')
  expect(all.filter((specifier) => !isListed(specifier))).toEqual([])
})

test('the relay that is shipped loads nothing but node:net, and carries lines both ways (TOOLS-2)', async () => {
  const relay = join(dist, 'wrapper', 'hooks', 'relay.mjs')
  expect([...readFileSync(relay, 'utf8').matchAll(/^import .* from '(.*)'/gm)].map(([, name]) => name)).toEqual([
    'node:net',
  ])
  const path = join(release, 'echo.sock')
  const server = createServer((socket) => socket.pipe(socket))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const { stdout } = spawn(process.execPath, [relay, path], { stdio: ['pipe', 'pipe', 'inherit'] }).on(
    'spawn',
    function (this: ChildProcess) {
      this.stdin?.end('a line\n')
    },
  )
  expect(await text(stdout)).toBe('a line\n')
  server.close()
})
