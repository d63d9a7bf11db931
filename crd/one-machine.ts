/** What one machine cannot obey: `apply` refuses it with the reason, since nothing else would say that it has no effect. */
import { kinds } from './kinds.ts'
import type { ManifestFault } from './validate.ts'

type Document = Record<string, unknown>

const ofImage = 'a pod of one machine is a process of this installation: it runs no image and no other container'
const ofVolumes = 'a pod of one machine has a folder, which has no size and no class'
const ofEnvironment = 'a pod of one machine gets the variables of docs/contract/wrapper.md and no others'
const ofMemory = 'one machine makes no memory stack of its own'

/** Fields of a Project below `spec`. */
const beyond: Readonly<Record<string, string>> = {
  'agent/image': ofImage,
  'agent/extraSidecarContainers': ofImage,
  'agent/extraInitContainers': ofImage,
  'agent/extraVolumeMounts': ofVolumes,
  'agent/extraVolumes': ofVolumes,
  'agent/extraEnvs': ofEnvironment,
  'agent/extraEnvsFrom': ofEnvironment,
  'workspace/enabled': ofVolumes,
  'workspace/storageClass': ofVolumes,
  'workspace/size': ofVolumes,
  'workspace/cacheSize': ofVolumes,
  'memory/pgInstances': ofMemory,
  'memory/pgStorage': ofMemory,
  'memory/pgWalStorage': ofMemory,
  'memory/neo4jStorage': ofMemory,
}

/** The faults of a document on one machine. A value that asks for nothing, or for the default, is none. */
export function beyondOneMachine(document: unknown): readonly ManifestFault[] {
  const { kind, spec } = (document ?? {}) as { readonly kind?: unknown; readonly spec?: unknown }
  if (kind !== 'Project') return []
  return Object.entries(beyond).flatMap(([path, reason]) => {
    const value = at(spec, path)
    return asksNothing(value) || value === defaultOf(path)
      ? []
      : [{ path: `/spec/${path}`, message: `cannot be obeyed on one machine: ${reason}` }]
  })
}

function asksNothing(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function at(value: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((inner, name) => (inner as Document | null | undefined)?.[name], value)
}

function defaultOf(path: string): unknown {
  const schema = kinds.find(({ kind }) => kind === 'Project')?.spec
  return at(schema, `properties/${path.replaceAll('/', '/properties/')}/default`)
}
