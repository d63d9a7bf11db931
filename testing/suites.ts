/**
 * Which tests one process may run after each other. A test file that opens nothing leaves nothing behind for the next one,
 * one that opens the embedded store alone closes it, and one that opens sockets closes them. All follow from what a file
 * imports, at any distance. `testing/suites.json` lists them (`npm run generate`); every other file gets a process of its own.
 */
import { targetOf, type SourceFile } from './architecture/source.ts'

/** What opens a socket, a process or a page. */
const opens = new Set([
  ...['child_process', 'cluster', 'dgram', 'http', 'http2', 'https', 'net', 'vm', 'worker_threads'].map(
    (name) => `node:${name}`,
  ),
  ...['@lydell/node-pty', 'fastify', 'playwright-core', 'undici', 'ws'],
])
const embedded = '@electric-sql/pglite'

/** What a test changes for all that come after it in its process. To wait, or to read one variable, changes nothing. */
const changesProcess = new RegExp(
  [
    String.raw`\bvi\.(?!waitFor\b|waitUntil\b)`,
    String.raw`\bprocess\.(?:chdir|on\()`,
    String.raw`\bdelete process\.env\b`,
    String.raw`\bprocess\.env\b(?!(?:\.\w+|\['\w+'\])(?![\w.]|\s*(?:\?\?|\|\|)?=(?!=)))`,
  ].join('|'),
)
/** What is measured so is disturbed by the heap that the files before have left. */
const measures = /\bprocess\.cpuUsage\(/

export interface Suites {
  /** They open nothing. */
  readonly pure: readonly string[]
  /** They open the embedded store. */
  readonly store: readonly string[]
  /** They open sockets, or start git. */
  readonly wire: readonly string[]
}

export function suitesOf(files: readonly SourceFile[]): Suites {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const sharing = files
    .filter(({ path, text }) => isHere(path) && !changesProcess.test(text))
    .map(({ path }) => ({ path, loaded: loadedBy(path, byPath) }))
    .filter(({ loaded }) => !loaded.files.some(({ text }) => measures.test(text)))
  const isOfStore = ({ loaded }: { readonly loaded: Loaded }): boolean => loaded.packages.has(embedded)
  const isPure = ({ loaded }: { readonly loaded: Loaded }): boolean =>
    ![...loaded.packages].some((name) => name === embedded || opens.has(name))
  const isOfWire = (one: { readonly loaded: Loaded }): boolean => !isPure(one) && !isOfStore(one)
  const paths = (found: readonly { readonly path: string }[]): string[] => found.map(({ path }) => path).toSorted()
  const [pure = [], store = [], wire = []] = [isPure, isOfStore, isOfWire].map((is) => paths(sharing.filter(is)))
  return { pure, store, wire }
}

/** A file of `npm test`: the names of the others state their suite. */
function isHere(path: string): boolean {
  return path.endsWith('.test.ts') && !path.endsWith('.system.test.ts') && !path.startsWith('property-tests/')
}

interface Loaded {
  readonly files: readonly SourceFile[]
  readonly packages: ReadonlySet<string>
}

/** Everything that is loaded when the file is. */
function loadedBy(path: string, byPath: ReadonlyMap<string, SourceFile>): Loaded {
  const seen = new Map<string, SourceFile>()
  const packages = new Set<string>()
  const next = [path]
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    const file = byPath.get(each)
    if (file === undefined || seen.has(each)) continue
    seen.set(each, file)
    for (const { specifier, isType } of file.imports) {
      if (isType) continue
      const target = targetOf(each, specifier)
      if (target === undefined) packages.add(specifier)
      else next.push(target)
    }
  }
  return { files: [...seen.values()], packages }
}
