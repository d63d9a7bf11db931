/** Documents' part of the graph: resources with what they own, select and refer to, and links from file to file. */
import type { DocumentFacts, ResourceFacts } from './documents.ts'
import { confidence, tierOf, type CodeEdge, type CodeEntity, type FilePiece } from './graph.ts'
import { dirOf, join } from './resolve/modules.ts'

export interface ReadDocument {
  readonly path: string
  readonly sha: string
  readonly facts: DocumentFacts
}

/** `known`: all files of the repository that the graph has, so that a link is only followed to what is there. */
export function documentGraph(documents: readonly ReadDocument[], known: ReadonlySet<string>): FilePiece[] {
  const resources = documents.flatMap(({ facts }) => facts.resources)
  return documents
    .filter(({ path, facts }) => !/\.ya?ml$/i.test(path) || facts.resources.length > 0 || facts.links.length > 0)
    .map((document) => ({
      file: document.path,
      sha: document.sha,
      entities: entitiesOf(document),
      edges: unique([
        ...linksOf(document, known),
        ...document.facts.resources.flatMap((each) => resourceEdges(document.path, each, resources)),
      ]),
    }))
}

function resourceId({ kind, namespace, name }: Pick<ResourceFacts, 'kind' | 'namespace' | 'name'>): string {
  return `k8s:${namespace === '' ? '' : `${namespace}/`}${kind}/${name}`
}

function entitiesOf({ path, facts }: ReadDocument): CodeEntity[] {
  const language = /\.ya?ml$/i.test(path) ? 'yaml' : 'markdown'
  const title = facts.headings.find(({ depth }) => depth === 1)?.title ?? ''
  return [
    {
      id: path,
      type: 'file',
      name: path.slice(path.lastIndexOf('/') + 1),
      file: path,
      line: 1,
      language,
      ...(title === '' ? {} : { metadata: { title } }),
    },
    ...facts.resources.map((each) => ({
      id: resourceId(each),
      type: 'resource',
      name: each.name,
      file: path,
      line: each.line,
      language,
      metadata: { kind: each.kind, ...(each.namespace === '' ? {} : { namespace: each.namespace }) },
    })),
  ]
}

function linksOf({ path, facts }: ReadDocument, known: ReadonlySet<string>): CodeEdge[] {
  return facts.links.flatMap(({ target, line }) => {
    if (/^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(target)) return []
    const bare = decoded(target.replace(/[?#].*$/, ''))
    const to = bare.startsWith('/') ? join(bare) : join(dirOf(path), bare)
    const found = [to, `${to}.md`, join(to, 'README.md'), join(to, 'kustomization.yaml')].find((each) =>
      known.has(each),
    )
    return found === undefined || found === path ? [] : [edge(path, found, 'links', 1, line)]
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function resourceEdges(path: string, resource: ResourceFacts, all: readonly ResourceFacts[]): CodeEdge[] {
  const { namespace, line } = resource
  const id = resourceId(resource)
  const at = (kind: string, name: string, within = namespace): string => {
    const exact = all.find((each) => each.kind === kind && each.name === name && each.namespace === within)
    // Kinds without a namespace, and manifests that leave it to whoever applies them.
    const any =
      exact ?? all.find((each) => each.kind === kind && each.name === name && (each.namespace === '' || within === ''))
    return resourceId(any ?? { kind, namespace: within, name })
  }
  return [
    edge(path, id, 'contains', 1, line),
    ...resource.owners.map((owner) => edge(at(owner.kind, owner.name), id, 'owns', 1, line)),
    ...resource.references.map(({ kind, name, namespace: other }) =>
      edge(id, at(kind, name, other), 'references', 1, line),
    ),
    ...resource.images.map((image) =>
      edge(id, `image:${image.replace(/@sha256:.*$|:[\w][\w.-]*$/, '')}`, 'depends-on', 1, line),
    ),
    ...all
      .filter((each) => each !== resource && each.namespace === namespace && selects(resource, each))
      .map((each) => edge(id, resourceId(each), 'selects', confidence.declared, line)),
  ]
}

function selects({ selector }: ResourceFacts, { labels }: ResourceFacts): boolean {
  return selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value)
}

function edge(from: string, to: string, relation: string, sure: number, line: number): CodeEdge {
  return { from, to, relation, confidence: sure, tier: tierOf(sure), metadata: { line: String(line) } }
}

function unique(edges: readonly CodeEdge[]): CodeEdge[] {
  return [...new Map(edges.map((each) => [`${each.from}\n${each.to}\n${each.relation}`, each])).values()]
}
