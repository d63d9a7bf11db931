import { expect, test } from 'vitest'
import { chartRules } from '../doctor/rbac.ts'
import { clusterClaim, stackScene, type StackScene } from '../testing/stack-scene.ts'
import type { Call } from '../testing/memory-server.ts'

const allowed = (): readonly string[] =>
  chartRules.stacks.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${group}`.trimEnd())),
    ),
  )

/** What a server asks of RBAC for the call. */
function rightsOf({ method, path, kind }: Call, isThere: boolean): readonly string[] {
  const [, root, group = ''] = path.split('/')
  const of = `${kind} ${root === 'apis' ? group : ''}`.trimEnd()
  const isWhole = path.split('/').at(-1) === kind
  if (method === 'GET') return [`${isWhole ? 'list' : 'get'} ${of}`]
  if (method === 'PATCH') return isThere ? [`patch ${of}`] : [`patch ${of}`, `create ${of}`]
  return [`${method === 'POST' ? 'create' : 'delete'} ${of}`]
}

async function live(scene: StackScene, used: Set<string>): Promise<void> {
  scene.server.before = (call) => {
    // Discovery is everybody's.
    if (call.kind === '') return
    for (const right of rightsOf(call, scene.server.get(call.path) !== undefined)) used.add(right)
  }
  for (const profile of ['full', 'light'] as const)
    for (const pgStorage of ['10Gi', '20Gi'])
      for (let look = 0; look < 2; look++) {
        await scene.look({ profile, pgStorage })
        scene.operate()
        scene.run()
      }
  await scene.look({ profile: 'full' })
  await scene.end()
  await scene.look()
}

test('a stack uses each right of its rules and no other, whatever its profile and wherever its PostgreSQL is', async () => {
  const used = new Set<string>()
  await live(stackScene(), used)
  const scene = stackScene()
  scene.installOperator()
  clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '5Gi')
  await live(scene, used)
  expect([...used].toSorted()).toEqual(allowed().toSorted())
})
