import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../crd/manifest.ts'
import { answerJson, withApiServer, type Answering } from '../../../edges/kubernetes/testing/api-server.ts'
import { checkGivenCluster } from './given-cluster.ts'

/** A cluster with these of the definitions. */
const withDefinitions =
  (has: (name: string) => boolean): Answering =>
  ({ path }, response) => {
    const name = path.split('/').at(-1)!
    const definition = customResourceDefinitions().find(
      (one) => (one as { metadata: { name: string } }).metadata.name === name,
    )
    const status = { conditions: [{ type: 'Established', status: 'True' }] }
    if (has(name)) answerJson(response, 200, { ...definition, status })
    else answerJson(response, 404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' })
  }

test('missing definitions are named, with the command that applies them; nothing is written', async () => {
  await withApiServer(
    withDefinitions((name) => !/^(tasks|projects)\./.test(name)),
    async ({ kubeconfig, asked }) => {
      const refusal = await checkGivenCluster({ kubeconfig }).catch(String)
      expect(refusal).toMatch(
        /lacks definitions of this program: projects\.platform\.dev is missing, tasks\.platform\.dev is missing\n/,
      )
      expect(refusal).toMatch(`apply them: kubectl --kubeconfig ${kubeconfig} apply --server-side -f /`)
      expect(refusal).toMatch(/crd\/generated$/)
      expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
    },
  )
  await withApiServer(
    withDefinitions(() => true),
    ({ kubeconfig }) => checkGivenCluster({ kubeconfig }),
  )
})
