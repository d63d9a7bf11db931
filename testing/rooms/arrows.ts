import { circlesOf } from '../architecture/circles.ts'
import { targetOf, type SourceFile } from '../architecture/source.ts'

/** Imports of one room from another. */
export interface Arrow {
  readonly from: string
  readonly to: string
  readonly imports: number
  /** The other room leads back here, perhaps through others. */
  readonly isCircular: boolean
}

/** Of the tree, or of one folder; the room of a file is the folder right below, or `.` where it lies beside them. */
function roomIn(folder: string, path: string): string | undefined {
  if (!path.startsWith(folder)) return undefined
  const [room = '', ...rest] = path.slice(folder.length).split('/')
  return rest.length === 0 ? '.' : room
}

/** Sorted by room. Imports of types count: whoever reads one room has to read the other. */
export function arrowsOf(files: readonly Pick<SourceFile, 'path' | 'imports'>[], folder = ''): readonly Arrow[] {
  const known = new Set(files.map(({ path }) => path))
  const counts = new Map<string, Map<string, number>>()
  for (const { path, imports } of files)
    for (const { specifier } of imports) {
      const target = targetOf(path, specifier) ?? ''
      const [from, to] = [path, target].map((each) => roomIn(folder, each))
      if (!known.has(target) || from === undefined || to === undefined || from === to) continue
      const of = counts.get(from) ?? new Map<string, number>()
      counts.set(from, of.set(to, (of.get(to) ?? 0) + 1))
    }
  const circles = circlesOf(new Map([...counts].map(([from, of]) => [from, [...of.keys()]])))
  const all = [...counts].flatMap(([from, of]) =>
    [...of].map(([to, imports]) => {
      const isCircular = circles.some((circle) => circle.includes(from) && circle.includes(to))
      return { from, to, imports, isCircular }
    }),
  )
  return all.toSorted((one, other) => `${one.from} ${one.to}`.localeCompare(`${other.from} ${other.to}`))
}

/** A flowchart of Mermaid; arrows of a circle are dotted. */
export function drawn(arrows: readonly Arrow[]): string {
  const rooms = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].toSorted()
  const idOf = (room: string): string => `r${rooms.indexOf(room)}`
  return [
    'flowchart TD',
    ...rooms.map((room) => `  ${idOf(room)}["${room}"]`),
    ...arrows.map(({ from, to, imports, isCircular }) =>
      isCircular
        ? `  ${idOf(from)} -.->|${imports}, circle| ${idOf(to)}`
        : `  ${idOf(from)} -->|${imports}| ${idOf(to)}`,
    ),
  ].join('\n')
}
