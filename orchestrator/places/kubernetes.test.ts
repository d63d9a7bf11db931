import { expect, test } from 'vitest'
import { withApiServer } from '../../edges/kubernetes/testing/api-server.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { noCluster } from '../testing/no-cluster.ts'
import { openKubernetesPlace } from './kubernetes.ts'

test('a server that gives no first list ends the start, with what to look at', async () => {
  const refuse = { code: 403, reason: 'Forbidden', message: 'tasks is forbidden' }
  await withApiServer(
    (_request, response) =>
      void response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(refuse)),
    async ({ kubeconfig, asked }) => {
      const clock = simulatedClock(0)
      const place = openKubernetesPlace(
        { ...noCluster, kubeconfig, leaseNamespace: 'ops' },
        {
          clock,
          random: () => 0.5,
          ids: { next: () => 'id' },
          logger: captureLog().logger,
          authenticate: async () => ({ subject: 'nobody' }) as never,
          localPods: () => ({}) as never,
          newPassword: () => 'password',
          fetch,
        },
      )
      const loaded = place.load().then(
        () => 'loaded',
        (error: unknown) => (error as Error).message,
      )
      await expect.poll(() => asked.length).toBeGreaterThanOrEqual(6)
      clock.advance(60_000)
      expect(await loaded).toBe(
        'the API server gave no first list of all kinds within 60 s; the log says why. ' +
          'Where it refuses, apply crd/generated/ and what statewright rbac prints',
      )
      await place.stop()
    },
  )
})
