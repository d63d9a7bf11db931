import { join } from 'node:path'
import { permissionOf } from './permissions.ts'
import type { CiSettings, Dialect, MergeMethod, Permission, Protection, Repository, Ruleset } from './records.ts'
import { Refusal } from './refusal.ts'
import { addUser, findRepository, findUser, record, requireUser, timestamp, type World } from './world.ts'
import { createHook, type HookInput } from './hooks.ts'
import { createLabel, type LabelInput } from './labels.ts'

export interface RepositorySpec {
  /** Default GitHub's. In GitLab's issues and merge requests have numbers of their own, and the owner may be a nested group, `group/sub`. */
  readonly dialect?: Dialect
  readonly owner: string
  readonly name: string
  /** A local repository to start from: its branches and tags, and its HEAD as the default branch. */
  readonly fromPath?: string
  readonly defaultBranch?: string
  readonly description?: string
  readonly private?: boolean
  readonly permissions?: Readonly<Record<string, Permission>>
  readonly mergeMethods?: readonly MergeMethod[]
  readonly deleteBranchOnMerge?: boolean
  readonly protection?: Readonly<Record<string, Partial<Protection>>>
  readonly rulesets?: ReadonlyArray<Omit<Ruleset, 'id'>>
  readonly ci?: Partial<CiSettings>
  readonly labels?: readonly LabelInput[]
  readonly hooks?: readonly HookInput[]
}

const OPEN_PROTECTION: Protection = { requiredChecks: [], strict: false, requiredApprovals: 0, enforceAdmins: true }
const DEFAULT_CI: CiSettings = { enabled: true, checkName: 'test', timeoutMs: 600_000 }
const NAME = /^[A-Za-z0-9._-]+$/
const DOTS = /^\.+$/
/** GitLab's of a group and of a project; GitHub's are shorter. */
const LONGEST_PART = 255

/** The owner is created when nobody has that login yet. A repository of an earlier start of this forge is given as it stands, whatever else the spec says. */
export async function createRepository(world: World, spec: RepositorySpec): Promise<Repository> {
  if (!isPlace(spec))
    throw new Refusal('invalid', { resource: 'Repository', field: 'name', detail: `${spec.owner}/${spec.name}` })
  const known = findRepository(world, spec.owner, spec.name)
  if (known && world.restored.has(known)) return known
  if (known) throw new Refusal('exists', { resource: 'Repository', field: 'name' })
  const owner = findUser(world, spec.owner) ?? addUser(world, { login: spec.owner })
  for (const login of Object.keys(spec.permissions ?? {})) requireUser(world, login)
  const path = repositoryPath(world, spec.owner, spec.name)
  const defaultBranch = await world.git.create(path, hooksPath(world), spec)
  const dialect = spec.dialect ?? 'github'
  const at = timestamp(world, { dialect })
  const repository: Repository = {
    id: world.nextId(),
    dialect,
    owner,
    name: spec.name,
    path,
    git: world.git.at(path),
    defaultBranch,
    private: spec.private ?? false,
    description: spec.description ?? null,
    permissions: new Map(
      Object.entries(spec.permissions ?? {}).map(([login, permission]) => [login.toLowerCase(), permission]),
    ),
    mergeMethods: new Set(spec.mergeMethods ?? ['merge', 'squash', 'rebase']),
    deleteBranchOnMerge: spec.deleteBranchOnMerge ?? false,
    protection: new Map(
      Object.entries(spec.protection ?? {}).map(([branch, rules]) => [branch, { ...OPEN_PROTECTION, ...rules }]),
    ),
    rulesets: (spec.rulesets ?? []).map((rules) => ({ id: world.nextId(), ...rules })),
    ci: { ...DEFAULT_CI, ...spec.ci },
    labels: new Map(),
    issues: new Map(),
    nextNumber: 1,
    nextPullNumber: 1,
    hooks: new Map(),
    suites: [],
    statuses: [],
    createdAt: at,
    updatedAt: at,
    pushedAt: at,
  }
  world.repositories.set(`${owner.login}/${spec.name}`.toLowerCase(), repository)
  record(world, owner, 'repository.create', repository, { detail: { defaultBranch } })
  const admin = { user: owner, cap: 'admin' as const, scopes: [] }
  for (const label of spec.labels ?? []) createLabel(world, repository, admin, label)
  for (const hook of spec.hooks ?? [])
    createHook(world, repository, admin, { contentType: 'json', events: ['*'], ...hook })
  return repository
}

/** The owner's and the repository's names become folders. */
function isPlace({ owner, name, dialect }: RepositorySpec): boolean {
  const groups = owner.split('/')
  if (groups.length > 1 && dialect !== 'gitlab') return false
  return [...groups, name].every((part) => NAME.test(part) && !DOTS.test(part) && part.length <= LONGEST_PART)
}

export function repositoryPath(world: World, owner: string, name: string): string {
  return join(world.dir, 'repositories', owner, `${name}.git`)
}

/** Of the hooks that git runs in every repository. */
export function hooksPath(world: World): string {
  return join(world.dir, 'git-hooks')
}

/** Everybody who was granted something, and the owner. */
export function collaborators(world: World, repository: Repository): Array<{ login: string; permission: Permission }> {
  const logins = new Set([repository.owner.login, ...repository.permissions.keys()])
  return [...logins]
    .map((login) => findUser(world, login))
    .filter((user) => user !== undefined)
    .map((user) => ({ login: user.login, permission: permissionOf(repository, user) }))
}
