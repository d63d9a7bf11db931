import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { projectActorId, refuseForeignProject, requirePod, requireReadable, taskId } from './caller.ts'
import type { AgentApiDeps } from './deps.ts'
import type { PodClaims } from './pod-tokens.ts'
import { aTask, aView, reading } from './testing.ts'

const claims: PodClaims = { project: 'default/demo', task: 'default/mine', pod: 2, agentKind: 'implement' }
const pod = aView({}, { kind: 'pod' })
const foreign = aTask({ config: { ...aTask().config, project: 'default/other' } })
const actors = {
  'pod:default/mine/1': aView({}, { kind: 'pod', status: 'done' }),
  'pod:default/mine/2': pod,
  'task:default/mine': aView(aTask()),
  'task:default/sibling': aView(aTask()),
  'task:default/foreign': aView(foreign),
}
const deps = { runtime: reading(actors) } as unknown as AgentApiDeps

function by(change: Partial<PodClaims> = {}): FastifyRequest {
  return { principal: { subject: 's', issuer: 'pod', claims: { ...claims, ...change } } } as unknown as FastifyRequest
}

const forbidden = { code: 'forbidden', status: 403 }

it('a resource is meant in the namespace default unless it names another (NAME-1)', () => {
  expect([taskId('mine'), taskId('team/mine')]).toEqual(['default/mine', 'team/mine'])
  expect([projectActorId('demo'), projectActorId('team/demo')]).toEqual(['default/demo', 'team/demo'])
})

it('the living pod of the Task acts, and one that has ended or was replaced does not (POD-TOKEN-3)', async () => {
  await expect(requirePod(by(), deps, 'mine', 'task_note')).resolves.toMatchObject({ claims })
  await expect(requirePod(by({ pod: 1 }), deps, 'mine', 'task_note')).rejects.toMatchObject(forbidden)
  await expect(requirePod(by({ pod: 3 }), deps, 'mine', 'task_note')).rejects.toMatchObject(forbidden)
})

it('a pod reads another Task of its Project and acts for none; another Project is refused (POD-TOKEN-4)', async () => {
  await expect(requireReadable(by(), deps, 'sibling', 'task_get')).resolves.toMatchObject({ view: { seq: 1 } })
  await expect(requirePod(by(), deps, 'sibling', 'task_note')).rejects.toMatchObject(forbidden)
  await expect(requireReadable(by(), deps, 'foreign', 'task_get')).rejects.toMatchObject(forbidden)
  expect(() => refuseForeignProject(claims, 'demo')).not.toThrow()
  expect(() => refuseForeignProject(claims, 'other')).toThrow('another Project')
})

it('a tool that the profile of the token lacks is refused to whoever calls it (POD-TOKEN-5)', async () => {
  const denied = { code: 'tool-denied', status: 403 }
  const review = by({ agentKind: 'review' })
  await expect(requirePod(review, deps, 'mine', 'issue_write')).rejects.toMatchObject(denied)
  await expect(requireReadable(review, deps, 'sibling', 'task_list')).rejects.toMatchObject(denied)
})
