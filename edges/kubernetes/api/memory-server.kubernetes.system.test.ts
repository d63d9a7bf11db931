/** The real API server answers what the one in memory answers. */
import { describeRequiring } from '../../../testing/requires.ts'
import { withPodCluster } from '../testing/pod-cluster.ts'
import { serverContract } from '../testing/server-contract.ts'

describeRequiring('kubernetes', 'a real API server', () => {
  serverContract((use) =>
    withPodCluster(async ({ client, namespace, kubelet, read }) => {
      const pods = { apiVersion: 'v1', plural: 'pods' }
      await use({ client, namespace, bind: async (pod) => kubelet.bind((await read(pods, pod))!) })
    }),
  )
})
