/** The trees of the images, each run as its Dockerfile says: by a user who is not root, on a root that is read-only. */
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { inside, refusesContainers, serving } from '../testing/container.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const reason = refusesContainers ? ' (skipped: this machine refuses user namespaces)' : ''
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

describe.skipIf(refusesContainers)(`a read-only root and no root${reason}`, () => {
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
      expect(inside({ tree: tree(program) }, ['node', '/app/dist/load-all.mjs'])).toEqual({ code: 0, text: '' })
    },
  )

  test('writes nowhere but to its state and to /tmp, and is not root', () => {
    const places = '/ /app /app/dist /app/node_modules /etc /usr/local/bin /var /var/lib/statewright /tmp'
    const script = `id -u; for at in ${places}; do (echo x > $at/new) 2>/dev/null && echo $at; done; true`
    expect(inside({ tree: tree('orchestrator') }, ['/bin/sh', '-c', script])).toEqual({
      code: 0,
      text: '1000\n/var/lib/statewright\n/tmp\n',
    })
  })

  test('the orchestrator is alive and ready on its embedded store', { timeout: limitMs }, async () => {
    const { url, internalUrl } = await serving({ tree: tree('orchestrator'), env: ofOrchestrator }, ['orchestrator'])
    for (const address of [`${url}/healthz`, `${internalUrl}/readyz`])
      expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })

  test('the memory service is alive and ready on its embedded store', { timeout: limitMs }, async () => {
    const { url } = await serving({ tree: tree('memory'), env: oidc }, ['memory'])
    for (const path of ['/healthz', '/readyz'])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200])
  })

  test.each(['wrapper', 'single-server'] as const)(
    'the %s image has a wrapper that names the settings that it misses, and the agent CLI that it starts',
    (program) => {
      const { code, text } = inside({ tree: tree(program) }, ['/usr/local/bin/statewright', 'wrapper'])
      expect([code, text]).toEqual([1, expect.stringContaining('OIDC_ISSUER')])
      const links = '/usr/local/bin/cc-statusline http://127.0.0.1:1/ && test -x /usr/local/bin/claude'
      expect(inside({ tree: tree(program) }, ['/bin/sh', '-c', links])).toEqual({ code: 0, text: '' })
    },
  )

  test('the command line explains itself and has the grammars that it parses with', () => {
    expect(inside({ tree: tree('cli') }, ['/usr/local/bin/statewright', '--help'])).toMatchObject({ code: 0 })
    const script =
      'cd /tmp && mkdir src && echo "export function first() {}" >src/a.ts && echo "int second(void) { return 1; }" >src/b.c && statewright code-graph extract src'
    const { code, text } = inside({ tree: tree('cli') }, ['/bin/sh', '-c', script])
    expect([code, text]).toEqual([0, expect.stringMatching(/first[^]*second/)])
  })

  test('an image lists the commands that it brings, and refuses another by its name', () => {
    const listed = (program: Program): readonly string[] => {
      const { text } = inside({ tree: tree(program) }, ['/usr/local/bin/statewright', '--help'])
      return [...text.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name!)
    }
    expect(listed('memory')).toEqual(['memory'])
    expect(listed('wrapper')).toEqual(['wrapper'])
    expect(listed('cli')).toEqual(expect.arrayContaining(['get', 'retry', 'effects', 'check-pins']))
    expect(listed('cli')).not.toContain('up')
    expect(inside({ tree: tree('memory') }, ['/usr/local/bin/statewright', 'orchestrator'])).toEqual({
      code: 1,
      text: 'statewright: the image of memory does not bring orchestrator, because it has only what memory needs\n',
    })
  })
})

const oidc = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_AUDIENCE: 'operators' }
const ofOrchestrator = {
  ...oidc,
  WRAPPER_AUDIENCE: 'wrappers',
  OIDC_CLIENT_ID: 'statewright',
  OIDC_CLIENT_SECRET: 's',
  MODEL_PROVIDER_API_KEY: 'x',
  PLACE: 'machine',
  POD_ISOLATION: 'none',
  INTERNAL_ADDR: '127.0.0.1:0',
}

/** What npm installs and a chunk imports, now or later. */
function importsOf(code: string): readonly string[] {
  return [
    ...code.matchAll(/^(?:import|export)\b[^;'"]*?["']([^."'][^"']*)["']/gm),
    ...code.matchAll(/\bimport\(["']([^."'][^"']*)["']\)/g),
  ].map(([, name]) => name!)
}
