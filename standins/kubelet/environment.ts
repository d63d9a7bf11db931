/** What a container finds in its environment, by the rules of pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables). */
import type { Container, EnvFrom, KeySelector, Pod } from './pod.ts'

export type Data = Readonly<Record<string, string>>

/** The Secrets and ConfigMaps that a container names, read before. Absent: not there. */
export interface EnvSources {
  readonly secrets: Readonly<Record<string, Data | undefined>>
  readonly configMaps: Readonly<Record<string, Data | undefined>>
  /** Of the API server's Service, in every container. */
  readonly services: Data
}

/** Addresses that a pod has before its status shows them. */
export interface Addresses {
  readonly podIP: string
  readonly hostIP: string
}

/** A container that cannot be made for what its Pod says: reason `CreateContainerConfigError`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Variables of `envFrom` come first, those of `env` over them, services where nothing has the name. `$(NAME)` names an earlier
 * variable, `$$` is a dollar, and a name that nothing has stays as it is written.
 * @throws ConfigError
 */
export function environmentOf(container: Container, pod: Pod, addresses: Addresses, sources: EnvSources): Data {
  const found: Record<string, string> = {}
  for (const from of container.envFrom ?? []) Object.assign(found, variablesOf(from, sources))
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom ?? {}
    if (fieldRef !== undefined) found[name] = fieldOf(fieldRef.fieldPath, pod, addresses)
    else if (secretKeyRef !== undefined) setKey(found, name, secretKeyRef, 'secret', sources.secrets, pod)
    else if (configMapKeyRef !== undefined) setKey(found, name, configMapKeyRef, 'configmap', sources.configMaps, pod)
    else found[name] = expand(value ?? '', { ...sources.services, ...found })
  }
  return { ...sources.services, ...found }
}

/** https://github.com/kubernetes/kubernetes/blob/v1.36.3/third_party/forked/golang/expansion/expand.go */
export function expand(text: string, variables: Data): string {
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (all, name?: string) =>
    name === undefined ? '$' : (variables[name] ?? all),
  )
}

function variablesOf({ prefix = '', secretRef, configMapRef }: EnvFrom, sources: EnvSources): Data {
  const [ref, kind, all] =
    secretRef !== undefined
      ? ([secretRef, 'secret', sources.secrets] as const)
      : ([configMapRef, 'configmap', sources.configMaps] as const)
  if (ref === undefined) return {}
  const data = all[ref.name]
  if (data === undefined && ref.optional !== true) throw new ConfigError(`${kind} "${ref.name}" not found`)
  return Object.fromEntries(Object.entries(data ?? {}).map(([name, value]) => [`${prefix}${name}`, value]))
}

function setKey(
  found: Record<string, string>,
  variable: string,
  { name, key, optional }: KeySelector,
  kind: 'secret' | 'configmap',
  all: EnvSources['secrets'],
  { metadata }: Pod,
): void {
  const data = all[name]
  const value = data?.[key]
  if (value !== undefined) found[variable] = value
  else if (optional === true) return
  else if (data === undefined) throw new ConfigError(`${kind} "${name}" not found`)
  else {
    const spelled = kind === 'secret' ? 'Secret' : 'ConfigMap'
    throw new ConfigError(`couldn't find key ${key} in ${spelled} ${metadata.namespace ?? ''}/${name}`)
  }
}

const subscript = /^metadata\.(labels|annotations)\['([^']*)'\]$/

/** Of `fieldRef`, for variables and downward files. @throws ConfigError */
export function fieldOf(path: string, { metadata, spec }: Pod, { podIP, hostIP }: Addresses): string {
  const key = subscript.exec(path)
  if (key !== null) return metadata[key[1] as 'labels' | 'annotations']?.[key[2] ?? ''] ?? ''
  const fields: Data = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace ?? '',
    'metadata.uid': metadata.uid,
    'metadata.labels': listed(metadata.labels),
    'metadata.annotations': listed(metadata.annotations),
    'spec.nodeName': spec.nodeName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? '',
    'status.podIP': podIP,
    'status.podIPs': podIP,
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
  }
  const value = fields[path]
  if (value === undefined) throw new ConfigError(`unsupported fieldPath: ${path}`)
  return value
}

function listed(pairs: Data = {}): string {
  return Object.entries(pairs)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n')
}
