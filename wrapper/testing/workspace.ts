import { join } from 'node:path'
import { Check } from 'typebox/value'
import { openPlainSpace } from '../space/space.ts'
import type { Git } from '../workspace/git.ts'
import { createDesk } from '../workspace/inside/desk.ts'
import { createInsideGit } from '../workspace/inside/git.ts'
import { createOutsideGit, outsideSide } from '../workspace/outside/git.ts'
import type { Inside } from '../workspace/outside/inside.ts'
import { checkOut, type Checkout } from '../workspace/outside/prepare.ts'
import type { Crossings } from '../workspace/outside/publish.ts'
import { createWire, type Wire } from '../workspace/outside/wire.ts'
import { operations } from '../workspace/requests.ts'

export interface WorkspaceScene extends Crossings {
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

export interface SceneOptions {
  readonly dir: string
  readonly url: string
  readonly branch: string
  readonly mutate?: (git: Git) => Git
}

const identity = { login: 'bot', email: 'bot@example.invalid' }

/** Both sides of the workspace in one process, without the worker between them: its protocol has tests of its own. */
export function openWorkspace({ dir, url, branch, mutate = (git) => git }: SceneOptions): WorkspaceScene {
  const path = process.env['PATH']!
  const own = { path, home: dir, identity }
  const workspaceDir = join(dir, 'ws')
  const bareDir = join(dir, 'bare')
  const insideGit = mutate(createInsideGit({ path, identity }))
  const git = mutate(createOutsideGit(own))
  const wire = createWire({ space: openPlainSpace(), outside: outsideSide(own), path, identity })
  let boots = 0
  const wrapped = (wrap: Wrap): Crossings => ({
    git: wrap.git(git),
    wire: wrap.wire(wire),
    inside: insideOf(wrap.git(insideGit), workspaceDir),
  })
  const plain = { git, wire, inside: insideOf(insideGit, workspaceDir) }
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
          stamp: `boot-${(boots += 1)}`,
          isReview: extra.isReview ?? false,
          beforeClone: async () => undefined,
          afterClone: async () => undefined,
        },
      ),
  }
}

function insideOf(git: Git, workspaceDir: string): Inside {
  const desk = createDesk(git, workspaceDir)
  return {
    ask: async (operation, request) => {
      const { request: asked, answer: said } = operations[operation]
      if (!Check(asked, request)) throw new Error(`no request: ${operation} ${JSON.stringify(request)}`)
      const answer = await desk[operation](request)
      if (!Check(said, answer)) throw new Error(`no answer: ${operation} ${JSON.stringify(answer)}`)
      return answer
    },
    close: () => undefined,
  }
}
