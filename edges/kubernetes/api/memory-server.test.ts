import { describe } from 'vitest'
import { MemoryServer } from '../testing/memory-server.ts'
import { at } from '../testing/pod-scene.ts'
import { serverContract } from '../testing/server-contract.ts'

describe('the API server in memory', () => {
  serverContract(async (use) => {
    const server = new MemoryServer()
    const bind = async (pod: string): Promise<void> =>
      void server.put(at('pods', pod), { spec: { ...server.get(at('pods', pod))!.spec, nodeName: 'node-1' } })
    await use({ client: server, namespace: 'default', bind })
  })
})
