import { beforeEach, expect, test } from 'vitest'
import { captureLog, testClock } from '../../http/testing/fixture.ts'
import type { Resource, ResourceReader, SecretReader } from '../../edges/ports/resources.ts'
import { createOpenForge } from '../../edges/forge/transport/open-forge.ts'
import { learnRepositoryKey } from '../../edges/forge/mirror/places/places.ts'
import { withSql } from '../../edges/forge/testing/fixture.ts'
import { createProjectDirectory } from '../../edges/forge/project-directory.ts'
import { defaultBranches } from './default-branch.ts'

const sql = await withSql(async (opened) => opened)

const scm = {
  provider: 'forge_a',
  owner: 'acme',
  botLogin: 'bot',
  apiURL: 'http://127.0.0.1:9/api/v3',
  webURL: 'http://127.0.0.1:9',
}
const stored: readonly Partial<Resource>[] = [
  { kind: 'Project', name: 'demo', spec: { scmSecretRef: 's', scm } },
  { kind: 'Repository', name: 'lib', spec: { projectRef: 'demo' } },
]
let applied = stored
beforeEach(() => void (applied = stored))
const resources = {
  list: async (kind: string) =>
    applied
      .filter((one) => one.kind === kind)
      .map((one) => ({ namespace: 'default', uid: one.name, generation: 1, createdAt: 0, updatedAt: 0, ...one })),
} as unknown as ResourceReader
const secrets = { read: async () => ({ token: 't', webhookSecret: 'w' }) } as unknown as SecretReader

/** A forge that answers only when it is told to. */
function aForge(): { readonly fetch: typeof fetch; readonly asked: string[]; branch: string; up: boolean } {
  const forge = {
    asked: [] as string[],
    branch: 'trunk',
    id: 1,
    up: true,
    fetch: (async (input: string | URL | Request) => {
      forge.asked.push(String(input instanceof Request ? input.url : input))
      if (!forge.up) throw new TypeError('connection refused')
      return Response.json({ id: forge.id, full_name: 'acme/lib', default_branch: forge.branch, private: false })
    }) as typeof fetch,
  }
  return forge
}

test('those who ask at the same time get the same answer, and none of them a guess', async () => {
  const forge = aForge()
  const branchOf = defaultBranches({
    resources,
    secrets,
    fetch: forge.fetch,
    sql,
    clock: testClock(),
    logger: captureLog().logger,
  })
  expect(await Promise.all([branchOf('demo', 'lib'), branchOf('demo', 'lib'), branchOf('demo', 'lib')])).toEqual([
    'trunk',
    'trunk',
    'trunk',
  ])
  expect(forge.asked).toHaveLength(1)
})

test('an answer is believed for ten minutes, and beyond them while the forge cannot be asked', async () => {
  const forge = aForge()
  const clock = testClock()
  const branchOf = defaultBranches({ resources, secrets, fetch: forge.fetch, sql, clock, logger: captureLog().logger })
  await branchOf('demo', 'lib')
  forge.branch = 'next'
  expect(await branchOf('demo', 'lib')).toBe('trunk')
  clock.advance(10 * 60_000)
  forge.up = false
  expect(await branchOf('demo', 'lib')).toBe('trunk')
  forge.up = true
  expect(await branchOf('demo', 'lib')).toBe('next')
})

test('while the forge told somebody with the same token to wait, no default branch is asked for, and that is counted (FORGE-BUDGET-1)', async () => {
  await withSql(async (shared) => {
    const asked: string[] = []
    const limited: string[] = []
    const refusing = (async (input: string | URL | Request) => {
      asked.push(String(input))
      return new Response('{}', { status: 429, headers: { 'retry-after': '60' } })
    }) as typeof fetch
    const traffic = {
      sql: shared,
      fetch: refusing,
      clock: testClock(),
      onLimited: (_: string, path: string, type: string) => limited.push(`${path} ${type}`),
    }
    const directory = createProjectDirectory({ resources, secrets, defaultBranch: async () => '' })
    const forge = await createOpenForge({ ...traffic, directory })('demo')
    await expect(forge.whoAmI()).rejects.toMatchObject({ limitType: 'secondary' })
    const branchOf = defaultBranches({ ...traffic, resources, secrets, logger: captureLog().logger })
    expect(await branchOf('demo', 'lib')).toBe('main')
    expect(asked).toHaveLength(1)
    expect(limited.at(-1)).toBe('/api/v3/repos/{owner}/{repo} secondary')
  })
})

interface World {
  readonly learn: (forgeId: string) => Promise<void>
  readonly forge: ReturnType<typeof aForge>
}
type Change = (world: World) => Promise<void> | void

const elsewhere = { projectRef: 'demo', url: 'http://127.0.0.1:9/acme/other.git' }

/** Told once what it is; then the forge has another branch, which is asked for only where another repository is meant. */
async function afterwards(change: Change): Promise<string> {
  return withSql(async (shared) => {
    const forge = aForge()
    const clock = testClock()
    const branches = defaultBranches({
      resources,
      secrets,
      fetch: forge.fetch,
      sql: shared,
      clock,
      logger: captureLog().logger,
    })
    const branchOf = (): Promise<string> => branches('demo', 'lib')
    const directory = createProjectDirectory({ resources, secrets, defaultBranch: async () => '' })
    const learn = async (id: string): Promise<void> => {
      const project = (await directory.project('demo'))!
      await learnRepositoryKey({ sql: shared, clock }, project, project.repositories[0]!, id)
    }
    expect(await branchOf()).toBe('trunk')
    await learn('1')
    forge.branch = 'next'
    expect(await branchOf()).toBe('trunk')
    await change({ learn, forge })
    return branchOf()
  })
}

test.each<[string, Change]>([
  [
    'a Project that was applied anew under the name',
    () => void (applied = stored.map((one) => ({ ...one, uid: 'anew' }))),
  ],
  [
    'a Repository that has another url',
    () => void (applied = stored.map((one) => (one.kind === 'Project' ? one : { ...one, spec: elsewhere }))),
  ],
  ['a repository that was made anew at the address', ({ learn }) => learn('2')],
])('the default branch of %s is asked for at once (MIRROR-7)', async (_what, change) => {
  expect(await afterwards(change)).toBe('next')
})

test('of a repository that was made anew nothing is believed while the forge does not answer (MIRROR-7)', async () => {
  const anew: Change = async ({ learn, forge }) => {
    await learn('2')
    forge.up = false
  }
  expect(await afterwards(anew)).toBe('main')
})
