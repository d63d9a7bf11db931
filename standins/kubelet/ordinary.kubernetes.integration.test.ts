/** What a node gives to the pod of an ordinary Deployment or Job, on a real API server. */
import { expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { podOf } from './testing/manifests.ts'
import { withKubelet } from './testing/real-kubelet.ts'

interface ContainerStatus {
  readonly ready: boolean
  readonly restartCount: number
  readonly state: Readonly<Record<string, { readonly reason?: string; readonly exitCode?: number }>>
  readonly lastState: ContainerStatus['state']
}

const mainOf = (pod: KubeObject | undefined): ContainerStatus | undefined =>
  (pod?.status?.['containerStatuses'] as ContainerStatus[] | undefined)?.[0]
const isReadyAgain =
  (restarts: number) =>
  (pod: KubeObject | undefined): boolean =>
    mainOf(pod)?.ready === true && mainOf(pod)?.restartCount === restarts
const urlOf = (pod: KubeObject | undefined, path: string): string =>
  `http://${String(pod?.status?.['podIP'])}:8080${path}`

const ports = [{ name: 'web', containerPort: 8080 }]
const onWeb = { httpGet: { path: '/', port: 'web' } }
/** Its first answer is what starts it, and the first refusal what ends it. */
const probed = {
  ports,
  startupProbe: { ...onWeb, periodSeconds: 1, failureThreshold: 30 },
  readinessProbe: onWeb,
  livenessProbe: { ...onWeb, periodSeconds: 1, failureThreshold: 1 },
}

describeRequiring('kubernetes', 'an ordinary pod', () => {
  test('starts a container again that ends or fails its probe, at once and then with back-off, and says how the last one ended', async () => {
    await withKubelet(async ({ create, until, remove, seen }) => {
      await create('pods', podOf('served', probed, { restartPolicy: 'Always' }))
      await create('pods', podOf('done', {}, { restartPolicy: 'OnFailure' }))
      await fetch(urlOf(await until('done', isReadyAgain(0)), '/end'))
      await fetch(urlOf(await until('served', isReadyAgain(0)), '/sick'))
      const done = await until('done', (pod) => pod?.status?.['phase'] === 'Succeeded')
      expect(mainOf(done)).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 0 } } })
      const again = await until('served', isReadyAgain(1))
      expect(mainOf(again)?.lastState).toMatchObject({ terminated: { exitCode: 0, reason: 'Completed' } })
      await fetch(urlOf(again, '/end'))
      const waiting = await until('served', (pod) => mainOf(pod)?.state['waiting'] !== undefined)
      expect(mainOf(waiting)?.state['waiting']).toMatchObject({
        reason: 'CrashLoopBackOff',
        message: expect.stringMatching(/^back-off 10s restarting failed container=main pod=served_/) as string,
      })
      await remove('served')
      await until('served', (pod) => pod === undefined)
      const phases = new Set(seen.get('served')?.map(({ status }) => status?.['phase']))
      expect([...phases]).toEqual(['Pending', 'Running', 'Succeeded'])
    })
  })
})
