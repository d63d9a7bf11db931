/** The six kinds of `platform.dev/v1alpha1`, and `v1` Secret as `apply` takes it on one machine (RESOURCE-RULE-5). */
import { Type, type Static, type TSchema } from 'typebox'
import { celKeyword, staysThere, unchangeable, type CelRule } from './cel.ts'
import { agentKinds } from '../machines/task/events.ts'
import { ForgeAddress } from './forge-address.ts'
import { meantProjectValues, projectFaults, ProjectSpec, removedProjectFields } from './project.ts'

const closed = { additionalProperties: false } as const
/** RFC 1123 label: what Kubernetes takes as a name (NAME-5). */
export const resourceNamePattern = '^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$'
const resourceName = { pattern: resourceNamePattern, maxLength: 52 } as const
export const ResourceName = Type.String(resourceName)
/** RFC 1123 label, as long as Kubernetes takes it. */
export const NamespaceName = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', maxLength: 63 })

export const RepositorySpec = Type.Object(
  {
    projectRef: Type.String({
      ...resourceName,
      [celKeyword]: [unchangeable('the Project of a Repository')],
    }),
    url: Type.Optional(ForgeAddress('<scm.webURL>/<scm.owner>/<name>.git')),
    defaultBranch: Type.Optional(Type.String()),
    maintainerLogins: Type.Optional(Type.Array(Type.String())),
    reporterLogins: Type.Optional(Type.Array(Type.String())),
  },
  closed,
)
export type RepositorySpec = Static<typeof RepositorySpec>

export const TaskSpec = Type.Object(
  {
    projectRef: ResourceName,
    kind: Type.Union(agentKinds.map((kind) => Type.Literal(kind))),
    goal: Type.String(),
    repositories: Type.Array(ResourceName),
    issues: Type.Optional(
      Type.Array(Type.Object({ repository: ResourceName, number: Type.Integer({ minimum: 1 }) }, closed)),
    ),
    priority: Type.Optional(Type.Integer({ default: 100 })),
    origin: Type.Optional(
      Type.Object(
        {
          kind: Type.Union(
            ['webhook', 'cron', 'sweep', 'alert', 'human', 'fold', 'takeover'].map((kind) => Type.Literal(kind)),
          ),
          ref: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type TaskSpec = Static<typeof TaskSpec>

export const QueuedEventSpec = Type.Object(
  {
    projectRef: ResourceName,
    sort: Type.Union([Type.Literal('mint'), Type.Literal('spawn')]),
    class: Type.Union([Type.Literal('normal'), Type.Literal('alert')]),
    priority: Type.Integer(),
    sequence: Type.Integer(),
    kind: Type.String(),
    taskRef: Type.Optional(Type.String()),
    payload: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  closed,
)

export const ForgeObjectSpec = Type.Object(
  { repositoryRef: ResourceName, number: Type.Integer({ minimum: 1 }) },
  closed,
)

export const SecretData = Type.Record(Type.String(), Type.String())

export interface Kind {
  readonly kind: string
  readonly apiVersion: string
  readonly plural: string
  readonly shortNames: readonly string[]
  readonly spec: TSchema
  /** People may write it; the rest belongs to the orchestrator (RESOURCES-5). */
  readonly writable: boolean
  readonly removed: Readonly<Record<string, string>>
  /** Values that people take for one of a choice, by the field's path: what each means here. */
  readonly meant: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Members of the spec that people read; the others name something. */
  readonly texts: readonly string[]
  /** Of a spec, beside what its schema finds. */
  faults(spec: unknown): readonly { readonly path: string; readonly message: string }[]
  /** What a server checks of the spec as a whole. */
  readonly rules: readonly CelRule[]
  /** JSON paths of fields that `kubectl get --field-selector` takes. */
  readonly selectable: readonly string[]
}

type Named = Pick<Kind, 'kind' | 'plural' | 'spec' | 'writable'>
const platform = (named: Named, more: Partial<Kind>): Kind => ({
  apiVersion: 'platform.dev/v1alpha1',
  shortNames: [],
  removed: {},
  texts: [],
  meant: {},
  faults: () => [],
  rules: [],
  selectable: [],
  ...named,
  ...more,
})

export const kinds: readonly Kind[] = [
  platform(
    { kind: 'Project', plural: 'projects', spec: ProjectSpec, writable: true },
    {
      shortNames: ['proj'],
      removed: removedProjectFields,
      meant: meantProjectValues,
      faults: projectFaults,
      rules: [staysThere('memory'), staysThere('workspace')],
      selectable: ['.spec.scm.provider'],
    },
  ),
  platform(
    { kind: 'Repository', plural: 'repositories', spec: RepositorySpec, writable: true },
    { shortNames: ['repo'], selectable: ['.spec.projectRef'] },
  ),
  platform(
    { kind: 'Task', plural: 'tasks', spec: TaskSpec, writable: true },
    {
      texts: ['goal'],
      rules: [unchangeable('the spec of a Task')],
      selectable: ['.spec.projectRef', '.spec.kind', '.status.stage'],
    },
  ),
  platform(
    { kind: 'QueuedEvent', plural: 'queuedevents', spec: QueuedEventSpec, writable: false },
    { shortNames: ['qe'], selectable: ['.spec.projectRef', '.status.state'] },
  ),
  platform(
    { kind: 'Issue', plural: 'issues', spec: ForgeObjectSpec, writable: false },
    { rules: [unchangeable('what an Issue names')], selectable: ['.spec.repositoryRef'] },
  ),
  platform(
    { kind: 'MergeRequest', plural: 'mergerequests', spec: ForgeObjectSpec, writable: false },
    {
      shortNames: ['mr'],
      rules: [unchangeable('what a MergeRequest names')],
      selectable: ['.spec.repositoryRef'],
    },
  ),
]

export function kindNamed(name: string): Kind | undefined {
  const wanted = name.toLowerCase()
  return kinds.find((kind) => [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].includes(wanted))
}
