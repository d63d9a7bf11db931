import { builtinModules } from 'node:module'
import { forbiddenFolders, isTest, rootFiles, startsGit, testImports, zoneOf, type Zone } from './layout.ts'
import {
  RAW_SERVER_EVENT,
  RAW_TERMINAL,
  RAW_TIMER,
  targetOf,
  WALL_CLOCK,
  type Import,
  type SourceFile,
} from './source.ts'

export interface Packages {
  readonly dependencies: readonly string[]
  readonly devDependencies: readonly string[]
}

const builtins = new Set(builtinModules)
/** A longer file wants a hard look: it may hold two subjects. A limit that failed only moved lines about. */
const MAX_LINES = 400

/** Every breach as `file:line what`, empty when the tree is as the map says. */
export function breaches(files: readonly SourceFile[], packages: Packages): string[] {
  return files.flatMap((file) => [
    ...placeBreaches(file),
    ...importBreaches(file, packages),
    ...syntaxBreaches(file),
    ...gitBreaches(file),
  ])
}

/** Files that a reviewer should look at; what a generator writes nobody reads through. */
export function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, lines }) => lines > MAX_LINES && !isTest(path) && !path.split('/').includes('generated'))
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${MAX_LINES}: does it hold two subjects?`)
}

function placeBreaches({ path }: SourceFile): string[] {
  const folders = path.split('/').slice(0, -1)
  const name = path.split('/').at(-1) ?? ''
  const found: string[] = []
  if (zoneOf(path) === undefined && !rootFiles.includes(path)) found.push(`${path}:1 is in no folder of the layout`)
  for (const folder of folders.filter((each) => forbiddenFolders.includes(each))) {
    found.push(`${path}:1 lives in a folder named ${folder}, which says nothing`)
  }
  if (![...folders, name].every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(part)))
    found.push(`${path}:1 is not kebab-case`)
  if (folders.length === 1 && name === 'types.ts') found.push(`${path}:1 is a top-level types.ts`)
  return found
}

function syntaxBreaches({ path, unwanted }: SourceFile): string[] {
  const isTimed = ['cli/', 'standins/', 'bench/'].some((folder) => path.startsWith(folder)) || isTest(path)
  const isLaboratory = ['bin/', 'property-tests/', 'testing/'].some((folder) => path.startsWith(folder))
  const ownsTimers = isTimed || isLaboratory || ['runtime/clock.ts', 'wrapper/main.ts'].includes(path)
  const allowed = [
    ...(ownsTimers ? [RAW_TIMER] : []),
    ...(path.startsWith('http/') || path.startsWith('standins/') ? [RAW_SERVER_EVENT] : []),
    ...(path.endsWith('.config.ts') ? ['a default export'] : []),
    ...(isTimed ? [WALL_CLOCK] : []),
    ...(!path.startsWith('cli/') || path === 'cli/output/terminal.ts' || isTest(path) ? [RAW_TERMINAL] : []),
  ]
  return unwanted.filter(({ what }) => !allowed.includes(what)).map(({ what, line }) => `${path}:${line} holds ${what}`)
}

function gitBreaches({ path, git }: SourceFile): string[] {
  const isMeasured = ['bench/', 'bin/', 'testing/'].some((folder) => path.startsWith(folder))
  if (isTest(path) || isMeasured || Object.hasOwn(startsGit, path)) return []
  return git.map((line) => `${path}:${line} starts git, which only the modules listed in the layout may`)
}

function importBreaches(file: SourceFile, packages: Packages): string[] {
  const zone = zoneOf(file.path)
  return file.imports.flatMap((each) => {
    const complaint = each.specifier.startsWith('.')
      ? internalComplaint(file.path, zone, each)
      : packageComplaint(file.path, zone, each, packages)
    return complaint === undefined ? [] : [`${file.path}:${each.line} ${complaint}`]
  })
}

function internalComplaint(path: string, zone: Zone | undefined, { specifier }: Import): string | undefined {
  const target = targetOf(path, specifier) ?? ''
  if (target.startsWith('..')) return `imports ${specifier} from outside the tree`
  if (!/\.(tsx?|mjs|json)$/.test(target)) return `imports ${specifier} without its extension`
  if (isTest(target) && !isTest(path) && zone?.fixtures !== true) return `imports ${target}, which is for tests`
  if (zone === undefined || zone.imports === 'anything') return undefined
  const home = zoneOf(target)
  if (home?.folder === zone.folder) return undefined
  const allowed = isTest(path) ? [...zone.imports, ...testImports, ...(zone.tests ?? [])] : zone.imports
  return allowed.some((pattern) => matches(pattern, target))
    ? undefined
    : `imports ${target}, which ${zone.folder} may not`
}

function packageComplaint(
  path: string,
  zone: Zone | undefined,
  { specifier }: Import,
  packages: Packages,
): string | undefined {
  const name = packageName(specifier)
  if (specifier.startsWith('node:'))
    return zone?.packages === undefined || isTest(path)
      ? undefined
      : `imports ${specifier}, which ${zone.folder} may not`
  if (builtins.has(name)) return `imports ${specifier} without node:`
  if (isTest(path) || zone === undefined || zone.development === true)
    return unlisted([...packages.dependencies, ...packages.devDependencies], name)
  if (zone.packages !== undefined && !zone.packages.includes(name))
    return `imports ${name}, which ${zone.folder} may not`
  return unlisted(packages.dependencies, name)
}

function unlisted(listed: readonly string[], name: string): string | undefined {
  return listed.includes(name) || name === 'rolldown'
    ? undefined
    : `imports ${name}, which package.json does not list for it`
}

function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

function matches(pattern: string, target: string): boolean {
  if (pattern.endsWith('/')) return target.startsWith(pattern)
  const source = pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')
  return new RegExp(`^${source}$`).test(target)
}
