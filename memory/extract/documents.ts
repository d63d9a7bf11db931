/** Files that are no programs: Kubernetes manifests and Markdown. What they say, before it is looked up. */
import MarkdownIt, { type Env, type StateInline, type Token } from 'markdown-it'
import { parseAllDocuments } from 'yaml'

export interface ResourceFacts {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly line: number
  /** Of the pods that it makes, or its own where it is one. */
  readonly labels: Readonly<Record<string, string>>
  readonly selector?: Readonly<Record<string, string>>
  readonly owners: readonly { readonly kind: string; readonly name: string }[]
  readonly references: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
  readonly images: readonly string[]
}

export interface DocumentFacts {
  readonly resources: readonly ResourceFacts[]
  /** Of Markdown links, and of kustomizations: as written. */
  readonly links: readonly { readonly target: string; readonly line: number }[]
  readonly headings: readonly { readonly title: string; readonly line: number; readonly depth: number }[]
}

const nothing: DocumentFacts = { resources: [], links: [], headings: [] }

export function isDocument(path: string): boolean {
  return /\.(?:md|markdown|ya?ml)$/i.test(path)
}

export function readDocument(path: string, source: string): DocumentFacts {
  return /\.ya?ml$/i.test(path) ? readManifests(source) : readMarkdown(source)
}

/** Links are wanted as they were written, whatever they lead to. The parser drops what is nested deeper. */
const markdown = new MarkdownIt('commonmark', { maxNesting: 100 }).disable('strip_references')
markdown.normalizeLink = (url) => url
markdown.validateLink = () => true
/** Tokens within a line do not say where they stand. */
markdown.inline.State = class extends markdown.inline.State {
  override push(...of: Parameters<StateInline['push']>): Token {
    const token = super.push(...of)
    token.meta = { at: this.pos }
    return token
  }
}

function readMarkdown(source: string): DocumentFacts {
  const env: Env = {}
  const tokens = markdown.parse(source.replace(/^\uFEFF/, ''), env)
  const links: { target: string; line: number }[] = []
  const headings: { title: string; line: number; depth: number }[] = []
  for (const [index, token] of tokens.entries()) {
    const line = (token.map?.[0] ?? 0) + 1
    const target = env.references?.[String(token.meta?.['label'])]?.href
    if (token.type === 'reference_definition' && target !== undefined) links.push({ target, line })
    if (token.type === 'heading_open')
      headings.push({ title: textOf(tokens[index + 1]), line, depth: Number(token.tag.slice(1)) })
    if (token.type === 'inline') for (const link of linksWithin(token, line)) links.push(link)
  }
  return { ...nothing, links, headings }
}

/** What a link refers to by its label is a link where the label is defined. */
function linksWithin({ content, children }: Token, first: number): DocumentFacts['links'] {
  let [read, line] = [0, first]
  return (children ?? []).flatMap(({ type, meta, attrs }) => {
    const target = attrs?.find(([name]) => name === (type === 'image' ? 'src' : 'href'))?.[1]
    if (target === undefined || meta?.['label'] !== undefined) return []
    const at = Number(meta?.['at'])
    line += content.slice(read, at).split('\n').length - 1
    read = at
    return [{ target: String(target), line }]
  })
}

const textTypes = ['text', 'code_inline', 'html_inline']

function textOf(heading: Token | undefined): string {
  const texts = (heading?.children ?? []).map(({ type, content }) =>
    type === 'softbreak' ? '\n' : textTypes.includes(type) ? content : '',
  )
  return texts.join('')
}

/** Not every YAML file is about Kubernetes: what has no `apiVersion` and `kind` says nothing here. */
function readManifests(source: string): DocumentFacts {
  if (!/^[^\S\n]*(?:- )?["']?kind["']?\s*:/m.test(source)) return nothing
  const resources: ResourceFacts[] = []
  const links: { target: string; line: number }[] = []
  for (const document of parseAllDocuments(source, { logLevel: 'silent' })) {
    if ('errors' in document && document.errors.length > 0) continue
    const line = source.slice(0, document.range?.[0] ?? 0).split('\n').length
    let value: unknown
    try {
      value = document.toJS()
    } catch {
      // Aliases of aliases that would grow beyond all measure.
      continue
    }
    for (const each of itemsOf(value)) {
      const found = readResource(each, line)
      if (found !== undefined) resources.push(found)
      if (record(each)['kind'] === 'Kustomization')
        for (const target of ['resources', 'bases', 'components'].flatMap((key) => strings(record(each)[key])))
          links.push({ target, line })
    }
  }
  return { ...nothing, resources, links }
}

function itemsOf(value: unknown): readonly unknown[] {
  const { kind, items } = record(value)
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [value]
}

function readResource(value: unknown, line: number): ResourceFacts | undefined {
  const { apiVersion, kind, metadata, spec, subjects, roleRef } = record(value)
  const { name, namespace, labels, ownerReferences } = record(metadata)
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined
  const references = new References()
  references.collect(spec, 0)
  for (const each of [...list(subjects), roleRef])
    references.add(record(each)['kind'], record(each)['name'], record(each)['namespace'])
  const template = podTemplate(record(spec))
  const selector = selectorOf(kind, record(spec)['selector'])
  return {
    kind,
    namespace: typeof namespace === 'string' ? namespace : '',
    name,
    line,
    labels: texts(template === undefined ? labels : record(template['metadata'])['labels']),
    ...(selector === undefined ? {} : { selector }),
    owners: list(ownerReferences).flatMap((each) => {
      const owner = record(each)
      return typeof owner['kind'] === 'string' && typeof owner['name'] === 'string'
        ? [{ kind: owner['kind'], name: owner['name'] }]
        : []
    }),
    references: references.found,
    images: references.images,
  }
}

/** A CronJob has its template one deeper. */
function podTemplate(spec: Record<string, unknown>): Record<string, unknown> | undefined {
  const inner = record(record(record(spec['jobTemplate'])['spec'])['template'])
  const own = record(spec['template'])
  if (Object.keys(inner).length > 0) return inner
  return Object.keys(own).length > 0 ? own : undefined
}

/** Workloads select what they make themselves: that says nothing. */
function selectorOf(kind: string, selector: unknown): Readonly<Record<string, string>> | undefined {
  if (!['Service', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor', 'PodMonitor'].includes(kind))
    return undefined
  const { matchLabels } = record(selector)
  const labels = texts(matchLabels ?? selector)
  return Object.keys(labels).length === 0 ? undefined : labels
}

const byField: Readonly<Record<string, string>> = {
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  configMap: 'ConfigMap',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  secret: 'Secret',
  persistentVolumeClaim: 'PersistentVolumeClaim',
  service: 'Service',
}
const deepest = 40

class References {
  readonly found: { kind: string; name: string; namespace?: string }[] = []
  readonly images: string[] = []

  add(kind: unknown, name: unknown, namespace?: unknown): void {
    if (typeof kind !== 'string' || typeof name !== 'string' || name === '') return
    if (this.found.some((each) => each.kind === kind && each.name === name)) return
    this.found.push({ kind, name, ...(typeof namespace === 'string' ? { namespace } : {}) })
  }

  collect(value: unknown, depth: number): void {
    if (depth > deepest || typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const each of value) this.collect(each, depth + 1)
      return
    }
    for (const [field, inner] of Object.entries(value)) {
      const { name, secretName, claimName, kind, namespace } = record(inner)
      const known = byField[field]
      if (known !== undefined) this.add(known, name ?? secretName ?? claimName)
      else if (field.endsWith('Ref') && typeof kind === 'string') this.add(kind, name, namespace)
      else if (field === 'serviceAccountName') this.add('ServiceAccount', inner)
      else if (field === 'secretName') this.add('Secret', inner)
      else if (field === 'imagePullSecrets') for (const each of list(inner)) this.add('Secret', record(each)['name'])
      else if (field === 'image' && typeof inner === 'string' && !this.images.includes(inner)) this.images.push(inner)
      this.collect(inner, depth + 1)
    }
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function strings(value: unknown): readonly string[] {
  return list(value).filter((each) => typeof each === 'string')
}

function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record(value)).flatMap(([key, each]) => (typeof each === 'string' ? [[key, each]] : [])),
  )
}
