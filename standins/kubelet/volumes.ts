/** Makes the volumes of a pod: folders of this machine, and the files in them that come from the API server. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { answered } from '../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api/api.ts'
import { ConfigError, fieldOf, type Addresses } from './environment.ts'
import type { MadeVolume } from './mounts.ts'
import type { KeyToPath, Pod, Projection, Volume } from './pod.ts'

export interface VolumeFolders {
  /** Of one pod. */
  readonly disk: string
  /** Of one pod, below a tmpfs of the machine. */
  readonly memory: string
  /** Of all claims, by uid: they outlive pods. */
  readonly claims: string
}

/** It is not there yet: the kubelet waits, and the pod stays in ContainerCreating. */
export class NotThereYet extends Error {
  override readonly name = 'NotThereYet'
}

interface File {
  readonly path: string
  readonly content: Buffer
  readonly mode: number
}

interface Making {
  readonly client: KubeClient
  readonly pod: Pod
  readonly addresses: Addresses
  readonly folders: VolumeFolders
}

/** Repeatable. @throws NotThereYet, ConfigError, KubeError */
export async function makeVolumes(making: Making): Promise<Readonly<Record<string, MadeVolume>>> {
  const made: Record<string, MadeVolume> = {}
  for (const volume of making.pod.spec.volumes ?? []) made[volume.name] = await makeVolume(volume, making)
  return made
}

async function makeVolume(volume: Volume, making: Making): Promise<MadeVolume> {
  const { folders } = making
  const { name, emptyDir, persistentVolumeClaim: claim } = volume
  if (claim !== undefined) {
    const uid = await boundClaim(claim.claimName, making)
    return { folder: made(join(folders.claims, uid), 0o777), readOnly: claim.readOnly ?? false }
  }
  if (emptyDir !== undefined) {
    const parent = emptyDir.medium === 'Memory' ? folders.memory : folders.disk
    return { folder: made(join(parent, name), 0o777), readOnly: false }
  }
  const files = await filesOf(volume, making)
  // A real kubelet keeps all but ConfigMaps in memory.
  const folder = made(join(volume.configMap === undefined ? folders.memory : folders.disk, name), 0o755)
  if (!existsSync(join(folder, '..data'))) writeAtomically(folder, files)
  return { folder, readOnly: true }
}

function made(folder: string, mode: number): string {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, mode)
  return folder
}

async function boundClaim(name: string, making: Making): Promise<string> {
  const claim = await read('persistentvolumeclaims', name, making)
  if (claim === undefined) throw new NotThereYet(`persistentvolumeclaim "${name}" not found`)
  if (claim.status?.['phase'] !== 'Bound' || claim.metadata.deletionTimestamp !== undefined)
    throw new NotThereYet(`persistentvolumeclaim "${name}" is not bound`)
  return claim.metadata.uid
}

async function filesOf(volume: Volume, making: Making): Promise<readonly File[]> {
  const { secret, configMap, downwardAPI, projected } = volume
  if (secret !== undefined)
    return projectionFiles({ secret: { ...secret, name: secret.secretName } }, secret.defaultMode, making)
  if (configMap !== undefined) return projectionFiles({ configMap }, configMap.defaultMode, making)
  if (downwardAPI !== undefined) return projectionFiles({ downwardAPI }, downwardAPI.defaultMode, making)
  const parts: (readonly File[])[] = []
  for (const source of projected?.sources ?? [])
    parts.push(await projectionFiles(source, projected?.defaultMode, making))
  return parts.flat()
}

const usualMode = 0o644

async function projectionFiles(
  { secret, configMap, downwardAPI, serviceAccountToken }: Projection,
  defaultMode = usualMode,
  making: Making,
): Promise<readonly File[]> {
  if (secret !== undefined) {
    const found = await read('secrets', secret.name, making)
    if (found === undefined && secret.optional !== true) throw new NotThereYet(`secret "${secret.name}" not found`)
    return keyFiles(decoded(found?.data, 'base64'), secret.items, defaultMode, secret.name)
  }
  if (configMap !== undefined) {
    const found = await read('configmaps', configMap.name, making)
    if (found === undefined && configMap.optional !== true)
      throw new NotThereYet(`configmap "${configMap.name}" not found`)
    return keyFiles(decoded(found?.data, 'utf8'), configMap.items, defaultMode, configMap.name)
  }
  if (downwardAPI !== undefined)
    return (downwardAPI.items ?? []).map(({ path, mode = defaultMode, fieldRef }) => {
      if (fieldRef === undefined) throw new ConfigError(`resourceFieldRef of ${path} is not supported here`)
      return { path, mode, content: Buffer.from(fieldOf(fieldRef.fieldPath, making.pod, making.addresses)) }
    })
  if (serviceAccountToken === undefined) throw new ConfigError('a source of a projected volume is not supported here')
  const { path, audience, expirationSeconds = 3_600 } = serviceAccountToken
  return [{ path, mode: 0o600, content: Buffer.from(await tokenOf(making, audience, expirationSeconds)) }]
}

function decoded(data: KubeObject['data'] = {}, encoding: BufferEncoding): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, encoding)]))
}

function keyFiles(
  data: Readonly<Record<string, Buffer>>,
  items: readonly KeyToPath[] | undefined,
  defaultMode: number,
  name: string,
): readonly File[] {
  const wanted: readonly KeyToPath[] = items ?? Object.keys(data).map((key) => ({ key, path: key }))
  return wanted.map(({ key, path, mode = defaultMode }) => {
    const content = data[key]
    if (content === undefined) throw new NotThereYet(`references non-existent key ${key} of ${name}`)
    return { path, content, mode }
  })
}

async function tokenOf({ client, pod }: Making, audience: string | undefined, seconds: number): Promise<string> {
  const { namespace = '', name, uid } = pod.metadata
  const account = pathOf({ apiVersion: 'v1', plural: 'serviceaccounts' }, { namespace, name: accountOf(pod) })
  const answer = await client.ask<{ readonly status: { readonly token: string } }>('POST', `${account}/token`, {
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience === undefined ? [] : [audience],
        expirationSeconds: seconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    },
  })
  return answer.status.token
}

function accountOf({ spec }: Pod): string {
  return spec.serviceAccountName ?? 'default'
}

/** Undefined: not there. */
async function read(plural: string, name: string, { client, pod }: Making): Promise<KubeObject | undefined> {
  const path = pathOf({ apiVersion: 'v1', plural }, { namespace: pod.metadata.namespace ?? '', name })
  return client.ask('GET', path).catch((error: unknown) => {
    if (answered(error, 404)) return undefined
    throw error
  })
}

/** As kubelets lay it out (pkg/volume/util/atomic_writer.go): every name is a link, and one link is the version. */
function writeAtomically(folder: string, files: readonly File[]): void {
  const print = createHash('sha256').update(JSON.stringify(files.map(({ path, content }) => [path, content])))
  const version = `..${print.digest('hex').slice(0, 12)}`
  rmSync(join(folder, version), { recursive: true, force: true })
  mkdirSync(join(folder, version), { mode: 0o755 })
  for (const { path, content, mode } of files) {
    const file = join(folder, version, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, content)
    chmodSync(file, mode)
  }
  for (const name of new Set(files.map(({ path }) => path.split('/')[0] ?? path))) {
    rmSync(join(folder, name), { force: true })
    symlinkSync(join('..data', name), join(folder, name))
  }
  symlinkSync(version, join(folder, '..data.new'))
  renameSync(join(folder, '..data.new'), join(folder, '..data'))
}
