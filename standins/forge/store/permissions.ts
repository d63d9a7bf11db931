import type { Actor, Permission, Repository, User } from './records.ts'
import { Refusal } from './refusal.ts'

const RANKS: readonly Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin']

export function atLeast(held: Permission, wanted: Permission): boolean {
  return RANKS.indexOf(held) >= RANKS.indexOf(wanted)
}

/** What the user may do, by ownership, by grant, and by the repository being public. */
export function permissionOf(repository: Repository, user: User | undefined): Permission {
  if (user?.login === repository.owner.login) return 'admin'
  const granted = user ? repository.permissions.get(user.login.toLowerCase()) : undefined
  return granted ?? (repository.private ? 'none' : 'read')
}

/** A token never widens what its user may do, and may narrow it; what is public stays readable. */
export function effectivePermission(repository: Repository, actor: Actor | undefined): Permission {
  const own = permissionOf(repository, actor?.user)
  const cap = capOf(repository, actor)
  const capped = atLeast(cap, own) ? own : cap
  return capped === 'none' && !repository.private ? 'read' : capped
}

function capOf(repository: Repository, actor: Actor | undefined): Permission {
  const cap = actor?.cap ?? 'read'
  return isInstallationAt(repository, actor) && atLeast(cap, 'write') ? 'write' : cap
}

export function isInstallationAt({ dialect }: Repository, actor: Actor | undefined): boolean {
  return dialect === 'github' && actor?.isInstallation === true
}

export function may(repository: Repository, actor: Actor | undefined, wanted: Permission): boolean {
  return atLeast(effectivePermission(repository, actor), wanted)
}

/** Who may not even read is told that nothing is there. */
export function demand(repository: Repository, actor: Actor | undefined, wanted: Permission): void {
  if (!may(repository, actor, 'read')) throw new Refusal('not-found')
  if (!may(repository, actor, wanted)) throw new Refusal(wanted === 'admin' ? 'admin-only' : 'forbidden')
}

/** Needed to change what others wrote in comments. */
export function textRight(repository: Repository): Permission {
  return repository.dialect === 'gitlab' ? 'maintain' : 'write'
}

/** To make and change hooks. An installation has this right beside what it may write. */
export function demandHooks(repository: Repository, actor: Actor | undefined): void {
  const { isInstallation: _isInstallation, ...own } = actor ?? {}
  demand(repository, actor && (own as Actor), repository.dialect === 'gitlab' ? 'maintain' : 'admin')
}

export type Association = 'OWNER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE'

export function associationOf(repository: Repository, user: User): Association {
  if (user.login === repository.owner.login) return 'OWNER'
  if (repository.permissions.has(user.login.toLowerCase())) return 'COLLABORATOR'
  const contributed = [...repository.issues.values()].some(
    (issue) => issue.kind === 'pull' && issue.merged && issue.author === user,
  )
  return contributed ? 'CONTRIBUTOR' : 'NONE'
}
