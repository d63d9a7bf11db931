import { createHash } from 'node:crypto'
import { processGit, type GitStore } from '../git/store.ts'
import { openAuditLog, type AuditAction, type AuditEntry, type AuditLog } from './audit.ts'
import type { ForgeEvent } from './events.ts'
import { createLocks, type Locks } from './locks.ts'
import { fullName, type Actor, type Permission, type Repository, type User } from './records.ts'
import { Refusal } from './refusal.ts'

/** The one store that both dialects read and write. */
export interface World {
  readonly dir: string
  readonly users: Map<string, User>
  readonly tokens: Map<string, Actor>
  readonly repositories: Map<string, Repository>
  readonly audit: AuditLog
  readonly locks: Locks
  readonly git: GitStore
  readonly now: () => number
  readonly listeners: Set<(event: ForgeEvent) => void>
  /** Awaited for every branch tip that a push or merge has set, so that a check exists when the push is answered. */
  readonly tipListeners: Set<(repository: Repository, branch: string, sha: string) => Promise<void>>
  /** Told after every change that a later start must know of; the change may still be half made, until the next turn of the loop. */
  readonly changeListeners: Set<() => void>
  /** Those that an earlier forge of this folder has left: to create one of them again is to be given it. */
  readonly restored: Set<Repository>
  lastId: number
  nextId(): number
}

export function createWorld(dir: string, git: GitStore = processGit): World {
  const world: World = {
    dir,
    users: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    audit: openAuditLog(`${dir}/audit.jsonl`),
    locks: createLocks(),
    git,
    now: () => Date.now(),
    listeners: new Set(),
    tipListeners: new Set(),
    changeListeners: new Set(),
    restored: new Set(),
    lastId: 1000,
    nextId: () => (world.lastId += 1),
  }
  return world
}

/** GitHub keeps whole seconds, GitLab thousandths; so does everything they show. */
export function timestamp({ now }: Pick<World, 'now'>, repository?: Pick<Repository, 'dialect'>): string {
  const at = new Date(now()).toISOString()
  return repository?.dialect === 'gitlab' ? at : at.replace(/\.\d+Z$/, 'Z')
}

export function emit(world: World, event: ForgeEvent): void {
  for (const listener of world.listeners) listener(event)
}

export function noteChange(world: World): void {
  for (const listener of world.changeListeners) listener()
}

export type AuditFacts = Omit<AuditEntry, 'at' | 'actor' | 'action' | 'repository'>

export function record(
  world: World,
  actor: User,
  action: AuditAction,
  repository: Repository,
  facts: AuditFacts = {},
): void {
  world.audit.append({
    at: new Date(world.now()).toISOString(),
    actor: actor.login,
    action,
    repository: fullName(repository),
    ...facts,
  })
  noteChange(world)
}

export interface TokenSpec {
  readonly token: string
  readonly scopes?: readonly string[]
  /** The most this token may do anywhere. Default: what its user may. */
  readonly permission?: Permission
  /** Default: that of a bot is one. */
  readonly isInstallation?: boolean
}

export interface UserSpec {
  readonly login: string
  readonly id?: number
  readonly type?: 'User' | 'Bot'
  readonly name?: string
  readonly email?: string
  readonly token?: string
  readonly tokens?: readonly TokenSpec[]
}

/** Who is known already stays the same one, the author of all that was written, and gets the tokens and the particulars that are given. */
export function addUser(world: World, spec: UserSpec): User {
  const user = findUser(world, spec.login) ?? newUser(world, spec)
  const { type, name, email } = spec
  Object.assign(user, { ...(type && { type }), ...(name && { name }), ...(email && { email }) })
  for (const token of [...(spec.token ? [{ token: spec.token }] : []), ...(spec.tokens ?? [])])
    addToken(world, user, token)
  noteChange(world)
  return user
}

function newUser(world: World, spec: UserSpec): User {
  const id = spec.id ?? world.nextId()
  const user: User = {
    id,
    login: spec.login,
    type: 'User',
    name: spec.login,
    email: `${id}+${spec.login.replaceAll(/[^A-Za-z0-9-]/g, '')}@users.noreply.localhost`,
    createdAt: timestamp(world),
  }
  world.users.set(user.login.toLowerCase(), user)
  return user
}

function addToken(world: World, user: User, spec: TokenSpec): void {
  const { permission: cap = 'admin', scopes = ['repo'], isInstallation = user.type === 'Bot' } = spec
  world.tokens.set(fingerprint(spec.token), { user, cap, scopes, isInstallation })
}

/** Looked up by hash, so that the time a look-up takes says nothing about the tokens that exist. */
export function actorOf(world: World, token: string): Actor | undefined {
  return world.tokens.get(fingerprint(token))
}

export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function findUser(world: World, login: string): User | undefined {
  return world.users.get(login.toLowerCase())
}

export function requireUser(world: World, login: string): User {
  const user = findUser(world, login)
  if (!user) throw new Refusal('not-found', { resource: 'User', detail: login })
  return user
}

export function findRepository(world: World, owner: string, name: string): Repository | undefined {
  return world.repositories.get(`${owner}/${name}`.toLowerCase())
}
