import { posix } from 'node:path'
import type { House } from './house.ts'
import type { Breach, Ratchet } from './ratchet.ts'

/**
 * What counts as a path: a word that begins with a folder of the root and ends with a slash or an extension of ours
 * (`runtime/clock.ts`, `edges/git/`, also `decisions/0022`), in a comment, a page or a note of the rows; and the target of a page's link, from
 * the page's folder. A source between backticks (`clock.ts`) needs no folder: the end of a path is enough. A word with a
 * placeholder (`<kind>`, `*`, `{a,b}`, `NAME`) names no file.
 */
export const deadPaths: Ratchet = {
  name: 'dead-paths',
  remedy: 'Name what is there now, or nothing: no file or folder has this path.',
  breaches: (house) => {
    const known = knownPaths(house.paths)
    const ends = new Set(house.paths.flatMap(endsOf))
    const isDead = ({ path, from, isEnd }: Named): boolean =>
      isEnd ? !ends.has(path) : !known.has(path) && !known.has(posix.join(posix.dirname(from), path))
    return namedIn(house)
      .filter(isDead)
      .map(({ path, from, line }): Breach => ({ entry: `${from} ${path}`, count: 1, at: `${from}:${line}` }))
  },
}

interface Named {
  readonly path: string
  readonly from: string
  readonly line: number
  /** Its folders may be left out. */
  readonly isEnd: boolean
}

/** A decision is cited by its number. */
const decision = /^decisions\/\d{4}(?=-|$)/

/** The changelog speaks of its own time, and the issues of attackers of other repositories. */
const excluded = /^(CHANGELOG\.md$|property-tests\/injection\/corpus\/)/

function namedIn({ files, others, pages, paths }: House): Named[] {
  const folders = new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!))
  const endings = new Set(paths.map((path) => posix.extname(path)).filter((ending) => ending !== ''))
  const isPath = (name: string): boolean =>
    name.includes('/') &&
    folders.has(name.split('/')[0]!) &&
    (name.endsWith('/') || endings.has(posix.extname(name)) || decision.test(name)) &&
    !isPattern(name)
  const inComments = [...files, ...others].flatMap(({ path, comments }) =>
    comments.flatMap(({ text, line }) => wordsIn(path, text, line, isPath)),
  )
  const inPages = pages
    .filter(({ path }) => !excluded.test(path))
    .flatMap(({ path, text }) => [...wordsIn(path, text, 1, isPath), ...linksIn(path, text)])
  return [...inComments, ...inPages]
}

/** The slash before it would make it the middle of an address or of a longer path. */
const word = /(?<![\w./@<>*{}:-])\.?[a-z][\w-]*\/[^\s`'"()[\],;:|]*/g

/** `dist/` is built. */
const source = /`((?!dist\/)[\w@./-]+\.(?:ts|mjs|sql))`/g

function wordsIn(from: string, text: string, first: number, isPath: (name: string) => boolean): Named[] {
  return text.split('\n').flatMap((content, index) => {
    const line = first + index
    const words = [...content.matchAll(word)]
      .map(([found]) => found.replace(/[.…!?]+$/, ''))
      .filter(isPath)
      .map((name) => ({ path: name.replace(/\/$/, ''), from, line, isEnd: false }))
    const sources = [...content.matchAll(source)]
      .map(([, name = '']) => name.replace(/^(\.{1,2}\/)+/, ''))
      .filter((name) => !isPath(name))
      .map((path) => ({ path, from, line, isEnd: true }))
    return [...words, ...sources]
  })
}

function isPattern(path: string): boolean {
  return /[<>*{}$…#]|\b[A-Z]{3,}\b|\.\./.test(path)
}

function linksIn(from: string, text: string): Named[] {
  return text.split('\n').flatMap((content, index) =>
    [...content.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
      .filter(([, target = '']) => from.endsWith('.md') && !/^[a-z]+:/.test(target))
      .map(([, target = '']) => posix.join(posix.dirname(from), target).replace(/\/$/, ''))
      .map((path) => ({ path, from, line: index + 1, isEnd: false })),
  )
}

/** Files, their folders, and decisions by their numbers. */
function knownPaths(paths: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>(['.'])
  for (const path of paths) {
    known.add(decision.exec(path)?.[0] ?? path)
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) known.add(path.slice(0, end))
  }
  return known
}

function endsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_part, index) => parts.slice(index).join('/'))
}
