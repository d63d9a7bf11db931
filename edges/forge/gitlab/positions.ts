/** Where a line of the new side stands in a diff, as GitLab wants it named. */
import type { ReviewLine } from '../port.ts'
import type { FileDiff, Version } from './schema.ts'

export interface Position {
  readonly position_type: 'text'
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly old_path: string
  readonly new_path: string
  readonly new_line: number
  readonly old_line?: number
}

/** Undefined: the line is not part of the diff. */
export function positionOf(
  version: Version,
  files: readonly FileDiff[],
  { path, line }: Pick<ReviewLine, 'path' | 'line'>,
): Position | undefined {
  const file = files.find((one) => one.new_path === path)
  const found = file && lineIn(file, line)
  const { base_commit_sha: base, start_commit_sha: start } = version
  if (file === undefined || found === undefined || !base || !start) return undefined
  return {
    position_type: 'text',
    base_sha: base,
    start_sha: start,
    head_sha: version.head_commit_sha,
    old_path: file.old_path,
    new_path: file.new_path,
    ...found,
  }
}

/** An added line has the new number alone; one that stayed has both, or GitLab refuses it. */
function lineIn(file: FileDiff, line: number): { readonly new_line: number; readonly old_line?: number } | undefined {
  let [older, newer] = [0, 0]
  for (const text of (file.diff ?? '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (hunk !== null) [older, newer] = [Number(hunk[1]), Number(hunk[2])]
    else if (text.startsWith('+') && newer++ === line) return { new_line: line }
    else if (text.startsWith('-')) older++
    else if (text.startsWith(' ') && newer++ === line) return { new_line: line, old_line: older }
    else if (text.startsWith(' ')) older++
  }
  return undefined
}
