/** The gateway before the forge of one machine, and repositories of exact trees; for tests and attacks. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, withForge, type ForgeFixture } from '../../../standins/forge/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createLogger } from '../../../http/logging.ts'
import { Problem } from '../../../http/problem.ts'
import { createServer } from '../../../http/server.ts'
import type { ProjectDirectory, ProjectSettings, RepositorySettings } from '../../forge/projects.ts'
import type { MergeMethod } from '../../forge/port.ts'
import type { MergeJudgement } from '../../ports/merge-judge.ts'
import { createGitCache, type GitCache } from '../cache.ts'
import type { ForgeIdOf } from '../enrolled.ts'
import { registerGitGateway, type TaskAccess } from '../gateway.ts'
import { judgeMerge } from '../judge-merge.ts'
import { pathGuard } from '../path-guard.ts'
import type { Git } from '../pushed-tree.ts'
import type { PushRight } from '../push-rules.ts'
import { mostPackBytes, type PushRecord } from '../receive.ts'
import { createRunGit, gitOrThrow } from '../run-git.ts'

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
  /** A clone through the gateway, as a pod makes it. */
  podClone(): Promise<string>
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
    async podClone() {
      const folder = await mkdtemp(join(forgeFixture.dir, 'pod-'))
      await run(folder, ['-c', `http.extraHeader=${podHeader()}`, 'clone', '--quiet', fixture.url, '.'])
      await run(folder, ['config', 'http.extraHeader', podHeader()])
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

/** A file's text, a link's target or a submodule's commit. */
export type Put = string | { readonly link: string } | { readonly gitlink: string }
export type Tree = Readonly<Record<string, Put>>

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

/** A bare repository in which a test makes the commits of both sides. */
export async function withTrees(use: (fixture: TreesFixture) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'trees-'))
  try {
    await gitOrThrow(runGit, { dir, args: ['init', '--quiet', '--bare', '.'] })
    await use(treesIn(dir))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export function treesIn(dir: string): TreesFixture {
  const git = (args: readonly string[], input?: string, env = {}): Promise<string> =>
    gitOrThrow(runGit, { dir, args, env, ...(input === undefined ? {} : { input: one(input) }) }).then((out) =>
      out.trim(),
    )
  const blob = (content: string): Promise<string> => git(['hash-object', '-w', '--stdin'], content)
  const line = async ([path, put]: [string, Put]): Promise<string> => {
    if (typeof put === 'string') return `100644 ${await blob(put)}\t${path}`
    return 'link' in put ? `120000 ${await blob(put.link)}\t${path}` : `160000 ${put.gitlink}\t${path}`
  }
  const plain: Git = (args, input) => runGit({ dir, args, ...(input && { input }) })
  return {
    git,
    plain,
    async commit(tree, ...parents) {
      const index = { GIT_INDEX_FILE: join(dir, 'index') }
      rmSync(join(dir, 'index'), { force: true })
      const lines = await Promise.all(Object.entries(tree).map(line))
      await git(['update-index', '-z', '--index-info'], lines.map((each) => `${each}\0`).join(''), index)
      const by = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' }
      const above = parents.flatMap((parent) => ['-p', parent])
      return git(['commit-tree', await git(['write-tree'], undefined, index), ...above, '-m', 'x'], undefined, by)
    },
    judge(base, head, { method = 'merge', ofProject = [] } = {}) {
      return judgeMerge({ git: plain, guard: pathGuard(ofProject), base, head, method })
    },
  }
}

async function* one(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text)
}
