/** Where resources live: the embedded database here, the Kubernetes API in production. Final in shape for both. */
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

export interface ResourcePort {
  get(kind: string, namespace: string, name: string): Promise<Resource | undefined>
  list(kind: string, namespace?: string): Promise<readonly Resource[]>
  apply(wanted: Pick<Resource, 'kind' | 'namespace' | 'name' | 'spec'>): Promise<AppliedResource>
  remove(kind: string, namespace: string, name: string): Promise<boolean>
}

/** Secrets are read at the moment of use, never cached (WEBHOOKS-8, ALERTS-3). */
export interface SecretPort {
  read(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>
  write(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>
}
