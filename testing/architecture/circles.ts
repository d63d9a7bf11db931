import { targetOf, type SourceFile } from './source.ts'
import type { Breach, Ratchet } from './ratchet.ts'

/** Imports of types and lazy imports count: whoever reads one file of a circle has to read them all. */
export const circles: Ratchet = {
  name: 'circles',
  remedy: 'Move what both sides need into a file of its own. What is left of a listed circle takes its place.',
  breaches: ({ files }) => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const next = new Map(files.map((file) => [file.path, targetsOf(file).filter((target) => byPath.has(target))]))
    return circlesOf(next).map((circle) => toBreach(byPath.get(circle[0]!)!, circle))
  },
}

function targetsOf(file: SourceFile): string[] {
  return file.imports.flatMap(({ specifier }) => targetOf(file.path, specifier) ?? [])
}

function toBreach(file: SourceFile, circle: readonly string[]): Breach {
  const inside = file.imports.find(({ specifier }) => circle.includes(targetOf(file.path, specifier) ?? ''))
  return { entry: circle.join(' '), count: circle.length, at: `${file.path}:${inside?.line ?? 1}` }
}

/** The strongly connected components of more than one file (Tarjan), each sorted. */
export function circlesOf(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []

  function visit(file: string): void {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    open.push(file)
    for (const target of next.get(file) ?? []) {
      if (!order.has(target)) visit(target)
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
    }
    if (lowest.get(file) !== order.get(file)) return
    const component = open.splice(open.indexOf(file))
    if (component.length > 1) found.push(component.toSorted())
  }

  for (const file of next.keys()) if (!order.has(file)) visit(file)
  return found
}
