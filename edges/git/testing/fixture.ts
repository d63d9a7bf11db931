/** The gateway before the forge of one machine, and repositories of exact trees; for tests and attacks. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneFromDisk, headerOf, run, withForge, type ForgeFixture } from '../../../standins/forge/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createLogger } from '../../../http/operational/logging.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { createServer } from '../../../http/server.ts'
import type { ProjectDirectory, ProjectSettings, RepositorySettings } from '../../forge/projects.ts'
import type { MergeMethod } from '../../forge/port.ts'
import type { MergeJudgement } from '../../ports/merge-judge.ts'
import { createGitCache, type GitCache } from '../store/cache.ts'
import type { ForgeIdOf } from '../store/enrolled.ts'
import { registerGitGateway, type TaskAccess } from '../gateway.ts'
import { judgeMerge } from '../rules/judge-merge.ts'
import { pathGuard } from '../rules/path-guard.ts'
import type { Git } from '../store/pushed-tree.ts'
import type { PushRight } from '../wire/push-rules.ts'
import { mostPackBytes, type PushRecord } from '../wire/receive.ts'
import { createRunGit, gitOrThrow } from '../store/run-git.ts'
import { writeCommit, type Tree } from './loose-objects.ts'

const runGit = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock })

export const BRANCH = 'platform/implement-library-1-aaaaa'

export interface GatewayFixture extends ForgeFixture {
  readonly url: string
  readonly audits: PushRecord[]
  /** Of one push. */
  mostPackBytes: number
  readonly directory: ProjectDirectory
  readonly forgeIdOf: ForgeIdOf
  readonly cache: GitCache
  right: PushRight
  access: TaskAccess | undefined
  /** A clone whose origin is the gateway. Its objects come from the forge's disk, by no request. */
  podClone(): Promise<string>
  /** The same through the gateway, as a pod makes it. */
  podCloneOverGateway(): Promise<string>
}

export function podHeader(token = 'pod-token'): string {
  return `Authorization: Basic ${Buffer.from(`x-pod:${token}`).toString('base64')}`
}

export async function withGateway(
  use: (fixture: GatewayFixture) => Promise<void>,
  repository: Partial<RepositorySettings> = {},
): Promise<void> {
  await withForge({}, (forgeFixture) => withGatewayBefore(forgeFixture, use, repository))
}

/** Before a forge that the test has opened. */
export async function withGatewayBefore(
  forgeFixture: ForgeFixture,
  use: (fixture: GatewayFixture) => Promise<void>,
  repository: Partial<RepositorySettings> = {},
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-'))
  const server = await createServer({
    name: 'gateway',
    version: '0',
    logger: createLogger({ name: 'gateway', level: 'silent' }),
    clock: systemClock,
    ids: { next: () => 'id' },
    openapi: { title: 't', description: 'd' },
  })
  const directory: ProjectDirectory = {
    project: async (name) =>
      name === 'default/demo'
        ? ({
            uid: 'uid-of-demo',
            name: 'demo',
            namespace: 'default',
            scm: { webURL: forgeFixture.forge.url, protectedPaths: ['/deploy'] },
            repositories: [{ name: 'library', url: forgeFixture.forge.gitUrl('acme', 'library'), ...repository }],
          } as unknown as ProjectSettings)
        : undefined,
    projects: async () => [],
    secret: async () => ({ token: 'token-of-bot' }),
  }
  const audits: PushRecord[] = []
  const forgeIdOf = async (): Promise<string> => '1'
  const cache = createGitCache({ dir, run: runGit })
  registerGitGateway(server.app, {
    directory,
    cache,
    fetch,
    clock: systemClock,
    verifyPodToken: async (token) => {
      if (token !== 'pod-token') throw new Problem('unauthenticated', 'no such pod')
      return { project: 'default/demo', task: 'default/implement-library-1-aaaaa', pod: 1 }
    },
    taskAccess: async () => fixture.access,
    mayPush: async () => fixture.right,
    audit: async (push) => void audits.push(push),
    forgeIdOf,
    get mostPackBytes() {
      return fixture.mostPackBytes
    },
    defaultBranch: async () => 'main',
  })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  const fixture: GatewayFixture = {
    ...forgeFixture,
    url: `${url}/git/demo/library.git`,
    audits,
    directory,
    forgeIdOf,
    cache,
    mostPackBytes,
    right: { allowed: true, protectedPaths: false },
    access: { repositories: ['library'], branches: { library: BRANCH } },
    podClone: () => cloneFromDisk(forgeFixture.dir, forgeFixture.path, fixture.url, podHeader()),
    async podCloneOverGateway() {
      const folder = await mkdtemp(join(forgeFixture.dir, 'pod-'))
      await run(folder, ['clone', '--quiet', ...headerOf(podHeader()), fixture.url, '.'])
      return folder
    },
  }
  try {
    await use(fixture)
  } finally {
    await server.close({ graceMs: 1000 })
    await rm(dir, { recursive: true, force: true })
  }
}

export function push(folder: string, ref: string, ...options: string[]): Promise<string> {
  return run(folder, ['push', ...options, 'origin', ref])
}

export type { Tree }

export interface TreesFixture {
  readonly git: (args: readonly string[]) => Promise<string>
  readonly plain: Git
  /** A commit of exactly this tree, which no checkout need be able to make. */
  commit(tree: Tree, ...parents: readonly string[]): Promise<string>
  judge(base: string | undefined, head: string, by?: JudgedBy): Promise<MergeJudgement>
}

export interface JudgedBy {
  readonly method?: MergeMethod
  readonly ofProject?: readonly string[]
}

let bare: Promise<string> | undefined

/** Made once in a process: what a test names it names by hash, and there are no branches. */
async function openBare(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'trees-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  await gitOrThrow(runGit, { dir, args: ['init', '--quiet', '--bare', '.'] })
  return dir
}

/** A bare repository in which a test makes the commits of both sides. */
export async function withTrees(use: (fixture: TreesFixture) => Promise<void>): Promise<void> {
  await use(treesIn(await (bare ??= openBare())))
}

export function treesIn(dir: string): TreesFixture {
  const plain: Git = (args, input) => runGit({ dir, args, ...(input && { input }) })
  return {
    git: async (args) => (await gitOrThrow(runGit, { dir, args })).trim(),
    plain,
    commit: async (tree, ...parents) => writeCommit(dir, tree, parents, systemClock.now()),
    judge(base, head, { method = 'merge', ofProject = [] } = {}) {
      return judgeMerge({ git: plain, guard: pathGuard(ofProject), base, head, method })
    },
  }
}
