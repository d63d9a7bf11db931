import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRuled, listFiles, parseSource, type SourceFile } from './source.ts'

/** A file that people read: Markdown, and the notes of the rows. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** What the ratchets judge, read once. */
export interface House {
  /** What the layout rules. */
  readonly files: readonly SourceFile[]
  /** The inspector's page, programs in `.mjs` and the bench's peers: they import, and have comments. */
  readonly others: readonly SourceFile[]
  readonly pages: readonly Page[]
  /** The text of package.json. */
  readonly manifest: string
  /** Every file of the tree. */
  readonly paths: readonly string[]
}

export function readHouse(root: string): House {
  return houseOf(listFiles(root), (path) => readFileSync(join(root, path), 'utf8'))
}

export function houseOf(paths: readonly string[], read: (path: string) => string): House {
  const parse = (path: string): SourceFile => parseSource(path, read(path))
  const pages = paths.filter((path) => path.endsWith('.md') || /^testing\/rows\/[^/]+\.json$/.test(path))
  return {
    files: paths.filter(isRuled).map(parse),
    others: paths.filter((path) => /\.(tsx?|mjs)$/.test(path) && !isRuled(path)).map(parse),
    pages: pages.map((path) => ({ path, text: read(path) })),
    manifest: paths.includes('package.json') ? read('package.json') : '{}',
    paths,
  }
}

/** A made-up one, for tests. */
export function houseOfTexts(texts: Readonly<Record<string, string>>): House {
  return houseOf(Object.keys(texts), (path) => texts[path]!)
}
