/** What all resources that are made from actors share: name, generation, times. */
/** An actor as the runtime shows it. */
export interface ActorShape<Context = unknown> {
  readonly id: string
  readonly path: string
  readonly seq: number
  readonly context: Context
}

export interface DerivedResource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number }
  readonly spec: object
  readonly status: object
}

export const apiVersion = 'platform.dev/v1alpha1'

export function metadataOf(actor: ActorShape): DerivedResource['metadata'] {
  const [namespace = 'default', ...name] = actor.id.split('/')
  return { name: name.join('/'), namespace, generation: actor.seq }
}

/** RFC 3339; null where nothing happened yet. */
export function time(at: number | null): string | null {
  return at === null || at === 0 ? null : new Date(at).toISOString()
}

/** The innermost state of an actor. */
export function stateOf({ path }: Pick<ActorShape, 'path'>): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

/** A field with a time, or nothing where nothing happened yet. */
export function whenever<Name extends string>(name: Name, at: number | null): { readonly [N in Name]?: string } {
  const text = time(at)
  return text === null ? {} : ({ [name]: text } as { readonly [N in Name]?: string })
}

type Plain = { readonly [name: string]: unknown }

/** Without what is null, at any depth: a server shows a null as a value, and drops it from a closed status. */
export function withoutNulls(status: object): object {
  const fields = Object.entries(status as Plain).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(fields.map(([name, value]) => [name, plainOf(value)]))
}

function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf)
  return typeof value === 'object' && value !== null ? withoutNulls(value) : value
}
