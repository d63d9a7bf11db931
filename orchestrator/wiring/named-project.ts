/** The Projects that a request is about, for their owners. Empty: it names none, or one that is not there. */
import type { FastifyRequest } from 'fastify'
import { kindNamed } from '../../crd/kinds.ts'
import { checkManifest } from '../../crd/validate.ts'
import type { ResourceReader } from '../../edges/ports/resources.ts'
import { addressOf, parseAddress, parseEffectKey } from '../../runtime/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { idOfName } from '../../crd/resource-id.ts'
import type { Naming } from './route-roles.ts'

export interface NamedProjectDeps {
  readonly resources: ResourceReader
  readonly runtime: Pick<Runtime, 'read'>
}

/** Ids, `<namespace>/<name>`. Runs behind the schemas of the route. */
export async function projectsNamed(
  deps: NamedProjectDeps,
  naming: Naming,
  request: FastifyRequest,
): Promise<readonly string[]> {
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>
  const query = request.query as Readonly<Record<string, string | undefined>>
  switch (naming) {
    case 'task of body':
      return ofTask(deps, String(body['task'] ?? ''))
    case 'project of body':
      return [idOfName(String(body['project'] ?? ''))]
    case 'key of body':
      return ofAddress(deps, parseEffectKey(String(body['key'] ?? ''))?.actor)
    case 'task':
      return ofTask(deps, query['task'] ?? '')
    case 'address':
      return ofAddress(deps, query['address'])
    case 'actor':
      return ofAddress(deps, query['actor'])
    case 'key':
      return ofAddress(deps, parseEffectKey(query['key'] ?? '')?.actor)
    case 'path':
      return ofPath(deps, request.params as Readonly<Record<string, string>>)
    case 'secret of body':
      return namingSecret(deps, body)
  }
}

/**
 * By its actor and by its resource, which differ where a new Task has the name of one that ended: a route may mean either. A bare
 * name is one of `default`, as the routes read it.
 */
async function ofTask({ runtime, resources }: NamedProjectDeps, name: string): Promise<readonly string[]> {
  const id = idOfName(name)
  const task = await runtime.read(addressOf('task', id))
  const ofActor = task === undefined ? [] : [task.context.config.project]
  const [namespace = '', ...rest] = id.split('/')
  const project = (await resources.get('Task', namespace, rest.join('/')))?.spec['projectRef']
  return [...new Set([...ofActor, ...(typeof project === 'string' ? [`${namespace}/${project}`] : [])])]
}

/** A pod's id begins with its Task's, and a turn's too; queue and Project have the Project's own. */
async function ofAddress(deps: NamedProjectDeps, address = ''): Promise<readonly string[]> {
  const { kind, id = '' } = parseAddress(address) ?? {}
  if (kind === 'task' || kind === 'pod' || kind === 'turn') return ofTask(deps, id.split('/').slice(0, 2).join('/'))
  return kind === 'queue' || kind === 'project' ? [id] : []
}

async function ofPath(
  deps: NamedProjectDeps,
  { kind: given = '', namespace = '', name = '' }: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const kind = kindNamed(given)?.kind
  if (kind === 'Project') return [`${namespace}/${name}`]
  if (kind === 'Task') return ofTask(deps, `${namespace}/${name}`)
  if (kind !== 'Repository') return []
  const project = (await deps.resources.get(kind, namespace, name))?.spec['projectRef']
  return typeof project === 'string' ? [`${namespace}/${project}`] : []
}

/** Every Project of the namespace that reads the Secret, at whichever place of its spec. */
async function namingSecret({ resources }: NamedProjectDeps, body: object): Promise<readonly string[]> {
  const checked = checkManifest(body, 'pruned')
  if (checked.sort !== 'secret') return []
  const { namespace, name } = checked.secret
  const projects = await resources.list('Project', namespace)
  return projects.filter(({ spec }) => holdsText(spec, name)).map((project) => `${namespace}/${project.name}`)
}

/** Too many places name Secrets to list them here: a text of this name anywhere counts, which only asks for more owners. */
function holdsText(value: unknown, text: string): boolean {
  if (typeof value !== 'object' || value === null) return value === text
  return Object.values(value).some((inner) => holdsText(inner, text))
}
