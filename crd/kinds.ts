/** The six kinds of `platform.dev/v1alpha1`, and `v1` Secret as `apply` takes it on one machine (RESOURCE-RULE-5). */
import { Type, type Static, type TSchema } from 'typebox'
import { celKeyword, staysThere, unchangeable, type CelRule } from './cel.ts'
import { agentKinds } from '../machines/task/events.ts'
import { Block, closed, List, OneOf, Spec, Text, Whole } from './fields.ts'
import { ForgeAddress } from './forge-address.ts'
import { meantProjectValues, projectFaults, ProjectSpec, removedProjectFields } from './project.ts'
import { by, type FieldUse } from './readers.ts'

/** RFC 1123 label: what Kubernetes takes as a name (NAME-5). */
export const resourceNamePattern = '^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$'
const resourceName = { pattern: resourceNamePattern, maxLength: 52 } as const
export const ResourceName = Type.String(resourceName)
/** RFC 1123 label, as long as Kubernetes takes it. */
export const NamespaceName = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', maxLength: 63 })

const Name = (description: string) => Type.String({ ...resourceName, description })

const itsLogins = 'Absent: those of the Project. An empty list is empty.'
export const RepositorySpec = Spec('A repository of a Project that agents may work on.', by.directory, {
  projectRef: Type.String({
    ...resourceName,
    [celKeyword]: [unchangeable('the Project of a Repository')],
    description: 'Name of the Project, in the same namespace. It cannot change.',
  }),
  url: Type.Optional(ForgeAddress('<scm.webURL>/<scm.owner>/<name>.git')),
  defaultBranch: Text('Base of all work. Empty: the default branch on the forge.'),
  maintainerLogins: List(`Logins on the forge whose comments approve here. ${itsLogins}`, Type.String()),
  reporterLogins: List(`Logins on the forge whose issues are let in here. ${itsLogins}`, Type.String()),
})
export type RepositorySpec = Static<typeof RepositorySpec>

const origins = ['webhook', 'cron', 'sweep', 'alert', 'human', 'fold', 'takeover']
const aTask = 'One piece of work: from an issue, a schedule, an alert or a person to a merge.'
export const TaskSpec = Spec(aTask, by.people, {
  projectRef: Name('Name of the Project, in the same namespace.'),
  kind: OneOf(agentKinds, 'Kind of the first agent.'),
  goal: Type.String({ description: 'What the agent shall reach, in words.' }),
  repositories: Type.Array(ResourceName, { description: 'Names of the Repositories that it works on.' }),
  issues: List(
    'Issues that it owns.',
    Type.Object(
      {
        repository: Name('Name of the Repository of the issue.'),
        number: Type.Integer({ minimum: 1, description: 'Number of the issue on the forge.' }),
      },
      closed,
    ),
  ),
  priority: Whole('A lower number goes first.', { default: 100 }),
  origin: Block('Where it came from. A Task that a person creates has the origin human.', by.people, {
    kind: OneOf(origins, 'What made it.', {
      use: {
        refused: 'only the orchestrator writes it: a Task that a person applies has the origin `human`',
        unless: ['human'],
      },
    }),
    // As a read shows it: people apply what they read.
    ref: Type.String({ use: { reader: 'crd/status/task.ts', within: 'origin' }, description: 'Which one made it.' }),
  }),
})
export type TaskSpec = Static<typeof TaskSpec>

const unused = { additionalProperties: true, use: { inert: 'has no effect: no entry of a queue has one' } } as const
const queued: FieldUse = { written: 'crd/status/queued-event.ts' }
const QueuedEventSpec = Spec('An entry of the queue of a Project: it waits for the slot of one pod.', queued, {
  projectRef: Name('Name of the Project.'),
  sort: OneOf(['mint', 'spawn'], 'mint creates its Task when it is admitted, spawn starts the next pod of one.'),
  class: OneOf(['normal', 'alert'], 'Alerts have slots of their own.'),
  priority: Type.Integer({ description: 'A lower number goes first.' }),
  sequence: Type.Integer({ description: 'Order of arrival.' }),
  kind: Type.String({ description: 'Kind of the agent.' }),
  taskRef: Text('Name of the Task.'),
  payload: Type.Optional(Type.Object({}, { ...unused, description: 'Unused.' })),
})

const forgeObject = (what: string, use: FieldUse) =>
  Spec(`${what} of the forge as the platform knows it. The orchestrator writes it.`, use, {
    repositoryRef: Name('Name of the Repository.'),
    number: Type.Integer({ minimum: 1, description: 'Its number on the forge.' }),
  })
const IssueSpec = forgeObject('An issue', { written: 'crd/status/issue.ts' })
const MergeRequestSpec = forgeObject('A merge request', { written: 'crd/status/merge-request.ts' })

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

export const kindsByName = {
  Project: platform(
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
  Repository: platform(
    { kind: 'Repository', plural: 'repositories', spec: RepositorySpec, writable: true },
    { shortNames: ['repo'], selectable: ['.spec.projectRef'] },
  ),
  Task: platform(
    { kind: 'Task', plural: 'tasks', spec: TaskSpec, writable: true },
    {
      texts: ['goal'],
      rules: [unchangeable('the spec of a Task')],
      selectable: ['.spec.projectRef', '.spec.kind', '.status.stage'],
    },
  ),
  QueuedEvent: platform(
    { kind: 'QueuedEvent', plural: 'queuedevents', spec: QueuedEventSpec, writable: false },
    { shortNames: ['qe'], selectable: ['.spec.projectRef', '.status.state'] },
  ),
  Issue: platform(
    { kind: 'Issue', plural: 'issues', spec: IssueSpec, writable: false },
    { rules: [unchangeable('what an Issue names')], selectable: ['.spec.repositoryRef'] },
  ),
  MergeRequest: platform(
    { kind: 'MergeRequest', plural: 'mergerequests', spec: MergeRequestSpec, writable: false },
    {
      shortNames: ['mr'],
      rules: [unchangeable('what a MergeRequest names')],
      selectable: ['.spec.repositoryRef'],
    },
  ),
} satisfies Readonly<Record<string, Kind>>

type KindName = keyof typeof kindsByName

export const kinds: readonly Kind[] = Object.values(kindsByName)

export function ofEachKind<T>(make: (kind: Kind) => T): Readonly<Record<KindName, T>> {
  return {
    Project: make(kindsByName.Project),
    Repository: make(kindsByName.Repository),
    Task: make(kindsByName.Task),
    QueuedEvent: make(kindsByName.QueuedEvent),
    Issue: make(kindsByName.Issue),
    MergeRequest: make(kindsByName.MergeRequest),
  }
}

export function kindNamed(name: string): Kind | undefined {
  const wanted = name.toLowerCase()
  return kinds.find((kind) => [kind.kind.toLowerCase(), kind.plural, ...kind.shortNames].includes(wanted))
}
