/** A Project's memory stack on CloudNativePG's stand-in over a real PostgreSQL, from its manifest to its last status. */
import { test } from 'vitest'
import { withStack } from '../../standins/cnpg/testing/real-stack.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { livesAndReturns, withStackLife } from '../testing/stack-life.ts'

describeRequiring('stack', 'the light memory stack of a Project', () => {
  test('serves, grows, ends with its Project and comes back with what it held, on CloudNativePG', async () => {
    await withStack((stack) =>
      withStackLife({ ...stack, usesCloudNativePg: true }, (life) =>
        livesAndReturns(life, { stays: `Cluster ${stack.namespace}/mem-demo with its claims` }),
      ),
    )
  })
})
