/** An API server that dies in the midst of the work, and comes back: the orchestrator works on, and shows it afterwards. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { programDir } from '../../cli/program.ts'
import { startCluster } from '../testing/cluster.ts'

describeRequiring('kubernetes', 'an API server that is killed and started again', () => {
  test('leaves no trace: what happened meanwhile is shown, and what people ask afterwards is done (RESOURCES-42)', async () => {
    const kube = await startControlPlane({ crds: join(programDir, 'crd', 'generated') })
    const cluster = await startCluster(kube)
    const { fixture, namespace } = cluster
    try {
      await cluster.apply(cluster.task('survivor'))
      const pod = await fixture.podOf(`${namespace}/survivor`, 1)
      await fixture.until('its turn is shown', async () => {
        const shown = await cluster.get('tasks', 'survivor')
        return shown?.status?.['stage'] === 'implementing' && shown.status['turn'] !== undefined
      })
      await kube.killApi()
      // A turn without a word asks for nothing: the Task is asked again, in a turn of its own.
      await pod.endTurn()
      await fixture.until('the next turn runs', async () => (await pod.turns()).length > 1)
      const { turnId } = (await pod.turns()).at(-1)!
      await kube.startApi()
      await fixture.until('the newest turn is shown', async () => {
        const turn = (await cluster.get('tasks', 'survivor'))?.status?.['turn'] as { readonly id?: string } | undefined
        return turn?.id === turnId
      })
      await cluster.apply(cluster.project({ maxConcurrentAgents: 7 }))
      await cluster.projectReady()
      expect((await fixture.runtime.read(`queue:${namespace}/demo`))?.context).toMatchObject({ maxConcurrentAgents: 7 })
    } finally {
      await cluster.stop()
      await kube.stop()
    }
  })
})
