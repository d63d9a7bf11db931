/** Where the volumes of a pod lie in a container. */
import { join } from 'node:path'
import { ConfigError, expand, type Data } from './environment.ts'
import type { Container } from './pod.ts'

/** A volume on this machine. */
export interface MadeVolume {
  readonly folder: string
  /** Those whose files the kubelet writes are. */
  readonly readOnly: boolean
}

export interface Mount {
  /** A folder or a file of this machine. */
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/** Outer mounts come first, so that none covers another. @throws ConfigError */
export function mountsOf(
  { volumeMounts = [] }: Pick<Container, 'volumeMounts'>,
  volumes: Readonly<Record<string, MadeVolume>>,
  environment: Data,
): readonly Mount[] {
  return volumeMounts
    .map(({ name, mountPath, readOnly = false, subPath, subPathExpr }) => {
      const volume = volumes[name]
      if (volume === undefined) throw new ConfigError(`cannot find volume "${name}" to mount`)
      const within = subPath ?? (subPathExpr === undefined ? '' : expanded(subPathExpr, environment))
      if (within.startsWith('/') || within.split('/').includes('..'))
        throw new ConfigError(`subPath "${within}" must be a relative path without '..'`)
      return { source: join(volume.folder, within), target: mountPath, readOnly: readOnly || volume.readOnly }
    })
    .toSorted((a, b) => depthOf(a.target) - depthOf(b.target))
}

function expanded(text: string, environment: Data): string {
  const path = expand(text, environment)
  if (path.includes('$(')) throw new ConfigError(`missing value for variables of subPathExpr "${text}"`)
  return path
}

function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length
}
