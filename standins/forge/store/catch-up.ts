import { refOf, ZERO_SHA } from '../git/refs.ts'
import { refLock } from './pulls.ts'
import { applyRefUpdate, followBase, openPulls } from './push.ts'
import type { Pull, Repository } from './records.ts'
import type { World } from './world.ts'

/**
 * At a start: git may hold pushes and merges that came after the forge's memory was last written. They count as the
 * owner's, since who made them is not known any more. A squash or a rebase of that moment can't be told from other
 * commits: its pull request stays open.
 */
export function catchUp(world: World, repository: Repository): Promise<void> {
  return world.locks.run(refLock(repository), async () => {
    for (const pull of openPulls(repository)) await followHead(world, repository, pull)
    for (const pull of openPulls(repository)) {
      const base = await repository.git.branchTip(pull.base)
      if (base !== undefined && (await repository.git.isAncestor(pull.headSha, base)))
        await followBase(world, repository, repository.owner, pull.base, base)
    }
    // A head whose check was created in that moment has none now, and would wait for it for ever.
    for (const pull of openPulls(repository))
      for (const listener of world.tipListeners) await listener(repository, pull.head, pull.headSha)
  })
}

async function followHead(world: World, repository: Repository, pull: Pull): Promise<void> {
  const after = (await repository.git.branchTip(pull.head)) ?? ZERO_SHA
  if (pull.state === 'closed' || after === pull.headSha) return
  await applyRefUpdate(world, repository, repository.owner, { ref: refOf(pull.head), before: pull.headSha, after })
}
