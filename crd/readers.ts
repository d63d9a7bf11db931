/**
 * Who obeys each field of the six kinds on one machine. An operator who sets a field that nothing reads learns it at
 * `apply`: it is refused, or it is said to have no effect (RESOURCE-API-6, RESOURCE-API-7). The schema of a block names
 * its reader for all its fields, and a field that another file reads names that one: `readers.test.ts` looks there.
 */
type File = `${string}.ts`

export type FieldUse =
  /** This file reads it by its name. */
  | File
  /** This file reads it with the whole block of that name, or needs a setting of the orchestrator. */
  | { readonly reader: File; readonly within?: string; readonly needs?: string }
  /** Nothing reads it: `apply` refuses it with the sentence. A value of `unless`, the default and an empty one ask for nothing. */
  | { readonly refused: string; readonly unless?: readonly unknown[] }
  /** Nothing reads it: `apply` takes it and warns with the sentence. */
  | { readonly inert: string }
  /** Its schema says `deprecated`, and `apply` warns of it. */
  | 'deprecated'
  /** The kind is the orchestrator's own, which writes the field there; `apply` refuses the kind. */
  | { readonly written: File }

export const by = {
  directory: 'edges/forge/project-directory.ts',
  schedule: 'edges/schedule/settings.ts',
  models: 'crd/models.ts',
  hooks: 'machines/turn/pod-environment.ts',
  servers: 'wrapper/boot/mcp-config.ts',
  alerting: 'orchestrator/resources/alerting.ts',
  spending: 'orchestrator/resources/spending.ts',
  resources: 'orchestrator/resources/resources.ts',
  people: 'orchestrator/resources/tasks-by-hand.ts',
  bundle: { reader: 'edges/agents/bundle/preface.ts', within: 'upgradePolicy' },
} as const satisfies Readonly<Record<string, FieldUse>>

const onOneMachine = (reason: string, unless: readonly unknown[] = []): FieldUse => ({
  refused: `cannot be obeyed on one machine: ${reason}`,
  unless,
})

export const refused = {
  image: onOneMachine(
    'a pod of one machine is a process of this installation: it runs no image and no other container',
  ),
  volumes: onOneMachine('a pod of one machine has a folder, which has no size and no class'),
  cache: onOneMachine('a pod of one machine has no build cache to switch off'),
  environment: onOneMachine('a pod of one machine gets the variables of docs/contract/wrapper.md and no others'),
  memory: onOneMachine('the memory stack of one machine is one process, which has no sizes'),
  profile: onOneMachine('its memory stack has neither Neo4j nor LightRAG', ['light']),
  boards: { refused: 'has no effect: this version writes to no board of a forge' },
  alerts: { refused: 'has no effect: no tool of this version queries the alerting system' },
} as const satisfies Readonly<Record<string, FieldUse>>

/** What a schema says of a field beside its shape; a server learns nothing of it. */
export interface Annotations {
  readonly use?: FieldUse
  /** A map whose names are no fields. */
  readonly whole?: boolean
}

interface Annotated extends Annotations {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Annotated>>
  readonly items?: Annotated
}

interface Field {
  /** Below the spec; `*` is any item of a list. */
  readonly path: string
  readonly use: FieldUse | undefined
  readonly fallback: unknown
}

export function fieldsOf({ properties = {}, use: ofBlock }: Annotated, path = ''): readonly Field[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const { items, whole = false, use = ofBlock, default: fallback } = field
    const block = { ...(items ?? field), ...(use === undefined ? {} : { use }) }
    const within = whole ? [] : fieldsOf(block, `${path}${name}/${items ? '*/' : ''}`)
    return within.length > 0 ? within : [{ path: `${path}${name}`, use, fallback }]
  })
}
