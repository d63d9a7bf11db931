/** Resources over HTTP on one machine: what `statewright apply` and `get` call. Production has the Kubernetes API for this. */
import { Type } from 'typebox'
import { kindNamed } from '../../crd/kinds.ts'
import { beyondOneMachine, inertOnOneMachine } from '../../crd/one-machine.ts'
import { checkManifest, onlyOrchestratorWrites } from '../../crd/validate.ts'
import type { HttpApp } from '../../http/app.ts'
import { principalOf, protect, type Authenticate } from '../../http/auth/authenticate.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { contentHash } from '../forge/hash.ts'
import type {
  AppliedResource,
  Resource,
  ResourceHooks,
  ResourceStore,
  SecretStore,
  Wanted,
} from '../ports/resources.ts'
import { missing, requireKind, ResourceParams, resourceReads, type ResourceReadDeps } from './resource-reads.ts'

export interface ResourceApiDeps extends ResourceReadDeps {
  readonly resources: ResourceStore
  readonly secrets: SecretStore
  readonly hooks: ResourceHooks
  readonly authenticate: Authenticate
  /** Settings that fields need and that are empty. */
  readonly unset?: readonly string[]
}

const Document = Type.Object({}, { additionalProperties: true })

export async function registerResourceApi(app: HttpApp, deps: ResourceApiDeps): Promise<void> {
  await app.register(async (scope) => {
    protect(scope, deps.authenticate)
    writeRoutes(scope, deps)
    resourceReads(scope, deps)
  })
}

function writeRoutes(app: HttpApp, deps: ResourceApiDeps): void {
  app.put(
    '/resources',
    {
      config: { textsAsReceived: true },
      schema: { body: Document, summary: 'Apply one manifest; an unknown field is dropped' },
    },
    async (request) => {
      refuseDerived(request.body)
      const checked = checkManifest(request.body, 'pruned')
      const faults = [...checked.faults, ...beyondOneMachine(request.body)]
      if (faults.length > 0) throw invalidInput(faults.map(({ path, message }) => ({ path, message })))
      if (checked.sort === 'secret') {
        const { namespace, name, data } = checked.secret
        const isNew = (await deps.secrets.read(namespace, name)) === undefined
        await deps.secrets.write(namespace, name, data)
        const change = isNew ? 'created' : 'configured'
        return { kind: 'Secret', namespace, name, change, warnings: checked.warnings }
      }
      await refuseChange(deps, checked.manifest)
      const { resource, change } = await deps.resources.apply(checked.manifest)
      const name = resource.kind === 'Task' ? await mint(deps, resource, change) : resource.name
      const project = resource.kind === 'Project' ? resource.name : String(resource.spec['projectRef'] ?? '')
      // Told also when nothing changed: an earlier apply may have ended before it was told.
      if (resource.kind !== 'Task' && project !== '') await deps.hooks.projectChanged(resource.namespace, project)
      return {
        kind: resource.kind,
        namespace: resource.namespace,
        name,
        change,
        warnings: [
          ...checked.warnings,
          ...inertOnOneMachine(request.body, deps.unset),
          ...(name === resource.name ? [] : [laterLife(resource.name, name)]),
        ],
      }
    },
  )

  app.delete(
    '/resources/:kind/:namespace/:name',
    { schema: { params: ResourceParams, summary: 'Delete a resource' } },
    async (request, reply) => {
      const { kind, namespace, name } = request.params
      const known = requireKind(kind)
      if (!known.writable) throw new Problem('forbidden', onlyOrchestratorWrites(known.kind))
      if (known.kind === 'Task') {
        const deletion = { namespace, name, by: principalOf(request).subject, request: request.id }
        const { state, made } = await deps.hooks.taskDeleted(deletion)
        if (state === 'unknown') throw missing(known.kind, namespace, name)
        if (made !== undefined) await deps.resources.remove('Task', made.namespace, made.name)
        return reply.code(204).send()
      }
      const resource = await deps.resources.get(known.kind, namespace, name)
      if (resource === undefined) throw missing(known.kind, namespace, name)
      // Told first: a deletion that ended in between is asked for again, and what is gone could not be.
      if (known.kind === 'Project') await endProject(deps, resource)
      await deps.resources.remove(known.kind, namespace, name)
      if (known.kind === 'Repository') await deps.hooks.projectChanged(namespace, projectOf(resource))
      return reply.code(204).send()
    },
  )
}

/** Its Tasks go with it. */
async function endProject({ hooks, resources }: ResourceApiDeps, project: Resource): Promise<void> {
  await hooks.projectDeleted(project)
  for (const task of await resources.list('Task', project.namespace))
    if (projectOf(task) === project.name) await resources.remove('Task', task.namespace, task.name)
}

function refuseDerived(manifest: { readonly kind?: unknown }): void {
  const kind = typeof manifest.kind === 'string' ? kindNamed(manifest.kind) : undefined
  if (kind?.writable === false) throw new Problem('forbidden', onlyOrchestratorWrites(kind.kind))
}

type Spec = Resource['spec']

/** What a resource is made for, by path. Another one is another resource: what was known of the first is not its own. */
const fixedFields: Readonly<Record<string, (spec: Spec) => Readonly<Record<string, unknown>>>> = {
  Task: (spec) => spec,
  Project: ({ scm }) => {
    const { provider, owner } = scm as Readonly<Record<string, unknown>>
    return { 'scm/provider': provider, 'scm/owner': owner }
  },
}

/** Every field that may not change is named, before anything is written (TASK-RESOURCE-21, PROJECT-SCM-23). */
async function refuseChange({ resources }: ResourceApiDeps, { kind, namespace, name, spec }: Wanted): Promise<void> {
  const fixed = fixedFields[kind]
  const before = fixed && (await resources.get(kind, namespace, name))?.spec
  if (!fixed || before === undefined) return
  const [was, now] = [fixed(before), fixed(spec)]
  const paths = [...new Set([...Object.keys(was), ...Object.keys(now)])].toSorted()
  const changed = paths.filter((path) => contentHash(was[path] ?? null) !== contentHash(now[path] ?? null))
  const message = `cannot change while the ${kind} ${name} is there: delete the ${kind}, or give the new one another name`
  if (changed.length > 0) throw invalidInput(changed.map((path) => ({ path: `/spec/${path}`, message })))
}

function laterLife(asked: string, name: string): { readonly path: string; readonly message: string } {
  const message = `an earlier Task ${asked} has ended and stays readable; this one is ${name}`
  return { path: '/metadata/name', message }
}

/** Told at every apply: an earlier one may have ended before it was. A Task that is refused leaves no resource behind. */
async function mint(deps: ResourceApiDeps, resource: Resource, change: AppliedResource['change']): Promise<string> {
  try {
    return await deps.hooks.taskApplied(resource)
  } catch (error) {
    if (error instanceof Problem && change === 'created')
      await deps.resources.remove(resource.kind, resource.namespace, resource.name)
    throw error
  }
}

function projectOf(resource: Resource): string {
  return resource.kind === 'Project' ? resource.name : String(resource.spec['projectRef'])
}
