import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Cluster } from '../local/cluster/cluster.ts'
import { recordCluster } from './cluster-record.ts'

test('a demo that is kept watches no longer: a process that goes on to watch a server that is gone never ends', async () => {
  let watches = 0
  const client = {
    watch() {
      watches += 1
      throw new Error('the API server is gone')
    },
  }
  recordCluster({ client, namespace: 'demo' } as unknown as Cluster).close()
  await pause(300)
  const seen = watches
  await pause(600)
  expect(watches).toBe(seen)
})
