/** How Node and TypeScript find modules: relative paths, `.js` that is `.ts`, index files, workspaces' own packages, `paths`. */
import { isBuiltin } from 'node:module'
import { confidence } from '../graph.ts'
import { CompilerOptions } from './compiler-options.ts'
import { dirOf, join, type External, type ModuleFinder, type Repository } from './modules.ts'
import { exportTargets, isText, readPackages, splitName, type Package } from './npm-packages.ts'

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
  const byName = new Map(packages.filter(({ name }) => name !== '').map((each) => [each.name, each]))
  const byDir = new Map(packages.map((each) => [each.dir, each]))
  const options = new CompilerOptions(manifests, packages)
  const externalOf = externals(files, byName, byDir)
  const { fileAt, sourceOf, sourceOfAny } = sourcesIn(files)

  /** A file, or the entry of the package whose folder it is: entries lead to files alone, so this ends. */
  function moduleAt(path: string): string | undefined {
    const found = fileAt(path)
    const own = found === undefined ? byDir.get(path) : undefined
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

  function throughOptions(file: string, source: string): string | undefined {
    for (const path of options.pathsOf(dirOf(file), source)) {
      const found = moduleAt(path)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** `#internal` names are those of the package that the file lies in. */
  function throughImports(file: string, source: string): string | undefined {
    const [own] = above(file, byDir)
    for (const target of exportTargets(own?.manifest['imports'], source)) {
      const found = sourceOf(join(own?.dir ?? '', target))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A name that the repository itself explains. Its own options go before what Node has. */
  function ownModule(file: string, source: string): string | undefined {
    const { name, subpath } = splitName(source)
    const own = isBuiltin(source) ? undefined : byName.get(name)
    return (
      (source.startsWith('#') ? throughImports(file, source) : undefined) ??
      throughOptions(file, source) ??
      (own === undefined ? undefined : entryOf(own, subpath))
    )
  }

  return {
    find: (file, { source }) => {
      const isPath = source.startsWith('.') || source.startsWith('/')
      const path = source.startsWith('/') ? join(source) : join(dirOf(file), source)
      const found = isPath ? (moduleAt(path) ?? sourceOf(path)) : ownModule(file, source)
      if (found !== undefined) return { module: { files: [found] } }
      if (isPath || source.length > longestName) return undefined
      const outside = externalOf(file, source)
      // What a config leads to a place in the repository is a path too, of a style sheet or of what was generated.
      return outside.sure !== undefined && options.hasAlias(dirOf(file), source) ? undefined : outside
    },
  }
}

/** A longer one is data. */
const longestName = 512
/** `https://deno.land/x`, `bun:test`, `virtual:icons`: whoever reads it, the name says itself what it is. */
const withScheme = /^[a-z][\w+.-]+:/i
/** https://docs.npmjs.com/cli/configuring-npm/package-json#name; old packages have capitals. */
const packageName = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*$/

/** What a name means that leads to no file: a package that a manifest above names, or nothing that is known (EXTRACTION-10). */
function externals(
  files: Repository['files'],
  byName: ReadonlyMap<string, Package>,
  byDir: ReadonlyMap<string, Package>,
): (file: string, source: string) => External {
  const folders = new Set([...files.keys()].flatMap((file) => foldersAbove(file)))

  return (file, source) => {
    if (isBuiltin(source)) return { external: `node:${source.replace(/^node:/, '')}` }
    if (withScheme.test(source)) return { external: source }
    const { name } = splitName(source)
    const manifests = above(file, byDir)
    if (byName.has(name) || manifests.some(({ depends }) => depends.has(name))) return { external: `npm:${name}` }
    const [first = ''] = name.split('/')
    const isOwnFolder = foldersAbove(file).some((dir) => folders.has(join(dir, first)))
    if (isOwnFolder || !packageName.test(name)) return { external: `unresolved:${source}`, sure: confidence.unresolved }
    return { external: `npm:${name}`, ...(manifests.length === 0 ? {} : { sure: confidence.undeclared }) }
  }
}

/** The manifests of all folders around a file, the nearest first: what any of them names is within its reach. */
function above(file: string, byDir: ReadonlyMap<string, Package>): readonly Package[] {
  return foldersAbove(file).flatMap((dir) => byDir.get(dir) ?? [])
}

/** From its own folder to the root. */
function foldersAbove(file: string): readonly string[] {
  const folders: string[] = []
  for (let dir = dirOf(file); dir !== ''; dir = dirOf(dir)) folders.push(dir)
  return [...folders, '']
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
