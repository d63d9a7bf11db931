import { isMap, isPair, isScalar, LineCounter, parseAllDocuments, visit, type Document, type YAMLMap } from 'yaml'

/** One place of a deployment that names what pods run: the skills' ref or the wrapper's image. */
interface Pin {
  readonly line: number
  readonly what: 'skills' | 'image'
  /** As written; empty where the default counts. */
  readonly value: string
  /** Absent: it is a release tag. */
  readonly fault?: string
}

/** The one form that names the same thing tomorrow (PROJECT-AGENT-16). */
const release = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/
const wrapperImage = /(^|\/)statewright-wrapper([:@]|$)/
const mentions = /skillsRef|SKILLS_REF|statewright-wrapper/

/** @returns every pin of a file, several documents allowed. A file that is no YAML counts only if it speaks of a pin. */
export function pinsOf(source: string): readonly Pin[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(source, { lineCounter: lines })
  const error = documents.flatMap((document) => document.errors)[0]
  if (error !== undefined)
    return mentions.test(source) ? [unreadable(error.message, lines.linePos(error.pos[0]).line)] : []
  const lineOf = (node: unknown): number => lines.linePos((node as { range?: [number] } | null)?.range?.[0] ?? 0).line
  return documents.flatMap((document) => [...named(document, lineOf), ...defaulted(document, lineOf)])
}

type LineOf = (node: unknown) => number

function named(document: Document.Parsed, lineOf: LineOf): readonly Pin[] {
  const pins: Pin[] = []
  visit(document, {
    Map(_key, map, path) {
      const text = (name: string): string | undefined => asText(map.get(name))
      if (text('name') === 'SKILLS_REF') pins.push(skills(text('value') ?? '', lineOf(map)))
      const isValue = isOf(path.at(-1), 'wrapperImage') && (text('repository') ?? text('tag')) !== undefined
      if (isValue || wrapperImage.test(text('repository') ?? '')) pins.push(imageTag(text('tag') ?? '', lineOf(map)))
    },
    Pair(_key, pair, path) {
      const key = isScalar(pair.key) ? pair.key.value : undefined
      const value = asText(isScalar(pair.value) ? pair.value.value : undefined)
      if (key === 'skillsRef') pins.push(skills(value ?? '', lineOf(pair.key)))
      const isAgent = path.some((node) => isOf(node, 'agent'))
      if (key === 'image' && value && (isAgent || wrapperImage.test(value))) pins.push(image(value, lineOf(pair.key)))
    },
  })
  return pins
}

function isOf(node: unknown, key: string): boolean {
  return isPair(node) && isScalar(node.key) && node.key.value === key
}

/** A Project that names no ref runs whatever `main` is when its pod boots. */
function defaulted(document: Document.Parsed, lineOf: LineOf): readonly Pin[] {
  const root = document.contents
  if (!isMap(root) || asText(root.get('kind')) !== 'Project') return []
  if (!asText(root.get('apiVersion'))?.startsWith('platform.dev/')) return []
  if ((root as YAMLMap).hasIn(['spec', 'agent', 'skillsRef'])) return []
  return [{ line: lineOf(root), what: 'skills', value: '', fault: 'the Project names no skillsRef, so it uses `main`' }]
}

function skills(value: string, line: number): Pin {
  return pin('skills', value, value, line)
}

function image(value: string, line: number): Pin {
  const withoutDigest = value.split('@')[0]!
  const colon = withoutDigest.indexOf(':', withoutDigest.lastIndexOf('/'))
  return pin('image', value, colon < 0 ? '' : withoutDigest.slice(colon + 1), line)
}

function imageTag(tag: string, line: number): Pin {
  return pin('image', tag, tag.split('@')[0]!, line)
}

function pin(what: Pin['what'], value: string, tag: string, line: number): Pin {
  if (release.test(tag)) return { line, what, value }
  const shown = tag === '' ? 'no tag' : `\`${tag}\``
  return { line, what, value, fault: `${shown} is not a release tag vX.Y.Z` }
}

function unreadable(reason: string, line: number): Pin {
  return { line, what: 'skills', value: '', fault: `names a pin and cannot be parsed: ${reason.split('\n')[0]}` }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}
