/** Projects and Repositories as applied, in the words of the edges. Read at every use: settings change under running Tasks. */
import { createHash } from 'node:crypto'
import { Value } from 'typebox/value'
import type { RepositorySpec } from '../../crd/kinds.ts'
import { effortByKind, modelsByKind, type ModelDefaults } from '../../crd/models.ts'
import { ProjectSpec } from '../../crd/project.ts'
import { defaultTokensPerTurn } from '../../machines/rules/spending.ts'
import type { TaskConfig } from '../../machines/task/events.ts'
import { plainFrozen } from '../../runtime/step/plain.ts'
import {
  webOf,
  type AppliedProject,
  type AppliedProjects,
  type ProjectDirectory,
  type ProjectSecret,
  type ProjectSettings,
  type RepositorySettings,
} from './projects.ts'
import type { Resource, ResourceReader, SecretReader } from '../ports/resources.ts'
import { appliedFirst, holderOf, idOf, projectNamed, type HolderRule } from './project-names.ts'

export interface ProjectDirectoryDeps {
  readonly resources: ResourceReader
  readonly secrets: SecretReader
  /** Where a Repository names no branch: the forge's own default. `project` is an actor id. */
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
  /** The operator's; absent: none. */
  readonly models?: ModelDefaults
}

/** `metadata.generation` of a Project and of each of its Repositories, by kind and name: `Repository/lib`. */
type Generations = Readonly<Record<string, number>>

export interface Projects extends ProjectDirectory, AppliedProjects {
  /** Of the Project that holds the name; `name` as in `ProjectDirectory`. */
  spec(name: string): Promise<{ readonly resource: Resource; readonly spec: ProjectSpec } | undefined>
  applied(
    id: string,
  ): Promise<(AppliedProject & { readonly spec: ProjectSpec; readonly resources: Generations }) | undefined>
  /** Every Project that was applied. */
  ids(): Promise<readonly string[]>
}

/** `rule`: another one only where a test takes the wall down. */
export function createProjectDirectory(deps: ProjectDirectoryDeps, rule: HolderRule = appliedFirst): Projects {
  const specs = new Map<string, { readonly source: string; readonly spec: ProjectSpec }>()

  /** Completed once for each change: it is asked for at every use. */
  function specOf({ uid, spec }: Resource): ProjectSpec {
    const source = JSON.stringify(spec)
    const known = specs.get(uid)
    if (known?.source === source) return known.spec
    const complete = plainFrozen(Value.Default(ProjectSpec, structuredClone(spec))) as ProjectSpec
    specs.set(uid, { source, spec: complete })
    return complete
  }

  async function find(name: string): Promise<{ resource: Resource; spec: ProjectSpec } | undefined> {
    const resource = projectNamed(await deps.resources.list('Project'), name, rule)
    return resource === undefined ? undefined : { resource, spec: specOf(resource) }
  }
  return {
    spec: find,
    project: async (name) => {
      const found = await find(name)
      return found === undefined ? undefined : toSettings(deps, found.resource, found.spec)
    },
    byUid: async (uid) => {
      const all = await deps.resources.list('Project')
      const resource = all.find((one) => one.uid === uid)
      const isHolder = resource !== undefined && holderOf(all, resource.name, rule) === resource
      return isHolder ? toSettings(deps, resource, specOf(resource)) : undefined
    },
    projects: async () => {
      const all = await deps.resources.list('Project')
      const holders = all.filter((one) => holderOf(all, one.name, rule) === one)
      return Promise.all(holders.map((resource) => toSettings(deps, resource, specOf(resource))))
    },
    applied: async (id) => {
      const all = await deps.resources.list('Project')
      const resource = all.find((one) => idOf(one) === id)
      const holder = resource && holderOf(all, resource.name, rule)
      if (resource === undefined || holder === undefined) return undefined
      const spec = specOf(resource)
      const resources = generationsOf([resource, ...(await repositoriesOf(deps, resource))])
      return { project: await toSettings(deps, resource, spec), spec, holder: idOf(holder), resources }
    },
    ids: async () => (await deps.resources.list('Project')).map(idOf),
    secret: async (name): Promise<ProjectSecret | undefined> => {
      const found = await find(name)
      return found === undefined ? undefined : deps.secrets.read(found.resource.namespace, found.spec.scmSecretRef)
    },
  }
}

async function repositoriesOf({ resources }: ProjectDirectoryDeps, project: Resource): Promise<readonly Resource[]> {
  const all = await resources.list('Repository', project.namespace)
  return all.filter(({ spec }) => (spec as RepositorySpec).projectRef === project.name)
}

function generationsOf(resources: readonly Resource[]): Generations {
  return Object.fromEntries(resources.map(({ kind, name, generation }) => [`${kind}/${name}`, generation]))
}

async function toSettings(deps: ProjectDirectoryDeps, resource: Resource, spec: ProjectSpec): Promise<ProjectSettings> {
  const own = (await repositoriesOf(deps, resource)).map((one) => ({ ...one, spec: one.spec as RepositorySpec }))
  const repositories = own.map((one) => toRepository(one.name, one.spec, spec))
  const branches = await Promise.all(
    own.map(async (one) => ({
      name: one.name,
      base: one.spec.defaultBranch ?? (await deps.defaultBranch(idOf(resource), one.name)),
    })),
  )
  return {
    uid: resource.uid,
    name: resource.name,
    namespace: resource.namespace,
    generation: fingerprint([resource, ...own]),
    scm: toScm(spec),
    triggerLabel: spec.triggerLabel ?? 'platform',
    autoApproveMaxSignificance: spec.autoApproveMaxSignificance || 'off',
    upgradeEngineLogins: spec.upgradePolicy?.upgradeEngineLogins ?? [],
    repositories,
    taskConfig: toTaskConfig(idOf(resource), spec, branches, deps.models),
    kinds: toKinds(spec),
    ...(spec.agent === undefined ? {} : { agent: spec.agent }),
  }
}

function toRepository(name: string, repository: RepositorySpec, { scm }: ProjectSpec): RepositorySettings {
  const { defaultBranch, maintainerLogins, reporterLogins } = repository
  return {
    name,
    url: repository.url ?? `${webOf(scm)}/${scm.owner}/${name}.git`,
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...(maintainerLogins === undefined ? {} : { maintainerLogins }),
    ...(reporterLogins === undefined ? {} : { reporterLogins }),
  }
}

function toScm({ scm }: ProjectSpec): ProjectSettings['scm'] {
  return {
    provider: scm.provider,
    owner: scm.owner,
    botLogin: scm.botLogin,
    ...(scm.botEmail === undefined ? {} : { botEmail: scm.botEmail }),
    maintainerLogins: scm.maintainerLogins ?? [],
    reporterLogins: scm.reporterLogins ?? [],
    prReactionScope: scm.prReactionScope ?? '',
    ...(scm.apiURL === undefined ? {} : { apiURL: scm.apiURL }),
    ...(scm.webURL === undefined ? {} : { webURL: scm.webURL }),
    ...(scm.protectedPaths === undefined ? {} : { protectedPaths: scm.protectedPaths }),
    ...(scm.includeConfidential === true ? { includeConfidential: true } : {}),
    labels: {
      brainstorming: scm.brainstormingLabel ?? 'platform-brainstorming',
      approved: scm.approvedLabel ?? 'platform-approved',
      implementation: scm.implementationLabel ?? 'platform-implementation',
      declined: scm.declinedLabel ?? 'platform-declined',
      incident: scm.incidentLabel ?? 'platform-incident',
      ...(scm.priorityLabel ? { priority: scm.priorityLabel } : {}),
    },
  }
}

/** The deprecated `maxOpenProposals` counts only where no target is given; a lookback of 0 days is 30 (PROJECT-CRON-9, PROJECT-CRON-16). */
function toKinds({ scm, upgradePolicy, documentation }: ProjectSpec): ProjectSettings['kinds'] {
  const { brainstorm, refine, issueScan } = scm.cron ?? {}
  return {
    targetOpenProposals: brainstorm?.targetOpenProposals ?? brainstorm?.maxOpenProposals ?? 3,
    historyWindow: brainstorm?.historyWindow ?? 20,
    proposalSources: brainstorm?.sources ?? [],
    closedLookbackDays: refine?.closedLookbackDays || 30,
    ...(upgradePolicy === undefined ? {} : { upgradePolicy }),
    scansIssues: (issueScan?.schedule ?? '').trim() !== '',
    documentationRepo: documentation?.enabled === true ? (documentation.repo ?? '') : '',
    adoptBranchPrefix: upgradePolicy?.adoptBranchPrefix ?? '',
  }
}

function toTaskConfig(
  project: string,
  spec: ProjectSpec,
  repositories: TaskConfig['repositories'],
  models?: ModelDefaults,
): TaskConfig {
  return {
    project,
    agentPodTTLSeconds: spec.agentPodTTLSeconds ?? 3600,
    turnTimeoutSeconds: spec.agent?.turnTimeoutSeconds ?? 1800,
    stallProbeGraceSeconds: spec.agent?.stallProbeGraceSeconds ?? 300,
    stallProbeMaxAttempts: spec.agent?.stallProbeMaxAttempts ?? 2,
    autoApproveMaxSignificance: spec.autoApproveMaxSignificance || 'off',
    model: modelsByKind(spec.agent, models),
    effort: effortByKind(spec.agent),
    permissionMode: spec.agent?.permissionMode ?? 'bypassPermissions',
    ...(spec.spending === undefined ? {} : { tokensPerTurn: spec.spending.tokensPerTurn ?? defaultTokensPerTurn }),
    repositories,
  }
}

/**
 * Another number for every set of resources and of their changes: a change of a Repository, or another one under an old
 * name, is a change of what its Project has to check. Compared for equality only.
 */
function fingerprint(resources: readonly Pick<Resource, 'uid' | 'generation'>[]): number {
  const source = resources
    .map(({ uid, generation }) => `${uid}:${generation}`)
    .toSorted()
    .join(' ')
  return createHash('sha256').update(source).digest().readUIntBE(0, 6)
}
