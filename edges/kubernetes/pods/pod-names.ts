/** What a pod of ours is called, and by which marks it is found again. */
import { createHash } from 'node:crypto'
import type { KubeObject } from '../api/api.ts'

/** The longest label of a DNS name, and so the longest hostname of a pod (RFC 1123). */
const longestName = 63
const dnsLabel = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

export const managedByLabel = 'platform.dev/managed-by'
export const managedBy = 'platform-operator'
const taskLabel = 'platform.dev/task'
const ordinalLabel = 'platform.dev/ordinal'
const projectLabel = 'platform.dev/project'
/** The pod's whole id: labels have bare names. */
export const podAnnotation = 'platform.dev/pod'
/** Of a pod that only makes a class of storage bind claims: it has no ordinal. */
export const binderLabel = 'platform.dev/binder'

/** All pods of ours, binders too. */
export const podSelector = `${managedByLabel}=${managedBy}`

/** `<namespace>/<name>` of a Task or a Project. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** @throws for an id without a namespace. */
export function objectNameOf(id: string): ObjectName {
  const at = id.indexOf('/')
  if (at < 1) throw new Error(`${id} has no namespace`)
  return { namespace: id.slice(0, at), name: id.slice(at + 1) }
}

/** `pod` is `<namespace>/<task>/<ordinal>`: no two have the same name, and a repeat has the name of the first. */
export function podName(pod: string): ObjectName {
  const { namespace, name: rest } = objectNameOf(pod)
  const at = rest.lastIndexOf('/')
  return { namespace, name: boundedName(`${rest.slice(0, at)}-${rest.slice(at + 1)}`) }
}

/** The text itself where it is a name, else what of it is one with a part of its hash. */
export function boundedName(text: string, longest = longestName): string {
  if (text.length <= longest && dnsLabel.test(text)) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest - hash.length - 1)
    .replace(/^-+/, '')
  return plain === '' ? `x${hash}` : `${plain}-${hash}`.replaceAll(/-+/g, '-')
}

/** Values are bare names: a slash in a label is refused. */
export function podLabels(task: ObjectName, ordinal: number, project: ObjectName): Readonly<Record<string, string>> {
  return {
    [managedByLabel]: managedBy,
    [taskLabel]: boundedName(task.name),
    [ordinalLabel]: String(ordinal),
    [projectLabel]: boundedName(project.name),
  }
}

export function claimLabels(owner: ObjectName, kind: 'Task' | 'Project'): Readonly<Record<string, string>> {
  return { [managedByLabel]: managedBy, [kind === 'Task' ? taskLabel : projectLabel]: boundedName(owner.name) }
}

/** The id of the pod that an object is; undefined for one that is none, a binder or a stranger's among them. */
export function podIdOf({
  metadata: { namespace, name, labels = {}, annotations = {} },
}: KubeObject): string | undefined {
  const id = annotations[podAnnotation] ?? ''
  if (labels[managedByLabel] !== managedBy || !/^[^/]+\/[^/]+\/\d+$/.test(id)) return undefined
  const own = podName(id)
  return own.namespace === namespace && own.name === name ? id : undefined
}
