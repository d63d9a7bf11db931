/** A Project's memory stack on one StatefulSet of a real PostgreSQL, where there is no CloudNativePG. */
import { test } from 'vitest'
import { withStorage } from '../../standins/cnpg/testing/real-stack.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { livesAndReturns, withStackLife } from '../testing/stack-life.ts'

describeRequiring('kubernetes', 'the light memory stack of a Project, without CloudNativePG,', () => {
  test('serves, grows, ends with its Project and comes back with what it held', async () => {
    await withStorage((place) =>
      withStackLife({ ...place, usesCloudNativePg: false }, (life) =>
        livesAndReturns(life, { stays: `PersistentVolumeClaim ${place.namespace}/mempg-demo-data` }),
      ),
    )
  })
})
