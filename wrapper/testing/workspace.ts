import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { openPlainSpace, type CommandSpace } from '../space/space.ts'
import type { Git } from '../workspace/git.ts'
import { createCloneOperations } from '../workspace/inside/clone-operations.ts'
import { createInsideGit } from '../workspace/inside/git.ts'
import type { Crossings } from '../workspace/outside/crossings.ts'
import { createOutsideGit, outsideSide, type CredentialHelper } from '../workspace/outside/git.ts'
import { openInside, type Inside } from '../workspace/outside/inside.ts'
import type { WireLimits } from '../workspace/outside/pack-limits.ts'
import { checkOut, type Checkout } from '../workspace/outside/prepare.ts'
import { createWire, type Wire } from '../workspace/outside/wire.ts'
import { operations } from '../workspace/requests.ts'
import { realClock } from './pod.ts'
import { rememberingLogger } from './quiet-log.ts'

export interface WorkspaceFixture extends Crossings {
  /** Of the clone of `lib`. */
  readonly clone: string
  boot(extra?: BootOptions): Promise<Checkout>
  wrapped(wrap: Wrap): Crossings
}

export interface BootOptions {
  readonly sha?: string
  readonly base?: string
  readonly isReview?: boolean
  readonly url?: string
  readonly wrap?: Wrap
}

/** Stands between the wrapper and its commands, to count, break or end them. */
export interface Wrap {
  readonly git: (git: Git) => Git
  readonly wire: (wire: Wire) => Wire
}

export interface FixtureOptions {
  readonly dir: string
  readonly url: string
  readonly branch: string
  readonly mutate?: (git: Git) => Git
  readonly credential?: CredentialHelper
  /** With it the agent's side runs in the worker, started there. */
  readonly space?: CommandSpace
  readonly limits?: Partial<WireLimits>
  readonly timeoutMs?: number
  readonly mostBytes?: number
}

const identity = { login: 'bot', email: 'bot@example.invalid' }

/** Both sides of the workspace in one process, unless a space is given: the worker's protocol has tests of its own. */
export function openWorkspace(options: FixtureOptions): WorkspaceFixture {
  const { dir, url, branch, mutate = (git) => git, credential, limits, timeoutMs } = options
  const path = process.env['PATH']!
  const own = { path, home: dir, identity }
  const workspaceDir = join(dir, 'ws')
  const bareDir = join(dir, 'bare')
  const insideGit = mutate(createInsideGit({ path, identity }))
  const git = mutate(createOutsideGit({ ...own, ...(credential ? { credential } : {}) }))
  const wire = createWire({
    space: options.space ?? openPlainSpace(),
    outside: outsideSide(own),
    path,
    identity,
    ...(limits ? { limits } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
  })
  let boots = 0
  const wrapped = (wrap: Wrap): Crossings => ({
    git: wrap.git(git),
    wire: wrap.wire(wire),
    inside: insideOf(wrap.git(insideGit), workspaceDir),
  })
  const worker = (space: CommandSpace): Inside =>
    openInside({
      space,
      node: process.execPath,
      workspaceDir,
      path,
      identity,
      clock: realClock,
      logger: rememberingLogger().logger,
    })
  mkdirSync(workspaceDir, { recursive: true })
  const inside = options.space ? worker(options.space) : insideOf(insideGit, workspaceDir)
  const plain = { git, wire, inside }
  return {
    ...plain,
    wrapped,
    clone: join(workspaceDir, 'lib'),
    boot: (extra = {}) =>
      checkOut(
        { name: 'lib', url: extra.url ?? url, base: extra.base ?? 'main', branch: '', sha: extra.sha ?? '' },
        {
          ...(extra.wrap ? wrapped(extra.wrap) : plain),
          bareDir,
          workspaceDir,
          taskBranch: branch,
          mostBytes: options.mostBytes ?? mostCheckoutBytes,
          stamp: `boot-${(boots += 1)}`,
          isReview: extra.isReview ?? false,
          beforeClone: async () => undefined,
          afterClone: async () => undefined,
        },
      ),
  }
}

function insideOf(git: Git, workspaceDir: string): Inside {
  const clones = createCloneOperations(git, workspaceDir)
  return {
    ask: async (operation, request) => {
      const { request: asked, answer: said } = operations[operation]
      if (!Check(asked, request)) throw new Error(`no request: ${operation} ${JSON.stringify(request)}`)
      const answer = await clones[operation](request)
      if (!Check(said, answer)) throw new Error(`no answer: ${operation} ${JSON.stringify(answer)}`)
      return answer
    },
    close: () => undefined,
  }
}
