/** Where resources live: the embedded database of one machine, or a Kubernetes API server. Final in shape for both. */
export interface Resource {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Grows by one with every change of spec. */
  readonly generation: number
  readonly spec: Readonly<Record<string, unknown>>
  readonly createdAt: number
  readonly updatedAt: number
}

export interface AppliedResource {
  readonly resource: Resource
  readonly change: 'created' | 'configured' | 'unchanged'
}

export type Wanted = Pick<Resource, 'kind' | 'namespace' | 'name' | 'spec'>

export interface ResourceReader {
  get(kind: string, namespace: string, name: string): Promise<Resource | undefined>
  /** Of a namespace, or of all. */
  list(kind: string, namespace?: string): Promise<readonly Resource[]>
}

/** Of one machine: in a cluster people write at its own API server. */
export interface ResourceStore extends ResourceReader {
  apply(wanted: Wanted): Promise<AppliedResource>
  /** False: there was none. */
  remove(kind: string, namespace: string, name: string): Promise<boolean>
}

export interface TaskDeletion {
  readonly namespace: string
  readonly name: string
  readonly by: string
  /** Names the request: a repeat of it changes nothing. */
  readonly request: string
}

/**
 * `closing`: its Task lived and was told to end; `closed`: nothing of it lives. `made`: the resource that a person made it by,
 * whichever of its names the deletion said; it is the caller's to remove.
 */
export type TaskEnd =
  | { readonly state: 'closed' | 'closing'; readonly made: Resource | undefined }
  | { readonly state: 'unknown'; readonly made?: undefined }

/** What a change of a resource sets in motion. Each may be repeated: an earlier one may have ended on its way. */
export interface ResourceHooks {
  /** A Project or one of its Repositories is another than before; `name`: of the Project. */
  projectChanged(namespace: string, name: string): Promise<void>
  projectDeleted(resource: Resource): Promise<void>
  /** A Task that a person made. Answers its name, for a second life has one of its own; refuses by a Problem. */
  taskApplied(resource: Resource): Promise<string>
  taskDeleted(deletion: TaskDeletion): Promise<TaskEnd>
}

/** Read at the moment of use, never cached (WEBHOOKS-8, ALERTS-3). */
export interface SecretReader {
  read(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>
}

/** Of one machine. */
export interface SecretStore extends SecretReader {
  write(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>
}
