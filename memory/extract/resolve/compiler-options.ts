/** `baseUrl` and `paths` of tsconfig.json and jsconfig.json, with all that they extend, by TypeScript's rules. */
import { dirOf, grouped, join } from './modules.ts'
import { exportTargets, isText, matchStar, readJson, readPackages, splitName, type Package } from './npm-packages.ts'

const configName = /(?:^|\/)[jt]sconfig[\w.-]*\.json$/
/** An editor asks the nearest of these; others beside it are named by `extends`, by `references` or by a command. */
const nearestName = /(?:^|\/)[jt]sconfig\.json$/

/** How many configs may extend each other in a row: a longer one is a joke. */
export const mostExtended = 16

/** Where names of modules may lead; paths of the repository. */
interface NamingRules {
  readonly baseUrl?: string
  /** The most telling pattern first. */
  readonly paths: readonly { readonly pattern: string; readonly targets: readonly string[] }[]
}

/** A path as it is written, and the folder of the file that has it. */
interface Written {
  readonly from: string
  readonly text: string
}

interface Options {
  readonly baseUrl?: Written
  readonly paths?: readonly { readonly pattern: string; readonly targets: readonly Written[] }[]
}

interface Config {
  readonly extends: readonly string[]
  readonly references: readonly string[]
  readonly options: Options
}

/** Files that configs extend and that `manifests` lacks: any name may be one. */
export function extendedConfigs(manifests: ReadonlyMap<string, string>): readonly string[] {
  const packages = readPackages(manifests)
  return [...manifests].flatMap(([path, text]) =>
    path.endsWith('.json')
      ? readConfig(path, text).extends.flatMap((named) =>
          extendable(path, named, packages).filter((each) => each.endsWith('.json') && !manifests.has(each)),
        )
      : [],
  )
}

export class CompilerOptions {
  readonly #manifests: ReadonlyMap<string, string>
  readonly #packages: readonly Package[]
  readonly #configs: ReadonlyMap<string, readonly string[]>
  readonly #rules = new Map<string, readonly NamingRules[]>()
  readonly #known = new Map<string, Options>()

  constructor(manifests: ReadonlyMap<string, string>, packages: readonly Package[]) {
    this.#manifests = manifests
    this.#packages = packages
    const names = [...manifests.keys()].filter((path) => configName.test(path))
    this.#configs = grouped(
      names.toSorted((one, other) => Number(nearestName.test(other)) - Number(nearestName.test(one))),
      dirOf,
    )
  }

  /** Where a name may lead that a file of the folder has, best first. */
  pathsOf(dir: string, source: string): readonly string[] {
    return this.#rulesFor(dir).flatMap(({ baseUrl, paths }) => {
      const aliased = paths.flatMap(({ pattern, targets }) => {
        const rest = matchStar(pattern, source)
        return rest === undefined ? [] : targets.map((target) => join(target.replace('*', () => rest)))
      })
      return baseUrl === undefined ? aliased : [...aliased, join(baseUrl, source)]
    })
  }

  /** A pattern of nothing but a star says nothing of a name. */
  hasAlias(dir: string, source: string): boolean {
    const isAlias = ({ pattern }: { readonly pattern: string }): boolean =>
      pattern !== '*' && matchStar(pattern, source) !== undefined
    return this.#rulesFor(dir).some(({ paths }) => paths.some(isAlias))
  }

  /** The rules for what lies in a folder: of the nearest config at or above it, and of others on the way. */
  #rulesFor(dir: string): readonly NamingRules[] {
    const known = this.#rules.get(dir)
    if (known !== undefined) return known
    const configs = this.#configs.get(dir) ?? []
    const own = configs.flatMap((path) => [path, ...this.#referenced(path)]).map((path) => this.#rulesOf(path))
    const isLast = dir === '' || configs.some((path) => nearestName.test(path))
    const rules = isLast ? own : [...own, ...this.#rulesFor(dirOf(dir))]
    this.#rules.set(dir, rules)
    return rules
  }

  #config(path: string): Config {
    return readConfig(path, this.#manifests.get(path) ?? '')
  }

  /** Files alone: a folder is a project of its own. */
  #referenced(path: string): readonly string[] {
    return this.#config(path)
      .references.filter((each) => each.endsWith('.json'))
      .map((each) => join(dirOf(path), each))
  }

  #rulesOf(path: string): NamingRules {
    const { baseUrl, paths = [] } = this.#options(path)
    const at = ({ from, text }: Written): string => {
      const below = /^\$\{configDir\}(.*)$/s.exec(text)?.[1]
      return below === undefined ? join(from, text) : join(dirOf(path), below)
    }
    const base = baseUrl === undefined ? undefined : at(baseUrl)
    return {
      ...(base === undefined ? {} : { baseUrl: base }),
      paths: paths.map(({ pattern, targets }) => ({
        pattern,
        targets: targets.map((target) => at({ ...target, from: base ?? target.from })),
      })),
    }
  }

  #options(path: string, depth = 0): Options {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    if (depth > mostExtended) return {}
    // Who extends himself, at any distance, gets nothing from there.
    this.#known.set(path, {})
    const { extends: named, options } = this.#config(path)
    const bases = named.map((each) => {
      const base = extendable(path, each, this.#packages).find((file) => this.#manifests.has(file))
      return base === undefined ? {} : this.#options(base, depth + 1)
    })
    const found = [...bases, options].reduce((all, each) => ({ ...all, ...each }), {})
    this.#known.set(path, found)
    return found
  }
}

/** Where `extends` may lead: a file, or one of a package of the workspace. */
function extendable(path: string, named: string, packages: readonly Package[]): readonly string[] {
  const spelled = (at: string): string[] => [at, `${at}.json`, join(at, 'tsconfig.json')]
  if (/^\.{1,2}(?:\/|$)/.test(named)) return spelled(join(dirOf(path), named))
  const { name, subpath } = splitName(named)
  return packages
    .filter((each) => each.name === name && name !== '')
    .flatMap(({ dir, manifest }) =>
      [...exportTargets(manifest['exports'], subpath), ...(subpath === '.' ? [manifest['tsconfig']] : []), subpath]
        .filter(isText)
        .flatMap((target) => spelled(join(dir, target))),
    )
}

function readConfig(path: string, text: string): Config {
  const config = readJson(withoutComments(text)) ?? {}
  const from = dirOf(path)
  const { baseUrl, paths } = objectOf(config['compilerOptions'])
  const written = (target: unknown): Written[] => (isText(target) ? [{ from, text: target }] : [])
  const entries = Object.entries(objectOf(paths)).map(([pattern, targets]) => ({
    pattern,
    targets: [targets].flat().flatMap(written),
  }))
  return {
    extends: [config['extends']].flat().filter(isText),
    references: [config['references']]
      .flat()
      .map((each) => objectOf(each)['path'])
      .filter(isText),
    options: {
      ...(isText(baseUrl) ? { baseUrl: { from, text: baseUrl } } : {}),
      ...(paths === undefined
        ? {}
        : { paths: entries.toSorted((one, other) => telling(other.pattern) - telling(one.pattern)) }),
    },
  }
}

/** A whole name, then the longest beginning. */
function telling(pattern: string): number {
  const star = pattern.indexOf('*')
  return star < 0 ? Infinity : star
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(/,(\s*[}\]])/g, '$1')
}
