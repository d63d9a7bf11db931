/** What a person's token may do: roles and owned Projects, by the values of a claim (ORCHESTRATOR-API-5, decisions/0047). */

export const roles = ['viewer', 'operator', 'author', 'admin'] as const
type Claims = Readonly<Record<string, unknown>>
export type Role = (typeof roles)[number]

/** Whoever has the role on the left may do what those on the right may. `author` is apart from `operator` (ORCHESTRATOR-API-3). */
const including: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  author: ['viewer', 'author'],
  admin: roles,
}

export interface RoleSettings {
  /** Name of the claim, else its path with dots; empty: every token is an admin's. */
  readonly claim: string
  /** Values of the claim that give the role. */
  readonly values: Readonly<Partial<Record<Role, readonly string[]>>>
  /** Values that give a Project, by `<namespace>/<name>`. */
  readonly owners: Readonly<Record<string, readonly string[]>>
}

export const everyTokenIsAdmin: RoleSettings = { claim: '', values: {}, owners: {} }

export interface Rights {
  readonly roles: ReadonlySet<Role>
  /** Ids of Projects, `<namespace>/<name>`. */
  readonly owned: ReadonlySet<string>
}

/** With all that the roles include. */
export function rightsWith(given: readonly Role[], owned: readonly string[] = []): Rights {
  return { roles: new Set(given.flatMap((role) => including[role])), owned: new Set(owned) }
}

/** Nothing, where the claim is absent or has no value that the settings name. */
export function rightsOf({ claim, values, owners }: RoleSettings, { claims }: { readonly claims: Claims }): Rights {
  if (claim === '') return rightsWith(['admin'])
  const held = new Set(textsOf(claimOf(claims, claim)))
  const isHeld = (wanted: readonly string[] = []): boolean => wanted.some((value) => held.has(value))
  return rightsWith(
    roles.filter((role) => isHeld(values[role])),
    Object.keys(owners).filter((project) => isHeld(owners[project])),
  )
}

/** A claim may have dots in its own name, such as a URL has: the whole name goes before the path. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, step) => {
    const isHere = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    return isHere ? (value as Readonly<Record<string, unknown>>)[step] : undefined
  }, claims)
}

/** A list, one text as a whole (names of groups hold spaces), or an object whose names are the roles. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string')
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}
