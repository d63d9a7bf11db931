/** What a node gives to the pod of an ordinary Deployment or Job, on a real API server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { podIP, podOf } from './testing/manifests.ts'
import { program, repository, withKubelet } from './testing/real-kubelet.ts'

interface ContainerStatus {
  readonly ready: boolean
  readonly restartCount: number
  readonly state: Readonly<
    Record<string, { readonly reason?: string; readonly exitCode?: number; readonly message?: string }>
  >
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

const loaded = `NODE_OPTIONS=--import=${join(repository, 'standins/kubelet/own-address.mjs')}`
const ownImages = {
  'example.test/program:1': [process.execPath, program],
  'example.test/own:1': ['env', loaded, process.execPath, program],
}
const ports = [{ name: 'web', containerPort: 8080 }]
const onWeb = { httpGet: { path: '/', port: 'web' } }
/** Its first answer is what starts it, and the first refusal what ends it. */
const probed = {
  ports,
  startupProbe: { ...onWeb, periodSeconds: 1, failureThreshold: 30 },
  readinessProbe: onWeb,
  livenessProbe: { ...onWeb, periodSeconds: 1, failureThreshold: 1 },
}

/** Asks the API server with its account who it is, and each name who answers there, once something is ready behind it. */
const asksFor = (names: readonly string[]): string => `
  const { readFileSync, writeFileSync } = await import('node:fs')
  const { request } = await import('node:https')
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  const account = '/var/run/secrets/kubernetes.io/serviceaccount/'
  const [ca, token] = ['ca.crt', 'token'].map((name) => readFileSync(account + name, 'utf8'))
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
  const text = await new Promise((resolve, reject) =>
    request({ host, port, ca, method: 'POST', path, headers }, (answer) => answer.once('data', resolve))
      .on('error', reject)
      .end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })))
  const who = JSON.parse(text).status.userInfo.username
  const ask = async (name) => {
    for (let failures = 0; ; failures++)
      try {
        return (await (await fetch('http://' + name)).json()).env.HOSTNAME
      } catch (error) {
        if (failures === 50) return error.cause?.code ?? String(error)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
  }
  const found = await Promise.all(${JSON.stringify(names)}.map(ask))
  writeFileSync('/dev/termination-log', JSON.stringify({ found, who }))
  process.exit(0)
`

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

  test('finds Services by their names, which lead to what is ready behind them, and the API server by its account', async () => {
    const { kubeconfig } = sharedControlPlane()
    const [, apiServer = ''] = /server: "?(https:[^",}\s]+)/.exec(readFileSync(kubeconfig, 'utf8')) ?? []
    await withKubelet(
      async ({ create, until, namespace }) => {
        const metadata = { name: 'front' }
        const spec = { selector: { app: 'behind' }, ports: [{ name: 'web', port: 80, targetPort: 'web' }] }
        await create('services', { metadata, spec })
        const own = { ports, env: [podIP, { name: 'HTTP_ADDR', value: '0.0.0.0:8080' }] }
        await create('pods', podOf('behind', { ...own, readinessProbe: onWeb, image: 'example.test/own:1' }))
        await until('behind', isReadyAgain(0))
        const names = ['front', `front.${namespace}.svc`, `front.${namespace}.svc.cluster.local`]
        const inside = asksFor(names)
        const asking = {
          command: [process.execPath, '--input-type=module', '--eval', inside],
          readinessProbe: undefined,
        }
        await create('pods', podOf('asks', asking, { automountServiceAccountToken: true }))
        const asked = await until('asks', (pod) => mainOf(pod)?.state['terminated'] !== undefined)
        const { message = '' } = mainOf(asked)?.state['terminated'] ?? {}
        expect(JSON.parse(message || JSON.stringify(mainOf(asked)))).toEqual({
          found: ['behind', 'behind', 'behind'],
          who: `system:serviceaccount:${namespace}:default`,
        })
      },
      { apiServer, images: ownImages },
    )
  })
})
