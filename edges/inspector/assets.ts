/** The generated files that the page is made of. */
import { readFile } from 'node:fs/promises'

const folder = new URL('./generated/', import.meta.url)

export interface Assets {
  readonly html: string
  readonly script: string
  readonly style: string
  /** By kind. */
  readonly charts: ReadonlyMap<string, string>
}

export async function readAssets(kinds: readonly string[]): Promise<Assets> {
  const [html, script, style, charts] = await Promise.all([
    read('page.html'),
    read('page.js'),
    read('page.css'),
    Promise.all(kinds.map(readChart)),
  ])
  return { html, script, style, charts: new Map(charts.flatMap((chart) => (chart === undefined ? [] : [chart]))) }
}

const texts = new Map<string, Promise<string>>()

/** Once in a process: they come with the program. */
function read(name: string): Promise<string> {
  const known = texts.get(name) ?? readFile(new URL(name, folder), 'utf8')
  texts.set(name, known)
  return known
}

/** A machine without a chart (a test's own) is shown without one. */
async function readChart(kind: string): Promise<readonly [string, string] | undefined> {
  try {
    return [kind, await read(`charts/${kind}.json`)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
