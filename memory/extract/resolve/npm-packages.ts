/** What package.json says of packages in the repository: names, entries, and what they depend on. */
import { npmDependencies } from '../packages.ts'
import { dirOf } from './modules.ts'

export interface Package {
  readonly dir: string
  /** Empty: a folder's own settings, or the root of a workspace. */
  readonly name: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly depends: ReadonlySet<string>
}

/** Conditions of `exports`, sources first: what is built is not in the repository. */
const conditions = ['source', 'types', 'import', 'module', 'node', 'default', 'require'] as const

export function readPackages(manifests: ReadonlyMap<string, string>): readonly Package[] {
  const packages: Package[] = []
  for (const [path, text] of manifests) {
    if (!/(?:^|\/)package\.json$/.test(path)) continue
    const manifest = readJson(text)
    if (manifest === undefined) continue
    const { name } = manifest
    const depends = new Set(npmDependencies(manifest).flatMap((each) => [each, typedBy(each)]))
    packages.push({ dir: dirOf(path), name: isText(name) ? name : '', manifest, depends })
  }
  // The innermost first.
  return packages.toSorted((one, other) => other.dir.length - one.dir.length)
}

/** `@types/a` and `@types/a__b` declare `a` and `@a/b`. */
function typedBy(name: string): string {
  return name.replace(/^@types\/(?:(.+)__)?/, (_, scope: string | undefined) =>
    scope === undefined ? '' : `@${scope}/`,
  )
}

export function splitName(source: string): { name: string; subpath: string } {
  const parts = source.split('/')
  const length = source.startsWith('@') ? 2 : 1
  const rest = parts.slice(length).join('/')
  return { name: parts.slice(0, length).join('/'), subpath: rest === '' ? '.' : `./${rest}` }
}

/** All targets that `exports` (or `imports`) of a manifest may have for a subpath, best first. */
export function exportTargets(exported: unknown, subpath: string): readonly string[] {
  if (typeof exported === 'string') return subpath === '.' ? [exported] : []
  if (typeof exported !== 'object' || exported === null) return []
  const entries = Object.entries(exported)
  if (!entries.some(([key]) => key.startsWith('.') || key.startsWith('#')))
    return subpath === '.' ? targetsOf(exported) : []
  for (const [pattern, target] of entries) {
    const rest = matchStar(pattern, subpath)
    if (rest !== undefined) return targetsOf(target).map((each) => each.replace('*', () => rest))
  }
  return []
}

function targetsOf(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target]
  if (Array.isArray(target)) return target.flatMap(targetsOf)
  if (typeof target !== 'object' || target === null) return []
  const given = target as Record<string, unknown>
  const custom = Object.keys(given).filter((key) => !(conditions as readonly string[]).includes(key))
  return [...custom, ...conditions].flatMap((condition) => targetsOf(given[condition]))
}

/** What a pattern's star stands for in a text. */
export function matchStar(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === text ? '' : undefined
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)]
  const fits = text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
  return fits ? text.slice(before.length, text.length - after.length) : undefined
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
