/** The files that the page is made of: its frame and style as they are in `page/`, its script and charts as generated. */
import { readFile } from 'node:fs/promises'
import { codeOf } from '../../runtime/errors.ts'

const generated = new URL('./generated/', import.meta.url)
const frame = new URL('./page/page.html', import.meta.url)
const styleSheet = new URL('./page/page.css', import.meta.url)

export interface Assets {
  readonly html: string
  readonly script: string
  readonly style: string
  /** By kind. */
  readonly charts: ReadonlyMap<string, string>
}

export async function readAssets(kinds: readonly string[]): Promise<Assets> {
  const [html, script, style, charts] = await Promise.all([
    read(frame),
    read(new URL('page.js', generated)),
    read(styleSheet),
    Promise.all(kinds.map(readChart)),
  ])
  return { html, script, style, charts: new Map(charts.flatMap((chart) => (chart === undefined ? [] : [chart]))) }
}

const texts = new Map<string, Promise<string>>()

/** Once in a process: they come with the program. */
function read({ href }: URL): Promise<string> {
  const known = texts.get(href) ?? readFile(new URL(href), 'utf8')
  texts.set(href, known)
  return known
}

/** A machine without a chart (a test's own) is shown without one. */
async function readChart(kind: string): Promise<readonly [string, string] | undefined> {
  try {
    return [kind, await read(new URL(`charts/${kind}.json`, generated))]
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
