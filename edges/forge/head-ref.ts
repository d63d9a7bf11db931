import type { ForgeMergeRequest } from './port.ts'

/** Of a fork the branch is not ours to see: its merge request tells of its pushes. */
export function refOf(
  { number, headBranch, headRepository }: Pick<ForgeMergeRequest, 'number' | 'headBranch' | 'headRepository'>,
  path: string,
): string {
  const isHere = headRepository?.toLowerCase() === path.toLowerCase()
  return isHere ? `refs/heads/${headBranch}` : `refs/pull/${number}/head`
}

export function isOfFork(ref: string): boolean {
  return ref.startsWith('refs/pull/')
}
