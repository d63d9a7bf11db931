/** One line of a patch, as review comments address it. */
export interface PatchLine {
  readonly text: string
  readonly oldLine: number | null
  readonly newLine: number | null
  /** Lines below the first hunk header, headers counted: the older of GitHub's two ways to name a line. */
  readonly position: number
  /** Index of the line within its hunk, for cutting the excerpt that a comment carries. */
  readonly hunk: number
}

export interface Spot {
  readonly position: number
  readonly hunk: number
  /** The hunk's header and lines down to the spot. */
  readonly excerpt: string
}

function patchLines(patch: string): PatchLine[] {
  const lines: PatchLine[] = []
  let oldLine = 0
  let newLine = 0
  let hunk = -1
  for (const [position, text] of patch.split('\n').entries()) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (header) {
      hunk += 1
      oldLine = Number(header[1])
      newLine = Number(header[2])
      lines.push({ text, oldLine: null, newLine: null, position, hunk })
      continue
    }
    const added = text.startsWith('+')
    const removed = text.startsWith('-')
    const note = text.startsWith('\\')
    lines.push({
      text,
      position,
      hunk,
      oldLine: added || note ? null : oldLine,
      newLine: removed || note ? null : newLine,
    })
    if (!added && !note) oldLine += 1
    if (!removed && !note) newLine += 1
  }
  return lines
}

/** Where a line of one side stands in the patch; undefined when no hunk shows it, and then no comment can stand there. */
export function locate(patch: string, line: number, side: 'LEFT' | 'RIGHT'): Spot | undefined {
  const lines = patchLines(patch)
  return spotOf(
    lines,
    lines.find((one) => (side === 'LEFT' ? one.oldLine : one.newLine) === line),
  )
}

/** The same by position, with the line that the position means. */
export function locatePosition(
  patch: string,
  position: number,
): (Spot & { line: number; side: 'LEFT' | 'RIGHT' }) | undefined {
  const lines = patchLines(patch)
  const found = lines.find((one) => one.position === position)
  const spot = spotOf(lines, found)
  if (!spot || !found) return undefined
  const side = found.newLine === null ? 'LEFT' : 'RIGHT'
  const line = found.newLine ?? found.oldLine
  return line === null ? undefined : { ...spot, line, side }
}

function spotOf(lines: readonly PatchLine[], found: PatchLine | undefined): Spot | undefined {
  if (!found) return undefined
  const above = lines.filter((one) => one.hunk === found.hunk && one.position <= found.position)
  return { position: found.position, hunk: found.hunk, excerpt: above.map((one) => one.text).join('\n') }
}

/** The numbers of the line that an excerpt ends with. */
export function lastLine(excerpt: string): Pick<PatchLine, 'oldLine' | 'newLine'> | undefined {
  return patchLines(excerpt).at(-1)
}

/** The line with exactly these numbers: an added one has no old number, a removed one no new number. */
export function findLine(patch: string, oldLine: number | null, newLine: number | null): PatchLine | undefined {
  return patchLines(patch).find(
    (one) => one.oldLine === oldLine && one.newLine === newLine && (oldLine !== null || newLine !== null),
  )
}
