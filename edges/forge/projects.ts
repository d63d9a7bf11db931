/**
 * What the edges need to know of Projects and Repositories. Read at every use: settings change under running Tasks,
 * and a Secret is never cached (WEBHOOKS-8). The implementation over stored resources is injected.
 */
import type { ProjectSpec } from '../../crd/project.ts'
import type { TaskConfig } from '../../machines/task/events.ts'

export type Provider = 'forge_a' | 'forge_b'

interface LifecycleLabels {
  readonly brainstorming: string
  readonly approved: string
  readonly implementation: string
  readonly declined: string
}

interface ScmSettings {
  readonly provider: Provider
  readonly owner: string
  readonly botLogin: string
  readonly botEmail?: string
  readonly maintainerLogins: readonly string[]
  readonly reporterLogins: readonly string[]
  /** Absent or empty reads as `all`. */
  readonly prReactionScope?: 'labeledOrMentioned' | 'all' | ''
  /** Base of the forge's API; absent: the public one (RESOURCE-RULE-3). */
  readonly apiURL?: string
  /** Base of its web and git addresses. */
  readonly webURL?: string
  /** Beside the platform's own list: what pods change only where a maintainer allowed it. */
  readonly protectedPaths?: readonly string[]
  /** Absent or false: what the forge shows to members alone is not mirrored (PROJECT-SCM-22). */
  readonly includeConfidential?: boolean
  readonly labels: LifecycleLabels & { readonly incident: string; readonly priority?: string }
}

export interface RepositorySettings {
  /** Name of the Repository resource. */
  readonly name: string
  /** Clone URL, `<webURL>/<owner>/<name>.git`. */
  readonly url: string
  /** Absent: the forge's. */
  readonly defaultBranch?: string
  /** Absent inherits from the Project; an empty list is empty. */
  readonly maintainerLogins?: readonly string[]
  readonly reporterLogins?: readonly string[]
}

/** What single agent kinds are told of the Project (PROJECT-CRON and PROJECT-UPGRADE, docs/contract/resources.md). */
export interface KindSettings {
  /** Backlog of proposals over all repositories; 0 disables refill. */
  readonly targetOpenProposals: number
  /** Newest proposals shown to a brainstorm; 0 shows none. */
  readonly historyWindow: number
  /** What a brainstorm may draw on beside the repositories. */
  readonly proposalSources: readonly string[]
  /** How far back a refine looks at closed issues. */
  readonly closedLookbackDays: number
  /** Handed to the upgrade agent as it stands; nothing here acts on it. */
  readonly upgradePolicy?: Readonly<Record<string, unknown>>
  /** The issue scan is scheduled: what nobody asked for waits for a sweep. */
  readonly scansIssues?: boolean
  /** Clone URL of the central documentation; empty or absent: disabled. */
  readonly documentationRepo?: string
  /** Head-branch prefix of the dependency engine's own merge requests; empty adopts none. */
  readonly adoptBranchPrefix: string
}

export interface ProjectSettings {
  /** Of the Project resource: another one of the same name has another (MIRROR-7). */
  readonly uid: string
  readonly name: string
  readonly namespace: string
  /** Of the Project resource; echoed by `project.checked`. */
  readonly generation: number
  readonly scm: ScmSettings
  readonly triggerLabel: string
  readonly autoApproveMaxSignificance: 'off' | 'patch' | 'minor' | 'major'
  /** Accounts of the dependency engine: no gated humans, whatever their type. */
  readonly upgradeEngineLogins: readonly string[]
  readonly repositories: readonly RepositorySettings[]
  readonly taskConfig: TaskConfig
  readonly kinds: KindSettings
  /** As the Project says it; what its pods are told beside their Task. */
  readonly agent?: NonNullable<ProjectSpec['agent']>
}

export interface ProjectSecret {
  readonly token?: string
  readonly webhookSecret?: string
}

/**
 * `name` is the Project's actor id, `<namespace>/<name>`, as effects and facts have it; or its bare name, as routes have
 * it. Both mean the one Project that holds the name: another one of it, in another namespace, is not found (RESOURCES-20).
 */
export interface ProjectDirectory {
  project(name: string): Promise<ProjectSettings | undefined>
  /** Those that hold their names. */
  projects(): Promise<readonly ProjectSettings[]>
  /** As stored at this moment; undefined when there is no such Secret. */
  secret(name: string): Promise<ProjectSecret | undefined>
}

/** A Project as it was applied, whether it holds its name or not. */
export interface AppliedProject {
  readonly project: ProjectSettings
  /** Actor id of the Project that holds the name. */
  readonly holder: string
}

export interface AppliedProjects {
  /** By the actor id. */
  applied(id: string): Promise<AppliedProject | undefined>
  /** The one that holds its name and whose resource has this uid. */
  byUid(uid: string): Promise<ProjectSettings | undefined>
}

/** For what people read; a Project is resolved by its whole id. */
export function bareName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}

export function projectId(project: ProjectSettings): string {
  return `${project.namespace}/${project.name}`
}

/** `owner/name` (with subgroups, where the forge has them) out of a clone URL. */
export function forgePath(repository: RepositorySettings, scm: Pick<ScmSettings, 'webURL'>): string {
  const url = new URL(repository.url)
  const prefix = scm.webURL === undefined ? '' : new URL(scm.webURL).pathname.replace(/\/+$/, '')
  const path = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : url.pathname
  return decodeURIComponent(
    path
      .replace(/^\/+/, '')
      .replace(/\/+$/, '')
      .replace(/\.git$/, ''),
  )
}

const publicForges = { forge_a: 'https://github.com', forge_b: 'https://gitlab.com' } as const

/** Base of the web and git addresses of a Project's forge. */
export function webOf({ provider, webURL }: Pick<ScmSettings, 'provider' | 'webURL'>): string {
  return webURL ?? publicForges[provider]
}

/** Where a Project's forge answers: the bot's token goes to no other origin (PROJECT-SCM-4). */
export function forgeOrigins(scm: Pick<ScmSettings, 'provider' | 'webURL' | 'apiURL'>): readonly string[] {
  const { webURL, apiURL } = scm
  // An API of one's own and no pages: then the public forge is not this Project's.
  const web = webURL === undefined && apiURL !== undefined ? [] : [webOf(scm)]
  return [...web, ...(apiURL === undefined ? [] : [apiURL])].map((base) => new URL(base).origin)
}

export function isOnForge({ url }: RepositorySettings, scm: Parameters<typeof forgeOrigins>[0]): boolean {
  return forgeOrigins(scm).includes(new URL(url).origin)
}

export function repositoryNamed(project: ProjectSettings, name: string): RepositorySettings | undefined {
  return project.repositories.find((repository) => repository.name === name)
}

/** Forges compare paths without regard to case. */
export function repositoryAt(project: ProjectSettings, path: string): RepositorySettings | undefined {
  return project.repositories.find(
    (repository) => forgePath(repository, project.scm).toLowerCase() === path.toLowerCase(),
  )
}

export function maintainersOf(project: ProjectSettings, repository: RepositorySettings): readonly string[] {
  return repository.maintainerLogins ?? project.scm.maintainerLogins
}

export function reportersOf(project: ProjectSettings, repository: RepositorySettings): readonly string[] {
  return repository.reporterLogins ?? project.scm.reporterLogins
}

/** PROJECT-DOCS-3: the URL must be that of an enrolled Repository. */
export function documentationOf({ kinds, repositories }: ProjectSettings): string | undefined {
  const wanted = plainUrl(kinds.documentationRepo ?? '')
  return wanted === '' ? undefined : repositories.find(({ url }) => plainUrl(url) === wanted)?.name
}

function plainUrl(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
}
