import type { Logger } from '../../edges/http/logging.ts'
import type { WrapperMetrics } from '../metrics.ts'
import { checkOut, type Checkout } from '../workspace/checkout.ts'
import type { Git } from '../workspace/git.ts'
import type { Config } from './config.ts'
import type { RunLifecycleHook } from './lifecycle-hooks.ts'

/** Clones or resumes every repository, one after another, so that a hook never runs beside another. */
export async function prepareWorkspace(
  config: Config,
  git: Git,
  tools: {
    readonly runHook: RunLifecycleHook
    readonly metrics: WrapperMetrics
    readonly logger: Logger
    readonly stamp: string
  },
): Promise<readonly Checkout[]> {
  const checkouts: Checkout[] = []
  for (const repository of config.repositories) {
    const checkout = await checkOut(repository, {
      git,
      workspaceDir: config.workspaceDir,
      taskBranch: config.taskBranch,
      stamp: tools.stamp,
      beforeClone: (url) => tools.runHook('preClone', url),
      afterClone: (dir) => tools.runHook('postClone', dir),
    })
    tools.metrics.reconciled(checkout.result)
    tools.logger.info(
      { repo: repository.name, result: checkout.result, repaired: checkout.repaired },
      'repository ready',
    )
    checkouts.push(checkout)
  }
  return checkouts
}
