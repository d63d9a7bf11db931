/** What `statewright rbac` prints, applied by the real kubectl. */
import { expect, test } from 'vitest'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { rbac } from './rbac.ts'
import { said } from '../testing/fixture.ts'

describeRequiring('kubernetes', 'statewright rbac', () => {
  test('kubectl takes what it prints, and then the ServiceAccount has these rights there alone (DEPLOYMENT-12)', async () => {
    const plane = sharedControlPlane()
    const [home, watched, other] = [
      await plane.ownNamespace(),
      await plane.ownNamespace(),
      await plane.ownNamespace(),
    ] as const
    const { out } = await said(() => rbac(['--namespaces', watched, '--lease-namespace', home]))
    await plane.must(['apply', '-f', '-'], out)
    const isAllowed = async (namespace: string, resourceAttributes: object): Promise<boolean> => {
      const user = `system:serviceaccount:${home}:statewright`
      const spec = { user, resourceAttributes: { ...resourceAttributes, namespace } }
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
      const { body } = await plane.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review)
      return (body['status'] as { readonly allowed: boolean }).allowed
    }
    const patch = { verb: 'patch', group: 'platform.dev', resource: 'tasks' }
    const update = { verb: 'update', group: 'coordination.k8s.io', resource: 'leases' }
    await expect.poll(() => isAllowed(watched, patch), { timeout: 10_000 }).toBe(true)
    expect([
      await isAllowed(home, { ...update, name: 'statewright-orchestrator' }),
      await isAllowed(home, { ...update, name: 'another' }),
      await isAllowed(other, patch),
      await isAllowed(home, patch),
    ]).toEqual([true, false, false, false])
    // Whoever applies it again changes nothing.
    expect(await plane.must(['apply', '-f', '-'], out)).not.toMatch(/created|configured/)
  })
})
