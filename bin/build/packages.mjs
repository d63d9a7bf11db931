// Which installed packages a program needs, and which of their files.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/** Files that no program reads: types, maps of sources and documentation. A licence stays, whatever its ending. */
const unread = /\.(map|md|markdown|flow|tsbuildinfo)$|\.[cm]?ts$/i
const licence = /^(licen[cs]e|notice|copying)/i

/**
 * The packages that `needs` names and all that they depend on.
 * @param {string} root has `node_modules`.
 * @param {{imported: readonly string[], code: string}} needs what is imported, and code that may name files of packages.
 * @returns for each package its folder, and its files relative to that.
 */
export function neededPackages(root, { imported, code }) {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = new Set(imported.map(packageOf).filter((name) => name in dependencies))
  const found = closure(root, [...names]).map((dir) => ({ dir, files: filesOf(dir) }))
  const byPath = Object.keys(dependencies).filter((name) => !names.has(name))
  return [...found, ...byPath.flatMap((name) => namedFiles(root, name, code))]
}

/** Of a package that is never imported, code needs only the files that it names: grammars are read so. */
function namedFiles(root, name, code) {
  const paths = [...code.matchAll(new RegExp(`["'\`]${name}/([^"'\`\\s]+)["'\`]`, 'g'))].map(([, path]) => path)
  if (paths.length === 0) return []
  const dir = join(root, 'node_modules', name)
  for (const path of paths) if (!existsSync(join(dir, path))) throw new Error(`${name} has no file ${path}`)
  const own = readdirSync(dir).filter((each) => each === 'package.json' || licence.test(each))
  return [{ dir, files: [...new Set([...own, ...paths])] }]
}

function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function closure(root, names) {
  const open = names.map((name) => mustFind(name, root, root))
  const seen = new Set()
  while (open.length > 0) {
    const dir = open.pop()
    if (seen.has(dir)) continue
    seen.add(dir)
    open.push(...dependenciesOf(dir, root))
  }
  return [...seen].toSorted()
}

/** An optional one counts where npm installed it. */
function dependenciesOf(dir, root) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  const isOptional = (name) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) =>
    isOptional(name) ? (find(name, dir, root) ?? []) : mustFind(name, dir, root),
  )
}

function mustFind(name, from, root) {
  const dir = find(name, from, root)
  if (dir === undefined)
    throw new Error(`${name} is not installed, and ${relative(root, from) || 'a program'} needs it`)
  return dir
}

/** As Node looks for it, from a folder up to the root. */
function find(name, from, root) {
  const dir = join(from, 'node_modules', name)
  if (existsSync(join(dir, 'package.json'))) return dir
  return from === root ? undefined : find(name, dirname(from), root)
}

function isUnread(name) {
  return unread.test(name) && !licence.test(name)
}

/** Copies a folder with all its packages, links of programs included. @returns its bytes. */
export function copyInstalled(from, to) {
  let bytes = 0
  const filter = (path) => {
    const stats = lstatSync(path)
    if (stats.isFile() && isUnread(basename(path))) return false
    if (stats.isFile()) bytes += stats.size
    return true
  }
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter })
  return bytes
}

function filesOf(dir, below = '') {
  return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    if (entry.name === 'node_modules') return []
    if (entry.isDirectory()) return filesOf(dir, path)
    return entry.isFile() && !isUnread(entry.name) ? [path] : []
  })
}

/** Puts files where every user may read them. They are linked where that is possible: nobody writes to a tree. @returns their bytes. */
export function putFiles(from, to, files) {
  let bytes = 0
  for (const folder of new Set(files.map((path) => dirname(join(to, path))))) mkdirSync(folder, { recursive: true })
  for (const path of files) {
    const source = join(from, path)
    const { mode, size } = statSync(source)
    const wanted = mode & 0o111 ? 0o755 : 0o644
    putFile(source, join(to, path), (mode & 0o777) === wanted ? undefined : wanted)
    bytes += size
  }
  return bytes
}

/** @param mode absent: the file's own. */
export function putFile(source, target, mode) {
  try {
    if (mode === undefined) return linkSync(source, target)
  } catch {
    // Another file system.
  }
  copyFileSync(source, target)
  if (mode !== undefined) chmodSync(target, mode)
}

/** All files below a path, which may be a file itself; relative to `dir`. */
export function filesBelow(dir, path) {
  if (!statSync(join(dir, path)).isDirectory()) return [path]
  return readdirSync(join(dir, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, `${entry.parentPath}${sep}${entry.name}`))
}
