/** How Node and TypeScript find modules: relative paths, `.js` that is `.ts`, index files, workspaces' own packages, `paths`. */
import { isBuiltin } from 'node:module'
import { dirOf, join, type ModuleFinder, type Repository } from './modules.ts'

/** Declarations of what is written elsewhere come last. */
const endings = ['', '.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.d.ts']
/** A compiled name and what it was compiled from. */
const compiledFrom: readonly (readonly [RegExp, string])[] = [
  [/\.js$/, '.ts'],
  [/\.js$/, '.tsx'],
  [/\.js$/, '.d.ts'],
  [/\.jsx$/, '.tsx'],
  [/\.mjs$/, '.mts'],
  [/\.cjs$/, '.cts'],
]
/** Conditions of `exports`, sources first: what is built is not in the repository. */
const conditions = ['source', 'types', 'import', 'module', 'node', 'default', 'require'] as const

interface Package {
  readonly dir: string
  readonly name: string
  readonly manifest: Readonly<Record<string, unknown>>
}

interface PathAlias {
  readonly dir: string
  readonly pattern: string
  readonly targets: readonly string[]
}

/** Files of the repository by the paths that imports and manifests say. */
function sourcesIn(files: Repository['files']) {
  function fileAt(path: string): string | undefined {
    for (const ending of endings) if (files.has(path + ending)) return path + ending
    for (const [from, to] of compiledFrom) {
      const source = path.replace(from, to)
      if (source !== path && files.has(source)) return source
    }
    for (const ending of endings.slice(1))
      if (files.has(join(path, `index${ending}`))) return join(path, `index${ending}`)
    return undefined
  }

  function sourceOf(path: string): string | undefined {
    const own = fileAt(path)
    if (own !== undefined) return own
    for (const source of builtFrom(path)) {
      const found = fileAt(source)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The first that leads to a source; a declaration for others counts where nothing else is there (EXTRACTION-6). */
  function sourceOfAny(paths: readonly string[]): string | undefined {
    let declaration: string | undefined
    for (const path of paths) {
      const found = sourceOf(path)
      if (found !== undefined && !isDeclaration.test(found)) return found
      declaration ??= found
    }
    return declaration
  }

  return { fileAt, sourceOf, sourceOfAny }
}

export function ecmascriptModules({ files, manifests }: Repository): ModuleFinder {
  const packages = readPackages(manifests)
  const byName = new Map(packages.map((each) => [each.name, each]))
  const aliases = readAliases(manifests)
  const { fileAt, sourceOf, sourceOfAny } = sourcesIn(files)

  /** A file, or the entry of the package whose folder it is: entries lead to files alone, so this ends. */
  function moduleAt(path: string): string | undefined {
    const found = fileAt(path)
    const own = found === undefined ? packages.find(({ dir }) => dir === path) : undefined
    return own === undefined ? found : entryOf(own, '.')
  }

  function entryOf({ dir, manifest }: Package, subpath: string): string | undefined {
    const exported = exportTargets(manifest['exports'], subpath)
    const named =
      subpath === '.'
        ? ['source', 'types', 'typings', 'module', 'main'].map((field) => manifest[field]).filter(isText)
        : [subpath, `src/${subpath}`]
    const standing = subpath === '.' ? ['index', 'src/index'] : []
    return sourceOfAny([...exported, ...named, ...standing].map((target) => join(dir, target)))
  }

  function throughAlias(file: string, source: string): string | undefined {
    for (const { dir, pattern, targets } of aliases) {
      if (dir !== '' && !file.startsWith(`${dir}/`)) continue
      const rest = matchStar(pattern, source)
      if (rest === undefined) continue
      for (const target of targets) {
        const found = moduleAt(join(dir, target.replace('*', rest)))
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  /** `#internal` names are those of the package that the file lies in. */
  function throughImports(file: string, source: string): string | undefined {
    const own = packages.find(({ dir }) => dir === '' || file.startsWith(`${dir}/`))
    for (const target of exportTargets(own?.manifest['imports'], source)) {
      const found = sourceOf(join(own?.dir ?? '', target))
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    find: (file, { source }) => {
      if (source.startsWith('.') || source.startsWith('/')) {
        const path = source.startsWith('/') ? join(source) : join(dirOf(file), source)
        const found = moduleAt(path) ?? sourceOf(path)
        return found === undefined ? undefined : { module: { files: [found] } }
      }
      if (source.startsWith('node:') || isBuiltin(source)) return { external: `node:${source.replace(/^node:/, '')}` }
      const { name, subpath } = splitName(source)
      const own = byName.get(name)
      const found =
        (source.startsWith('#') ? throughImports(file, source) : undefined) ??
        throughAlias(file, source) ??
        (own === undefined ? undefined : entryOf(own, subpath))
      if (found !== undefined) return { module: { files: [found] } }
      return /^[@\w]/.test(name) ? { external: `npm:${name}` } : undefined
    },
  }
}

const isDeclaration = /\.d\.[mc]?ts$/
const built = ['dist', 'lib', 'build', 'esm', 'cjs', 'out'].map((name) => new RegExp(`(^|/)${name}/(?:(?:esm|cjs)/)?`))

/** A built file stands for its source: `dist/` for `src/`, or for the folder around it (EXTRACTION-6). */
function builtFrom(path: string): readonly string[] {
  return built
    .flatMap((folder) => ['$1src/', '$1'].map((source) => path.replace(folder, source)))
    .filter((each) => each !== path)
    .flatMap((each) => [each.replace(/\.d\.[mc]?ts$/, '.ts').replace(/\.[mc]js$/, '.ts'), each])
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function splitName(source: string): { name: string; subpath: string } {
  const parts = source.split('/')
  const length = source.startsWith('@') ? 2 : 1
  const rest = parts.slice(length).join('/')
  return { name: parts.slice(0, length).join('/'), subpath: rest === '' ? '.' : `./${rest}` }
}

function readPackages(manifests: ReadonlyMap<string, string>): readonly Package[] {
  const packages: Package[] = []
  for (const [path, text] of manifests) {
    if (!/(?:^|\/)package\.json$/.test(path)) continue
    const manifest = parsed(text)
    if (manifest !== undefined && typeof manifest['name'] === 'string')
      packages.push({ dir: dirOf(path), name: manifest['name'], manifest })
  }
  // The innermost first.
  return packages.toSorted((one, other) => other.dir.length - one.dir.length)
}

function readAliases(manifests: ReadonlyMap<string, string>): readonly PathAlias[] {
  const aliases: PathAlias[] = []
  for (const [path, text] of manifests) {
    if (!/(?:^|\/)tsconfig[\w.-]*\.json$/.test(path)) continue
    const options = parsed(withoutComments(text))?.['compilerOptions'] as
      | { baseUrl?: string; paths?: Readonly<Record<string, readonly string[]>> }
      | undefined
    for (const [pattern, targets] of Object.entries(options?.paths ?? {}))
      if (Array.isArray(targets))
        aliases.push({ dir: join(dirOf(path), options?.baseUrl ?? '.'), pattern, targets: targets.map(String) })
  }
  return aliases
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(/,(\s*[}\]])/g, '$1')
}

/** All targets that `exports` (or `imports`) of a manifest may have for a subpath, best first. */
function exportTargets(exported: unknown, subpath: string): readonly string[] {
  if (typeof exported === 'string') return subpath === '.' ? [exported] : []
  if (typeof exported !== 'object' || exported === null) return []
  const entries = Object.entries(exported)
  if (!entries.some(([key]) => key.startsWith('.') || key.startsWith('#')))
    return subpath === '.' ? targetsOf(exported) : []
  for (const [pattern, target] of entries) {
    const rest = matchStar(pattern, subpath)
    if (rest !== undefined) return targetsOf(target).map((each) => each.replace('*', rest))
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

function matchStar(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === text ? '' : undefined
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)]
  const fits = text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
  return fits ? text.slice(before.length, text.length - after.length) : undefined
}
