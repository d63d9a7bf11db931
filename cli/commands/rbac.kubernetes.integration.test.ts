/** What `statewright rbac` prints, applied by the real kubectl. */
import { expect, test } from 'vitest'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { rbac } from './rbac.ts'
import { said } from './testing/fixture.ts'

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
    const mayIt = async (namespace: string, ...action: readonly string[]): Promise<string> => {
      const as = `--as=system:serviceaccount:${home}:statewright`
      return (await plane.kubectl(['auth', 'can-i', ...action, as, '-n', namespace])).stdout.trim()
    }
    await expect.poll(() => mayIt(watched, 'patch', 'tasks.platform.dev'), { timeout: 10_000 }).toBe('yes')
    expect([
      await mayIt(home, 'update', 'leases.coordination.k8s.io/statewright-orchestrator'),
      await mayIt(home, 'update', 'leases.coordination.k8s.io/another'),
      await mayIt(other, 'patch', 'tasks.platform.dev'),
      await mayIt(home, 'patch', 'tasks.platform.dev'),
    ]).toEqual(['yes', 'no', 'no', 'no'])
    // Whoever applies it again changes nothing.
    expect(await plane.must(['apply', '-f', '-'], out)).not.toMatch(/created|configured/)
  })
})
