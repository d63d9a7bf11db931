import { NotFoundError } from './errors.ts'
import type { Mirror } from './mirror/mirror.ts'
import type { ForgeMergeRequest } from './port.ts'

/** A merge request as the forge has it now, once the mirror has read it and told its actor. */
export type ReadBack = (project: string, repository: string, number: number) => Promise<ForgeMergeRequest>

export function createReadBack(mirror: Pick<Mirror, 'refresh' | 'mergeRequest'>): ReadBack {
  return async (project, repository, number) => {
    await mirror.refresh(project, repository, 'mr', number)
    const row = await mirror.mergeRequest(project, repository, number)
    if (row === undefined) throw new NotFoundError('readBack', `there is no merge request ${repository}!${number}`)
    return row.mergeRequest
  }
}
