/** The six kinds of `platform.dev/v1alpha1`, and `v1` Secret as `apply` takes it on one machine (RESOURCE-RULE-5). */
import { Type, type Static, type TSchema } from 'typebox'
import { agentKinds } from '../machines/task/events.ts'
import { ForgeAddress } from './forge-address.ts'
import { meantProjectValues, projectFaults, ProjectSpec, removedProjectFields } from './project.ts'

const closed = { additionalProperties: false } as const
/** RFC 1123 label: what Kubernetes takes as a name (NAME-5). */
export const ResourceName = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$', maxLength: 52 })

export const RepositorySpec = Type.Object(
  {
    projectRef: ResourceName,
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
}

const group = 'platform.dev/v1alpha1'
const platform = (
  kind: string,
  plural: string,
  shortNames: readonly string[],
  spec: TSchema,
  writable: boolean,
  removed = {},
  texts: readonly string[] = [],
  meant = {},
  faults: Kind['faults'] = () => [],
): Kind => ({
  kind,
  apiVersion: group,
  plural,
  shortNames,
  spec,
  writable,
  removed,
  texts,
  meant,
  faults,
})

export const kinds: readonly Kind[] = [
  platform(
    'Project',
    'projects',
    ['proj'],
    ProjectSpec,
    true,
    removedProjectFields,
    [],
    meantProjectValues,
    projectFaults,
  ),
  platform('Repository', 'repositories', ['repo'], RepositorySpec, true),
  platform('Task', 'tasks', [], TaskSpec, true, {}, ['goal']),
  platform('QueuedEvent', 'queuedevents', ['qe'], QueuedEventSpec, false),
  platform('Issue', 'issues', [], ForgeObjectSpec, false),
  platform('MergeRequest', 'mergerequests', ['mr'], ForgeObjectSpec, false),
]

export function kindNamed(name: string): Kind | undefined {
  const wanted = name.toLowerCase()
  return kinds.find((kind) => [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].includes(wanted))
}
