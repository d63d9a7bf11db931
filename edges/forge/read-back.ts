import { NotFoundError } from './errors.ts'
import type { Mirror } from './mirror/mirror.ts'
import type { ForgeMergeRequest } from './port.ts'

/** A merge request that was read from the forge (`live`), once the mirror has its head and base and tells its actor of both. */
export type ReadBack = (project: string, repository: string, live: ForgeMergeRequest) => Promise<ForgeMergeRequest>

export function createReadBack(mirror: Pick<Mirror, 'refresh' | 'mergeRequest'>): ReadBack {
  return async (project, repository, live) => {
    const { number } = live
    const known = (await mirror.mergeRequest(project, repository, number))?.mergeRequest
    if (known?.headSha === live.headSha && known.baseBranch === live.baseBranch) return live
    await mirror.refresh(project, repository, 'mr', number)
    const row = await mirror.mergeRequest(project, repository, number)
    if (row === undefined) throw new NotFoundError('readBack', `there is no merge request ${repository}!${number}`)
    return row.mergeRequest
  }
}
