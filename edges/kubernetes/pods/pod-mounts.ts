/** Volumes of a pod and where its containers see them. Names begin with `platform-`, so that a Project's own seldom meet them. */
import { posix } from 'node:path'
import { secretFileName } from '../../../machines/turn/pod-environment.ts'
import type { PodInputs } from '../../ports/pods.ts'

export const podFolders = {
  home: '/platform/home',
  state: '/platform/state',
  /** In memory: the wrapper reads each secret once, and removes it. */
  run: '/platform/run',
  /** Only the init container sees it. */
  secret: '/platform/secret',
  workspace: '/workspace',
  config: '/etc/wrapper',
} as const

/** Where the init container sees a whole volume whose folders the wrapper sees apart. */
const wholeVolumes = '/platform/volumes'

interface Folder {
  readonly path: string
  /** Below the volume. */
  readonly subPath: string
}

/** Of the Task's volume (PROJECT-WORKSPACE-4). */
const workspaceFolders: readonly Folder[] = [
  { path: podFolders.workspace, subPath: 'workspace' },
  { path: `${podFolders.home}/.cache/pre-commit`, subPath: 'pre-commit' },
]

/** Of the Project's volume; HOME is a volume of the pod, so none covers a toolchain of the image (PROJECT-WORKSPACE-7, PROJECT-WORKSPACE-8). */
const cacheFolders: readonly Folder[] = [
  { path: `${podFolders.home}/.cache/go-build`, subPath: 'go-build' },
  { path: `${podFolders.home}/go/pkg/mod`, subPath: 'go-mod' },
  { path: `${podFolders.home}/.cache/pip`, subPath: 'pip' },
  { path: `${podFolders.home}/.npm`, subPath: 'npm' },
  { path: `${podFolders.home}/.local/share/mise/downloads`, subPath: 'mise-downloads' },
]

/** Names of the claims that a pod mounts; without one the folder is the pod's own. */
export interface PodClaims {
  readonly workspace?: string
  readonly cache?: string
}

interface Mount {
  readonly name: string
  readonly mountPath: string
  readonly subPath?: string
  readonly readOnly?: boolean
}

export interface PodMounts {
  readonly volumes: readonly object[]
  readonly wrapper: readonly Mount[]
  readonly init: readonly Mount[]
  /** What the init container runs. */
  readonly script: string
}

const [secretVolume, configVolume, runVolume] = ['platform-secret', 'platform-config', 'platform-run']
const [stateVolume, homeVolume] = ['platform-state', 'platform-home']

/**
 * The init container moves the secrets into memory. It makes the folders that others are mounted below, because a runtime
 * would make them as root, and the wrapper could write nothing beside them.
 */
export function podMounts(secretName: string, inputs: PodInputs, claims: PodClaims): PodMounts {
  const shared = [
    { name: 'platform-workspace', claim: claims.workspace, folders: workspaceFolders },
    ...(claims.cache === undefined ? [] : [{ name: 'platform-cache', claim: claims.cache, folders: cacheFolders }]),
  ]
  const hasFiles = Object.keys(inputs.files).length > 0
  const folders = shared.flatMap(({ name, folders: each }) => each.map((folder) => ({ name, ...folder })))
  const made = folders.flatMap(({ name, path, subPath }) => [
    ...(path.startsWith(podFolders.home) ? [path] : []),
    posix.join(wholeVolumes, name, subPath),
  ])
  return {
    volumes: [
      { name: secretVolume, secret: { secretName, items: secretItems(inputs) } },
      ...(hasFiles ? [{ name: configVolume, secret: { secretName, items: fileItems(inputs) } }] : []),
      { name: runVolume, emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } },
      ...[stateVolume, homeVolume].map((name) => ({ name, emptyDir: {} })),
      ...shared.map(({ name, claim }) =>
        claim === undefined ? { name, emptyDir: {} } : { name, persistentVolumeClaim: { claimName: claim } },
      ),
    ],
    wrapper: [
      { name: runVolume, mountPath: podFolders.run },
      { name: stateVolume, mountPath: podFolders.state },
      { name: homeVolume, mountPath: podFolders.home },
      ...folders.map(({ name, path, subPath }) => ({ name, mountPath: path, subPath })),
      ...(hasFiles ? [{ name: configVolume, mountPath: podFolders.config, readOnly: true }] : []),
    ],
    init: [
      { name: secretVolume, mountPath: podFolders.secret, readOnly: true },
      { name: runVolume, mountPath: podFolders.run },
      { name: homeVolume, mountPath: podFolders.home },
      ...shared.map(({ name }) => ({ name, mountPath: posix.join(wholeVolumes, name) })),
    ],
    script: [
      'set -e',
      `mkdir -p ${made.join(' ')}`,
      `cd ${podFolders.secret}`,
      `install -m 0600 -t ${podFolders.run} -- *`,
    ].join('\n'),
  }
}

/** Where the wrapper finds each secret, by the variable that names the file. */
export function secretPaths({ secrets }: PodInputs): Readonly<Record<string, string>> {
  const named = Object.keys(secrets).map((variable) => [variable, posix.join(podFolders.run, secretFileName(variable))])
  return Object.fromEntries(named) as Record<string, string>
}

/** Keys of a Secret have no slash, so the files are numbered in it. */
const fileKey = (index: number): string => `file-${index}`

/** Contents by key, base64. */
export function secretData({ secrets, files }: PodInputs): Readonly<Record<string, string>> {
  const contents = [
    ...Object.entries(secrets).map(([variable, content]) => [secretFileName(variable), content] as const),
    ...Object.values(files).map((content, index) => [fileKey(index), content] as const),
  ]
  return Object.fromEntries(contents.map(([key, content]) => [key, Buffer.from(content).toString('base64')]))
}

function secretItems({ secrets }: PodInputs): readonly object[] {
  return Object.keys(secrets).map((variable) => ({ key: secretFileName(variable), path: secretFileName(variable) }))
}

function fileItems({ files }: PodInputs): readonly object[] {
  return Object.keys(files).map((path, index) => ({ key: fileKey(index), path }))
}
