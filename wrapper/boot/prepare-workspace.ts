import { join, relative, sep } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import type { WrapperMetrics } from '../metrics.ts'
import type { Git } from '../workspace/git.ts'
import type { Inside } from '../workspace/outside/inside.ts'
import { checkOut, type Checkout } from '../workspace/outside/prepare.ts'
import type { Wire } from '../workspace/outside/wire.ts'
import type { Config } from './config.ts'
import type { RunLifecycleHook } from './lifecycle-hooks.ts'

interface PrepareTools {
  readonly git: Git
  readonly inside: Inside
  readonly wire: Wire
  readonly runHook: RunLifecycleHook
  readonly metrics: WrapperMetrics
  readonly logger: Logger
  readonly stamp: string
}

/** Clones or resumes every repository, one after another, so that a hook never runs beside another. */
export async function prepareWorkspace(config: Config, tools: PrepareTools): Promise<readonly Checkout[]> {
  const { inside, stamp, logger, metrics } = tools
  const isReview = config.identity.profile === 'review'
  const known = ownNames(config)
  // Where the home is the workspace, nothing tells the platform's own files from what was left there.
  const isSwept = isReview && config.home !== config.workspaceDir
  const { removed } = await inside.ask('sweep', { stamp, isReview: isSwept, known: [...known] })
  if (removed.length > 0)
    logger.info({ removed }, 'the wrapper set aside files that an earlier pod left above the clones')
  const checkouts: Checkout[] = []
  for (const repository of config.repositories) {
    const checkout = await checkOut(repository, {
      ...tools,
      bareDir: join(config.stateDir, 'git'),
      workspaceDir: config.workspaceDir,
      taskBranch: config.taskBranch,
      mostBytes: config.mostCheckoutBytes,
      isReview,
      beforeClone: (url) => tools.runHook('preClone', url),
      afterClone: (dir) => tools.runHook('postClone', dir),
    })
    metrics.reconciled(checkout.result)
    logger.info({ repo: repository.name, result: checkout.result, repaired: checkout.repaired }, 'repository ready')
    checkouts.push(checkout)
  }
  return checkouts
}

/** What at the root of the workspace is no leftover: the clones, and the folders of the pod where they lie within. */
function ownNames({ workspaceDir, repositories, home, stateDir }: Config): readonly string[] {
  const clones = repositories.flatMap(({ name }) => [name, `${name}.cloning`, `${name}.rescue`])
  const within = [home, stateDir]
    .flatMap((dir) => relative(workspaceDir, dir).split(sep, 1))
    .filter((name) => name !== '' && name !== '..')
  return [...clones, ...within, ...(home === workspaceDir ? ['.claude'] : [])]
}
