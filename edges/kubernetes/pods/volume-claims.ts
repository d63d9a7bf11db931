/** The claims of a Task and of its Project, and the pod that makes a class of storage bind them, as data. */
import type { ProjectSpec } from '../../../crd/project.ts'
import type { OwnerReference } from '../api/api.ts'
import { taskOwner } from './pod-manifest.ts'
import type { PodClaims } from './pod-mounts.ts'
import { binderLabel, boundedName, claimLabels, objectNameOf, type ObjectName } from './pod-names.ts'
import type { Owner, ProjectOwner } from './pod-owners.ts'
import { podSecurityContext, type PodSecurity } from './pod-security.ts'

export interface VolumeSettings {
  /** Whether Tasks and Projects have volumes that outlive a pod, where their Project does not opt out (PROJECT-WORKSPACE-2). */
  readonly workspaces: boolean
}

/** Ids of a Task and its Project. */
export interface VolumeUsers {
  readonly task: string
  readonly project: string
}

export interface WantedClaim extends ObjectName {
  readonly owner: OwnerReference
  readonly body: object
}

/** The schema's, for an object that was written before it had them (PROJECT-WORKSPACE-4, PROJECT-WORKSPACE-6). */
const [workspaceSize, cacheSize] = ['10Gi', '20Gi']

export function claimsOf(
  { workspaces }: VolumeSettings,
  { task, project }: VolumeUsers,
  { workspace: { enabled = true, cacheEnabled = true } = {} }: Pick<ProjectSpec, 'workspace'>,
): PodClaims {
  if (!workspaces || !enabled) return {}
  const workspace = workspaceClaim(task).name
  return { workspace, ...(cacheEnabled ? { cache: cacheClaim(project).name } : {}) }
}

export function workspaceClaim(task: string): ObjectName {
  const { namespace, name } = objectNameOf(task)
  return { namespace, name: boundedName(`ws-${name}`) }
}

function cacheClaim(project: string): ObjectName {
  const { namespace, name } = objectNameOf(project)
  return { namespace, name: boundedName(`cache-${name}`) }
}

export function wantedClaims(users: VolumeUsers, task: Owner, project: ProjectOwner, claims: PodClaims): WantedClaim[] {
  const { workspace = {} } = project.spec
  const { storageClass = '' } = workspace
  const ofTask = {
    ...workspaceClaim(users.task),
    owner: taskOwner(task),
    labels: claimLabels(objectNameOf(users.task), 'Task'),
    size: workspace.size ?? workspaceSize!,
  }
  const ofProject = {
    ...cacheClaim(users.project),
    owner: projectOwner(project),
    labels: claimLabels(objectNameOf(users.project), 'Project'),
    size: workspace.cacheSize ?? cacheSize!,
  }
  const wanted = [
    ...(claims.workspace === undefined ? [] : [ofTask]),
    ...(claims.cache === undefined ? [] : [ofProject]),
  ]
  return wanted.map(({ namespace, name, owner, labels, size }) => ({
    namespace,
    name,
    owner,
    body: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name, labels, ownerReferences: [owner] },
      spec: {
        // Pods of a Task follow one another on any node (PROJECT-WORKSPACE-3).
        accessModes: ['ReadWriteMany'],
        ...(storageClass === '' ? {} : { storageClassName: storageClass }),
        resources: { requests: { storage: size } },
      },
    },
  }))
}

/** No other object of the Project waits for it, as its Tasks do. */
function projectOwner({ name, uid }: Owner): OwnerReference {
  return { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', name, uid }
}

export function binderName(task: string): ObjectName {
  const { namespace, name } = objectNameOf(task)
  return { namespace, name: boundedName(`ws-${name}-bind`) }
}

interface Binder {
  readonly task: string
  readonly owner: Owner
  /** Names of claims. */
  readonly claims: readonly string[]
  readonly image: string
  readonly security: PodSecurity
}

/** The scheduler alone makes the volume plugin bind the claims: no container has to run. */
export function binderPod({ task, owner, claims, image, security }: Binder): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...binderName(task),
      labels: { ...claimLabels(objectNameOf(task), 'Task'), [binderLabel]: 'true' },
      ownerReferences: [taskOwner(owner)],
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: podSecurityContext(security),
      containers: [{ name: 'bind', image, command: ['true'] }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  }
}
