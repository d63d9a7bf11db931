import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sentNames } from './dockerfiles.ts'
import { buildTree, filesOf } from './image-tree.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const sent = sentNames(read('.dockerignore'))
const { devDependencies, version } = JSON.parse(read('package.json')) as {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

describe("the file tree of the agent's image", () => {
  let out = ''
  let tree = ''
  beforeAll(() => {
    out = mkdtempSync(join(tmpdir(), 'image-'))
    tree = buildTree(read('deploy/Dockerfile.wrapper'), { root, sent }, out)
  }, 120_000)
  afterAll(() => rmSync(out, { recursive: true, force: true }))

  const run = (path: string, args: readonly string[], input = ''): { code: number | null; said: string } => {
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: out }
    const { status, stdout, stderr } = spawnSync(join(tree, path), args, { encoding: 'utf8', env, input })
    return { code: status, said: `${stdout}${stderr}` }
  }

  test("has the agent's CLI at the version that is pinned (WRAPPER-IMAGE-3)", () => {
    const { code, said } = run('usr/local/bin/claude', ['--version'])
    expect([code, said.trim()]).toEqual([0, `${devDependencies['@anthropic-ai/claude-code']} (Claude Code)`])
  })

  test('has the product, whose wrapper loads all of itself and names the settings that it misses (WRAPPER-ENV-1)', () => {
    expect(run('usr/local/bin/statewright', ['--version'])).toEqual({ code: 0, said: `${version}\n` })
    const { code, said } = run('usr/local/bin/statewright', ['wrapper'])
    expect([code, said.includes('OIDC_ISSUER')]).toEqual([1, true])
  })

  test('has the status line program where the contract fixes it (WRAPPER-IMAGE-4)', () => {
    expect(run('usr/local/bin/cc-statusline', ['http://127.0.0.1:1/'], '{}')).toEqual({ code: 0, said: '' })
  })

  test('has the dependency-update tool', () => {
    expect(run('usr/local/bin/renovate', []).code).toBe(0)
  })

  test('has neither sources nor tests, the repository that the demo plays on aside', () => {
    const files = filesOf(tree).filter((path) => !path.includes('/standins/scenarios/repository/'))
    expect(files.filter((path) => /\.ts$|\.test\./.test(path))).toEqual([])
    expect(filesOf(tree)).toContain('/app/bin/statewright.mjs')
  })
})

test('a step that nobody knows fails the build', () => {
  const text = 'FROM node:24\nRUN curl https://example.org\n'
  expect(() => buildTree(text, { root, sent }, mkdtempSync(join(tmpdir(), 'image-')))).toThrow('nobody knows')
})

test('the dependency-update tool is pinned exactly, fits the Node of the image, and no other may be taken for it (WRAPPER-IMAGE-2)', () => {
  const manifest = JSON.parse(read('deploy/dependency-update/package.json')) as { dependencies: Record<string, string> }
  const lock = JSON.parse(read('deploy/dependency-update/package-lock.json')) as {
    packages: Record<string, { version?: string; integrity?: string; link?: boolean; engines?: { node?: string } }>
  }
  const renovate = lock.packages['node_modules/renovate']!
  expect(manifest.dependencies).toEqual({ renovate: renovate.version })
  const [major, minor] = devDependencies['node']!.split('.').map(Number)
  const [, needs, atLeast] = /^\^(\d+)\.(\d+)\./.exec(renovate.engines!.node!)!
  expect([major, minor! >= Number(atLeast)]).toEqual([Number(needs), true])
  const unverified = Object.entries(lock.packages).filter(([path, { integrity, link }]) => path && !integrity && !link)
  expect(unverified.map(([path]) => path)).toEqual([])
  expect(read('deploy/dependency-update/.npmrc')).toBe('engine-strict=true\n')
})
