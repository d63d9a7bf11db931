/** Which paths a pod may not change, and why: the platform's list, the Project's, and the places to which these lead. */
import { foldedNames, isShortName, matchesPath, pathPattern, type PathPattern } from './path-pattern.ts'
import { instructionFiles, otherReasons, protectedPaths, type ProtectedPath } from './protected-paths.ts'

/** The reason why a path is protected, or undefined. */
export type PathGuard = (path: string) => string | undefined

export function pathGuard(ofProject: readonly string[] = []): PathGuard {
  const added = ofProject.map((pattern) => ({ pattern, reason: otherReasons.ofProject }))
  const { names, patterns } = indexed([...protectedPaths, ...added])
  return (path) => {
    const folded = foldedNames(path)
    for (const name of folded) {
      const reason = names.get(name)
      if (reason !== undefined) return reason
      if (isShortName(name)) return otherReasons.shortName
    }
    return patterns.find(({ pattern }) => matchesPath(pattern, folded))?.reason
  }
}

interface Indexed {
  /** Patterns that are one whole name, by it. */
  readonly names: ReadonlyMap<string, string>
  readonly patterns: readonly { readonly pattern: PathPattern; readonly reason: string }[]
}

function indexed(entries: readonly ProtectedPath[]): Indexed {
  const all = entries.map(({ pattern, reason }) => ({ pattern: pathPattern(pattern), reason }))
  const wholeName = ({ isRooted, names: [parts = [], ...deeper] }: PathPattern): string | undefined =>
    !isRooted && deeper.length === 0 && parts.length === 1 ? parts[0] : undefined
  const names = all.flatMap(({ pattern, reason }) => {
    const name = wholeName(pattern)
    return name === undefined ? [] : [[name, reason] as const]
  })
  return { names: new Map(names), patterns: all.filter(({ pattern }) => wholeName(pattern) === undefined) }
}

const readAsInstructions = new Set(instructionFiles.flatMap((name) => foldedNames(name)))

export function isInstructionFile(path: string): boolean {
  return readAsInstructions.has(foldedNames(path).at(-1) ?? '')
}
