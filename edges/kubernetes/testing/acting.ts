/** One action through our own code for each right of an orchestrator, and who acts: a ServiceAccount whose refusals are kept. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { randomInt, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { kindNamed, kinds } from '../../../crd/kinds.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import type { ControlPlane } from '../../../testing/control-plane.ts'
import { accountKubeconfig, accountToken } from '../api/account.ts'
import { answered, errorOf, KubeError } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject, type KubeResource } from '../api/api.ts'
import { createObjectCache } from '../api/cache.ts'
import { createKubeClient } from '../api/client.ts'
import { createDerivedObjects, type DerivedObjects } from '../mirror/derived-objects.ts'
import { createEventRecorder } from '../api/events.ts'
import { putFinalizer } from '../reconcile/finalizers.ts'
import { createElection, leaseName } from '../api/lease.ts'
import { claimsResource, podsResource } from '../pods/pod-requests.ts'
import { KubernetesPods } from '../pods/pods.ts'
import { kubeSecrets } from '../reconcile/secrets.ts'
import { createStatusPatches } from '../mirror/status-patches.ts'
import { workspaceClaim } from '../pods/volume-claims.ts'
import type { PodPort, PodSpec } from '../../ports/pods.ts'
import { store } from './mirroring.ts'
import { aPodSpec, podInputs } from './pod-fixture.ts'
import type { World } from './real-mirror.ts'

/** The client of a ServiceAccount, whose token is good for ten minutes. */
export async function withAccount(
  plane: ControlPlane,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  use: (client: KubeClient) => Promise<void>,
): Promise<void> {
  const post = async (path: string, body: object): Promise<object> => (await plane.ask('POST', path, body)).body
  const token = await accountToken(post, { namespace, name }, 600)
  const folder = await mkdtemp(join(tmpdir(), 'kube-account-'))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, accountKubeconfig(plane.kubeconfig, { namespace, name }, { token }))
  const client = createKubeClient({ kubeconfig })
  try {
    await use(client)
  } finally {
    await client.close()
    await rm(folder, { recursive: true })
  }
}

export interface Acting {
  readonly client: KubeClient
  /** Each 403. */
  readonly refusals: readonly KubeError[]
  /** Resolves with the first. */
  readonly refused: Promise<unknown>
}

export function acting(client: KubeClient): Acting {
  const refusals: KubeError[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const note = (error: unknown): unknown => {
    if (error instanceof KubeError && error.code === 403) {
      refusals.push(error)
      resolve()
    }
    return error
  }
  return {
    refusals,
    refused: promise,
    client: {
      async ask<Answer>(...question: Parameters<KubeClient['ask']>): Promise<Answer> {
        try {
          return await client.ask<Answer>(...question)
        } catch (error) {
          throw note(error)
        }
      },
      async *watch(path, question) {
        try {
          yield* client.watch(path, question)
        } catch (error) {
          throw note(error)
        }
      },
      close: () => client.close(),
    },
  }
}

export interface Stage extends World {
  /** Of each derived kind one, whose object is there; statuses of all kinds. */
  readonly views: Readonly<Record<string, DerivedResource>>
  statusOf(kind: string): object
}

/** Rejects where the server did not do it, and does not answer a refusal. */
type Action = (stage: Stage, self: Acting) => Promise<void>

const nameOfKind: Readonly<Record<string, string>> = { Project: 'demo', Repository: 'lib' }

async function objectOf({ read, views }: Stage, kind: string): Promise<KubeObject> {
  return read(kind, nameOfKind[kind] ?? views[kind]!.metadata.name)
}

function must<Answer>(answer: Answer, wanted: Answer): void {
  if (answer !== wanted) throw new Error(`${String(wanted)} was to come, and ${String(answer)} came`)
}

/** Without its status: a write of it has something to do each time. */
const writing =
  (kind: string, isOlder: boolean): Action =>
  async (stage, { client }) => {
    const { status: _, metadata, ...rest } = await objectOf(stage, kind)
    const known = { ...rest, metadata: isOlder ? { ...metadata, resourceVersion: '1' } : metadata }
    const patches = createStatusPatches({ client, caches: stage.caches, logger: stage.log.logger })
    must(await patches.write(known, stage.statusOf(kind)), isOlder ? 'conflict' : 'written')
  }

/** What a server refuses is asked again after half a minute, and that is too long here. */
const hasty: Clock = { ...systemClock, setTimer: (delay, callback) => systemClock.setTimer(delay / 300, callback) }

const following =
  (resource: KubeResource, canStream: boolean): Action =>
  async ({ namespace, log }, { client, refused }) => {
    const streamless: KubeClient = {
      ...client,
      watch(path, question) {
        if (question.query?.['sendInitialEvents'] === true)
          throw errorOf(422, { message: 'sendInitialEvents is forbidden' })
        return client.watch(path, question)
      },
    }
    const cache = createObjectCache({
      ...{ client: canStream ? client : streamless, resource, namespaces: [namespace] },
      ...{ clock: hasty, random: Math.random, logger: log.logger },
    })
    await Promise.race([cache.start(), refused])
    const { length } = cache.list()
    await cache.stop()
    if (length === 0) throw new Error(`there are no ${resource.plural}`)
  }

function objectsOf({ caches, log }: Stage, client: KubeClient): DerivedObjects {
  return createDerivedObjects({ client, caches, logger: log.logger, orchestrator: store })
}

async function create(stage: Stage, client: KubeClient, kind: string): Promise<string> {
  const view = stage.views[kind]!
  const name = `made-${randomUUID().slice(0, 8)}`
  const made = { ...view, metadata: { ...view.metadata, name } }
  must(await objectsOf(stage, client).settle(kind, made, undefined), 'changed')
  return name
}

const creating =
  (kind: string): Action =>
  async (stage, { client }) =>
    void (await create(stage, client, kind))

const mending =
  (kind: string): Action =>
  async (stage, { client }) => {
    const known = await objectOf(stage, kind)
    const unmarked = { ...known, metadata: { ...known.metadata, labels: {} } }
    must(await objectsOf(stage, client).settle(kind, stage.views[kind], unmarked), 'changed')
  }

const deleting =
  (kind: string): Action =>
  async (stage, { client }) => {
    const known = await stage.read(kind, await create(stage, stage.client, kind))
    await objectsOf(stage, client).settle(kind, undefined, known)
  }

const holding =
  (kind: string): Action =>
  async (stage, { client }) => {
    const known = await objectOf(stage, kind)
    await putFinalizer(client, { ...known, metadata: { ...known.metadata, finalizers: [] } })
  }

async function leadOnce({ namespace, log }: Stage, { client, refused }: Acting): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const election = createElection({
    ...{ client, namespace, identity: 'pod-1', clock: systemClock, random: Math.random, logger: log.logger },
    onLeading: resolve,
    onLost: () => undefined,
  })
  election.start()
  await Promise.race([promise, refused])
  await election.stop()
}

const leading =
  (isThere: boolean): Action =>
  async (stage, self) => {
    const { client, namespace } = stage
    const path = pathOf({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }, { namespace, name: leaseName })
    if (isThere) await leadOnce(stage, acting(client))
    else
      await client.ask('DELETE', path).catch((error: unknown) => {
        if (!answered(error, 404)) throw error
      })
    await leadOnce(stage, self)
  }

/** Pods of the Task, each under an ordinal of its own. */
function podsBy({ caches, log, views, namespace }: Stage, client: KubeClient) {
  const pods = new KubernetesPods({
    ...{
      client,
      cache: caches['Task']!,
      tasks: caches['Task']!,
      image: 'wrapper',
      security: { runAsNonRoot: false },
      workspaces: true,
    },
    ...{ clock: systemClock, random: Math.random, logger: log.logger, inputs: async () => podInputs },
  })
  const task = `${namespace}/${views['Task']!.metadata.name}`
  const spec = aPodSpec({ task, ordinal: randomInt(1_000_000), project: `${namespace}/demo` })
  return { pods, spec }
}

type OfPods = (pods: PodPort, spec: PodSpec) => Promise<unknown>

const withPods =
  (act: OfPods, before: OfPods = async () => undefined): Action =>
  async (stage, { client }) => {
    const admin = podsBy(stage, stage.client)
    await before(admin.pods, admin.spec)
    const own = podsBy(stage, client)
    await act(own.pods, admin.spec)
    await admin.pods.deleteWorkspace(admin.spec.task)
    await goneClaim(stage.client, admin.spec.task)
    await Promise.all([admin.pods.stop(), own.pods.stop()])
  }

/** A claim that is still ending is not deleted once more. */
async function goneClaim(client: KubeClient, task: string): Promise<void> {
  const path = pathOf(claimsResource, workspaceClaim(task))
  for (let look = 0; look < mostLooks; look++) {
    const isGone = await client.ask('GET', path).then(
      () => false,
      (error: unknown) => answered(error, 404),
    )
    if (isGone) return
    await pause(betweenLooksMs)
  }
  throw new Error(`${path} is still there`)
}
const mostLooks = 600
const betweenLooksMs = 50

/** No class of this cluster binds: the call waits, and says why. */
async function bind(pods: PodPort, spec: PodSpec): Promise<void> {
  await pods.bindVolumes(spec).catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error
  })
}

const createPod: OfPods = (pods, spec) => pods.create(spec)

const podActions: Readonly<Record<string, Action>> = {
  'create pods ': withPods(createPod),
  'create secrets ': withPods(createPod),
  'get pods ': withPods((pods, spec) => pods.look(spec.pod), createPod),
  // It has no node: allowed, the server has nobody to ask.
  'get pods/log ': withPods((pods, spec) => pods.logOf(spec.pod, { lines: 1, bytes: 1_000 }), createPod),
  'list pods ': following(podsResource, false),
  'watch pods ': following(podsResource, true),
  'delete pods ': withPods((pods, spec) => pods.remove(spec.pod, { force: true }), createPod),
  'create persistentvolumeclaims ': withPods(bind),
  'get persistentvolumeclaims ': withPods(bind, bind),
  'delete persistentvolumeclaims ': withPods((pods, spec) => pods.deleteWorkspace(spec.task), bind),
  'list events ': withPods(bind, bind),
}

const group = 'platform.dev'
const made = ['Task', 'QueuedEvent', 'Issue', 'MergeRequest']
const pluralOf = (kind: string): string => kindNamed(kind)!.plural

/** By `<verb> <resource> <group>`. */
export const actions: Readonly<Record<string, Action>> = {
  ...Object.fromEntries(
    kinds.flatMap(({ kind, plural, ...resource }): readonly [string, Action][] => [
      [`get ${plural} ${group}`, writing(kind, true)],
      [`list ${plural} ${group}`, following({ ...resource, plural }, false)],
      [`watch ${plural} ${group}`, following({ ...resource, plural }, true)],
      [`patch ${plural}/status ${group}`, writing(kind, false)],
    ]),
  ),
  ...Object.fromEntries(
    made.flatMap((kind): readonly [string, Action][] => [
      [`create ${pluralOf(kind)} ${group}`, creating(kind)],
      [`patch ${pluralOf(kind)} ${group}`, kind === 'Task' ? holding(kind) : mending(kind)],
      [`delete ${pluralOf(kind)} ${group}`, deleting(kind)],
    ]),
  ),
  [`patch projects ${group}`]: holding('Project'),
  'get secrets ': async ({ namespace }, { client }) =>
    must((await kubeSecrets(client).read(namespace, 'scm'))?.['token'], 'a-token'),
  ...podActions,
  'create events ': async (stage, { client }) => {
    const recorder = createEventRecorder({ client, clock: systemClock, logger: stage.log.logger, instance: 'pod-1' })
    const happening = { type: 'Normal', reason: 'Tried', message: 'x', occurrence: randomUUID() } as const
    await recorder.record(await objectOf(stage, 'Task'), happening)
  },
  'create leases coordination.k8s.io': leading(false),
  'get leases coordination.k8s.io': leading(true),
  'update leases coordination.k8s.io': leading(true),
}
