/** What the objects of a stack are called, and by which marks they are found again. */
import { boundedName, objectNameOf } from '../pods/pod-names.ts'

export interface StackNames {
  readonly namespace: string
  /** The Project’s, as a label has it. */
  readonly project: string
  /** Of CloudNativePG: `<cluster>-rw`, `<cluster>-app` and more are named after it. */
  readonly cluster: string
  /** Without CloudNativePG. */
  readonly postgres: string
  readonly neo4j: string
  readonly lightrag: string
  readonly service: string
  /** Of each object. An object of one of these names without them is somebody else’s. */
  readonly labels: Readonly<Record<string, string>>
}

/** CloudNativePG takes names of 50 characters; the longest prefix is `memneo4j-`. */
const longestProject = 41

const managedByLabel = 'app.kubernetes.io/managed-by'
const stackLabel = 'statewright.dev/memory-stack'
export const partLabel = 'statewright.dev/memory-part'
/** Agents’ pods have it too; with them it is `platform.dev/managed-by` that counts. */
const projectLabel = 'platform.dev/project'

/**
 * `project`: `<namespace>/<name>`. A part has a prefix of its own, since CloudNativePG adds endings: no name of one Project’s
 * stack is a name of another’s. None begins with `neo4j`: Neo4j takes the variables of such a Service for settings.
 */
export function stackNames(project: string): StackNames {
  const { namespace, name } = objectNameOf(project)
  const short = boundedName(name, longestProject)
  return {
    namespace,
    project: boundedName(name),
    cluster: `mem-${short}`,
    postgres: `mempg-${short}`,
    neo4j: `memneo4j-${short}`,
    lightrag: `memrag-${short}`,
    service: `memory-${short}`,
    labels: { [managedByLabel]: 'statewright', [stackLabel]: short, [projectLabel]: boundedName(name) },
  }
}

export function isOfStack({ labels }: StackNames, given: Readonly<Record<string, string>> = {}): boolean {
  return [managedByLabel, stackLabel].every((label) => given[label] === labels[label])
}

/** Of whatever Project. */
export function isOfAnyStack({ labels = {} }: { readonly labels?: Readonly<Record<string, string>> }): boolean {
  return labels[managedByLabel] === 'statewright' && labels[stackLabel] !== undefined
}

/** For the server. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
}
