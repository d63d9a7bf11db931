import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { refuseForeignProject, requireLivingPod, requirePod, requireReadable, requireTool, idIn } from './caller.ts'
import type { AgentApiDeps, ProjectLife } from './deps.ts'
import type { PodClaims } from './pod-tokens.ts'
import { mostSkewMs } from './find-tasks.ts'
import { aLife, aTask, aView, reading } from './testing/fixture.ts'

const claims: PodClaims = {
  project: 'default/demo',
  projectUid: 'uid-of-demo',
  task: 'default/mine',
  pod: 2,
  agentKind: 'implement',
}
const pod = aView({}, { kind: 'pod' })
const foreign = aTask({ config: { ...aTask().config, project: 'default/other' } })
const actors = {
  'pod:default/mine/1': aView({}, { kind: 'pod', status: 'done' }),
  'pod:default/mine/2': pod,
  'task:default/mine': aView(aTask()),
  'task:default/sibling': aView(aTask()),
  'task:default/foreign': aView(foreign),
}
const depsWith = (life: ProjectLife | undefined): AgentApiDeps =>
  ({ runtime: reading(actors), lifeOf: async () => life }) as unknown as AgentApiDeps
const deps = depsWith(aLife)

function by(change: Partial<PodClaims> = {}, route = 'POST /tasks/:task/notes'): FastifyRequest {
  const [method, url] = route.split(' ')
  const principal = { subject: 's', issuer: 'pod', claims: { ...claims, ...change } }
  return { principal, routeOptions: { method, url } } as unknown as FastifyRequest
}

function reader(): FastifyRequest {
  return by({}, 'GET /tasks/:task')
}

const forbidden = { code: 'forbidden', status: 403 }

it('a bare name is in the namespace of the pod that calls, and of others in default (NAME-1)', () => {
  const ofTeam = { task: 'team/mine' }
  expect([idIn('demo', undefined), idIn('demo', claims), idIn('demo', ofTeam)]).toEqual([
    'default/demo',
    'default/demo',
    'team/demo',
  ])
  expect([idIn('team/demo', undefined), idIn('default/demo', ofTeam)]).toEqual(['team/demo', 'default/demo'])
})

it('a pod of another namespace than default acts for its own Task by the bare name, and for no namesake', async () => {
  const own = { 'pod:team/mine/2': pod, 'task:team/mine': aView(aTask()), 'task:default/mine': aView(aTask()) }
  const there = { ...deps, runtime: reading(own) } as AgentApiDeps
  const caller = by({ task: 'team/mine', project: 'team/demo' })
  await expect(requirePod(caller, there, 'mine')).resolves.toMatchObject({ claims: { task: 'team/mine' } })
  await expect(requirePod(caller, there, 'default/mine')).rejects.toMatchObject(forbidden)
  expect(() => refuseForeignProject({ ...claims, task: 'team/mine', project: 'team/demo' }, 'demo')).not.toThrow()
})

it('the living pod of the Task acts, and one that has ended or was replaced does not (POD-TOKEN-3)', async () => {
  await expect(requirePod(by(), deps, 'mine')).resolves.toMatchObject({ claims })
  await expect(requirePod(by({ pod: 1 }), deps, 'mine')).rejects.toMatchObject(forbidden)
  await expect(requirePod(by({ pod: 3 }), deps, 'mine')).rejects.toMatchObject(forbidden)
})

it('a pod reads another Task of its Project and acts for none; another Project is refused (POD-TOKEN-4)', async () => {
  await expect(requireReadable(reader(), deps, 'sibling')).resolves.toMatchObject({ view: { seq: 1 } })
  await expect(requirePod(by(), deps, 'sibling')).rejects.toMatchObject(forbidden)
  await expect(requireReadable(reader(), deps, 'foreign')).rejects.toMatchObject(forbidden)
  expect(() => refuseForeignProject(claims, 'demo')).not.toThrow()
  expect(() => refuseForeignProject(claims, 'other')).toThrow('another Project')
})

it('the token of a pod whose Project was deleted does not open the next Project of its name (POD-TOKEN-6)', async () => {
  const next = depsWith({ uid: 'uid-of-the-next', since: 0 })
  await expect(requirePod(by(), next, 'mine')).rejects.toMatchObject(forbidden)
  await expect(requireReadable(reader(), next, 'mine')).rejects.toMatchObject(forbidden)
  await expect(requireTool(by({}, 'GET /projects/:project/repositories'), next)).rejects.toMatchObject(forbidden)
  await expect(requireLivingPod(next, claims)).rejects.toMatchObject(forbidden)
})

it('a token without a uid is refused where there is a Project, and may still hand over where there is none (POD-TOKEN-6)', async () => {
  const { projectUid: _, ...old } = claims
  await expect(requireLivingPod(deps, old)).rejects.toMatchObject(forbidden)
  await expect(requireLivingPod(depsWith(undefined), old)).resolves.toBeUndefined()
  await expect(requireLivingPod(depsWith(undefined), claims)).resolves.toBeUndefined()
})

it('a pod reads its own Task, and none that began before its Project was made (POD-TOKEN-6)', async () => {
  const began = aTask().stage.history[0]!.at
  const made = (since: number): AgentApiDeps => depsWith({ ...aLife, since })
  await expect(requireReadable(reader(), made(began + 60_000), 'sibling')).rejects.toMatchObject(forbidden)
  await expect(requireReadable(reader(), made(began + 60_000), 'mine')).resolves.toBeDefined()
  // Two processes may differ in the time of day.
  await expect(requireReadable(reader(), made(began + mostSkewMs), 'sibling')).resolves.toBeDefined()
})

it('a tool that the profile of the token lacks is refused to whoever calls it (POD-TOKEN-5)', async () => {
  const denied = { code: 'tool-denied', status: 403 }
  const review = (route: string): FastifyRequest => by({ agentKind: 'review' }, route)
  await expect(requirePod(review('POST /tasks/:task/issues'), deps, 'mine')).rejects.toMatchObject(denied)
  await expect(requireReadable(review('GET /tasks'), deps, 'sibling')).rejects.toMatchObject(denied)
})
