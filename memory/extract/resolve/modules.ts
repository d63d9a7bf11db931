/** Where an import leads: files of the repository, or a package outside of it. One finder for each family of languages. */
import type { FileFacts, Import } from '../facts.ts'

/** Some files as one thing: one file, Go's directories, Java's packages. */
export interface Module {
  readonly files: readonly string[]
  /** What lies below it: Python's packages, Rust's modules. */
  readonly path?: string
}

export interface External {
  readonly external: string
  /** Absent: 1. Below it nothing says that it is what its id says. */
  readonly sure?: number
}

export type Target = { readonly module: Module } | External | undefined

export interface ModuleFinder {
  find(file: string, { source, system }: Pick<Import, 'source' | 'system'>): Target
  /** A name in a module that is itself a module. */
  below?(module: Module, name: string): Module | undefined
  /** The module that a file is. */
  of?(file: string): Module
}

/** What finders ask of the repository. */
export interface Repository {
  /** Files of the finder's own family, by path. */
  readonly files: ReadonlyMap<string, FileFacts>
  /** Any file's text, when it was kept: manifests. */
  readonly manifests: ReadonlyMap<string, string>
}

export function dirOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

export function join(...parts: readonly string[]): string {
  const steps: string[] = []
  for (const step of parts.join('/').split('/'))
    if (step === '..') {
      if (steps.pop() === undefined) return '..'
    } else if (step !== '' && step !== '.') steps.push(step)
  return steps.join('/')
}

export function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
