/** The mirror on a real API server: actors of the test, objects of a namespace of its own. */
import { expect, vi } from 'vitest'
import { newIssue } from '../../../machines/issue/context.ts'
import { newPod } from '../../../machines/pod/context.ts'
import { newProject } from '../../../machines/project/context.ts'
import { newQueue } from '../../../machines/queue/context.ts'
import { newTask, withChanges } from '../../../machines/task/context.ts'
import { newTurn } from '../../../machines/turn/context.ts'
import { kindNamed, kinds } from '../../../crd/kinds.ts'
import { issueResource } from '../../../crd/status/issue.ts'
import { mergeRequestResource } from '../../../crd/status/merge-request.ts'
import { projectStatus } from '../../../crd/status/project.ts'
import { queuedEventResources } from '../../../crd/status/queued-event.ts'
import { repositoryStatus } from '../../../crd/status/repository.ts'
import type { DerivedResource } from '../../../crd/status/shape.ts'
import { taskResource } from '../../../crd/status/task.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { applyPatch, mergePatch, pathOf, type KubeObject, type ObjectCache } from '../api/api.ts'
import { claimAnnotation } from '../api/marks.ts'
import { createMirror, type Mirror } from '../mirror/mirror.ts'
import { statusDifference, type Plain } from '../mirror/status-difference.ts'
import { FakeActors, store } from './mirroring.ts'
import { withRealServer, type RealServer } from './real-server.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const projectSpec = { scmSecretRef: 'scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } }

export interface World extends RealServer {
  readonly namespace: string
  readonly actors: FakeActors
  readonly caches: Readonly<Record<string, ObjectCache>>
  readonly mirror: Mirror
  find(kind: string, name: string): KubeObject | undefined
  /** As the server has it. */
  read(kind: string, name: string): Promise<KubeObject>
  edit(kind: string, name: string, body: object, subresource?: 'status'): Promise<KubeObject>
  mirrorFor(actors: FakeActors, caches?: Readonly<Record<string, ObjectCache>>): Mirror
}

export async function withMirror(use: (world: World) => Promise<void>, plane?: RealServer['plane']): Promise<void> {
  await withRealServer(
    async (server) => {
      const namespace = await server.plane.ownNamespace()
      const { client, log } = server
      const caches = Object.fromEntries(kinds.map((kind) => [kind.kind, server.cacheOf(kind, [namespace])]))
      await Promise.all(Object.values(caches).map((cache) => cache.start()))
      const mirrors: Mirror[] = []
      const mirrorFor: World['mirrorFor'] = (actors, own = caches) => {
        const made = createMirror({
          ...{ client, caches: own, clock: systemClock, random: Math.random, logger: log.logger, orchestrator: store },
          ...{ runtime: actors.runtime, derived: actors.derived, statusOf: actors.statusOf },
          lifeOf: async ({ namespace: within, name }) => `${within}/${name}`,
        })
        mirrors.push(made)
        return made
      }
      const where = (kind: string, name: string) => pathOf(kindNamed(kind)!, { namespace, name })
      const apply = (kind: string, name: string, spec: object, annotations: object = {}): Promise<KubeObject> =>
        client.ask('PATCH', where(kind, name), {
          query: { fieldManager: 'kubectl', force: true },
          body: { apiVersion: 'platform.dev/v1alpha1', kind, metadata: { name, annotations }, spec },
          type: applyPatch,
        })
      await apply('Project', 'demo', projectSpec, { [claimAnnotation]: store })
      await apply('Repository', 'lib', { projectRef: 'demo' })
      const actors = new FakeActors()
      const mirror = mirrorFor(actors)
      // Also before a test.
      await vi.waitFor(() => expect([...caches['Repository']!.list(), ...caches['Project']!.list()]).toHaveLength(2))
      try {
        await use({
          ...{ ...server, namespace, actors, caches, mirror, mirrorFor },
          find: (kind, name) => caches[kind]!.get(`${namespace}/${name}`),
          read: (kind, name) => client.ask('GET', where(kind, name)),
          edit: (kind, name, body, subresource) =>
            client.ask(
              'PATCH',
              pathOf(kindNamed(kind)!, { namespace, name, ...(subresource ? { subresource } : {}) }),
              {
                ...{ query: { fieldManager: 'kubectl-edit' }, body, type: mergePatch },
              },
            ),
        })
      } finally {
        await Promise.all(mirrors.map((one) => one.stop()))
      }
    },
    plane === undefined ? {} : { plane },
  )
}

/** Of each kind one with every field that a living actor fills. */
export function show(actors: FakeActors, namespace: string): readonly DerivedResource[] {
  const id = `${namespace}/implement-lib-1-x7k2p`
  const blank = newTask(id)
  const note = {
    id: 'n-1',
    agent: 'implement',
    pod: 1,
    at,
    kind: 'note',
    body: 'x',
    bodyHash: 'h',
    source: 'agent',
  } as const
  const context = withChanges(blank, {
    ...{ config: { ...blank.config, project: `${namespace}/demo` }, goal: 'Do it', repositories: ['lib'] },
    origin: { kind: 'webhook', ref: 'lib#1' },
    stage: { name: 'implementing', enteredAt: at, history: [{ stage: 'implementing', at, reason: null }] },
    pod: { ordinal: 2, alive: true, worked: true, startedAt: at, agentKind: 'implement' },
    journal: { notes: [note] },
    turn: {
      accountUsage: {
        fiveHour: { usedPercent: 40.5, resetsAt: at },
        weekly: { usedPercent: 10, resetsAt: at },
        reportedAt: at,
      },
      usage: { inputTokens: 10, costUsd: 0.123 },
    },
  })
  const turn = {
    id: `${id}/2/0`,
    path: 'open.running',
    seq: 2,
    context: { ...newTurn('t'), turnId: 'turn-7' },
    startedAt: at,
  }
  const pod = {
    id: `${id}/2`,
    path: 'alive.busy',
    seq: 4,
    context: { ...newPod('p'), name: 'implement-lib-1-x7k2p-2' },
  }
  const actor = { id, path: 'stage.live.active.implementing.fresh pod.live', seq: 7, context }
  const facts = {
    repository: 'lib',
    number: 1,
    state: 'open',
    title: 'Slugs',
    author: 'ann',
    url: 'http://f',
    selfProposed: false,
  }
  const grant = {
    commentId: 'c',
    author: 'm',
    quote: '/approve',
    bodyHash: 'b',
    planHash: 'p',
    at,
    self: false,
    task: id,
  }
  const issue = { ...newIssue(`${namespace}/lib-1`), facts, owner: id, grant }
  const merge = {
    facts: {
      ...{ repository: 'lib', number: 2, state: 'open', headBranch: 'platform/x', headSha: 'abc', baseBranch: 'main' },
      ...{ ci: 'success', mergeable: true, url: 'u' },
    },
    ...{ owner: id, verdict: { value: 'approve', sha: 'abc', at } },
  }
  const entry = {
    ...{ entry: `spawn/${id}/1`, sort: 'spawn', task: id, class: 'normal', priority: 100, kind: 'implement' },
    ...{ sequence: 1, enqueuedAt: at, admittedAt: null },
  } as const
  const queue = { ...newQueue(`${namespace}/demo`), maxConcurrentAgents: 2, capacity: 2, entries: [entry] }
  const views = [
    taskResource(actor, { pod, turn, issues: [] }),
    issueResource(
      { id: `${namespace}/lib-1`, path: 'known.approved', seq: 5, context: issue as never },
      { labels: ['a', 'b'], comments: 3, syncedAt: at },
    ),
    mergeRequestResource({ id: `${namespace}/lib-mr-2`, path: 'known.open', seq: 1, context: merge as never }),
    ...queuedEventResources({ id: `${namespace}/demo`, path: 'open', seq: 9, context: queue as never }),
  ].map((view) => view!)
  views.forEach((view) => actors.show(view))
  const project = {
    ...newProject(`${namespace}/demo`),
    reason: '',
    resyncedAt: at,
    observed: { 'Project/demo': 1, 'Repository/lib': 1 },
  }
  const applied = { name: 'demo', createdAt: at }
  actors.stored.set(`Project/${namespace}/demo`, {
    ...projectStatus({ context: project }, applied),
    webhookURL: 'http://w',
  })
  actors.stored.set(
    `Repository/${namespace}/lib`,
    repositoryStatus({
      ...{ ...applied, name: 'lib', projectRef: 'demo', hasProject: true, project: { context: project } },
      ...{ defaultBranch: 'main', forgeId: '7' },
    }),
  )
  return views
}

const stored = [['Project', 'demo'] as const, ['Repository', 'lib'] as const]

/** What an object should have and has not; undefined: nothing. */
function missing(world: World, kind: string, name: string): Plain | undefined {
  const { namespace, actors, find } = world
  const object = find(kind, name)
  const key = `${kind}/${namespace}/${name}`
  const wanted = actors.views.get(key)?.status ?? actors.stored.get(key)
  if (object?.status === undefined || wanted === undefined) return { none: true }
  const plain = JSON.parse(JSON.stringify(wanted)) as Plain
  const conditions = (plain['conditions'] ?? []) as readonly object[]
  const generation = { observedGeneration: object.metadata.generation }
  const own = kind === 'Task' ? conditions.map((one) => ({ ...one, ...generation })) : conditions
  return statusDifference(object, conditions.length > 0 ? { ...plain, conditions: own } : plain)
}

export async function allThere(world: World, names: readonly (readonly [string, string])[]): Promise<void> {
  await expect
    .poll(() => names.map(([kind, name]) => missing(world, kind, name)), { timeout: 30_000, interval: 50 })
    .toEqual(names.map(() => undefined))
}

export const namesOf = (views: readonly DerivedResource[]) =>
  [...stored, ...views.map(({ kind, metadata }) => [kind, metadata.name] as const)] as const

export const versionsOf = ({ find }: World, names: readonly (readonly [string, string])[]) =>
  names.map(([kind, name]) => find(kind, name)?.metadata.resourceVersion)
