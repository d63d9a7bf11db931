import { expect, test } from 'vitest'
import { loopback, podAddresses, reachable } from './pod-addresses.ts'

const network = (known: Readonly<Record<string, readonly string[]>>) => ({
  resolve: async (host: string) => known[host] ?? Promise.reject(new Error(`ENOTFOUND ${host}`)),
  own: () => ['127.0.0.1', '10.0.0.5', 'fd00::2'],
})

test('what pods reach listens on the address of its host where that is ours, else on all', async () => {
  const known = network({ laptop: ['192.168.1.9', '10.0.0.5'], router: ['203.0.113.1'], '127.0.0.1': ['127.0.0.1'] })
  expect(await podAddresses('laptop', known)).toEqual({ host: 'laptop', listen: '10.0.0.5' })
  expect(await podAddresses('router', known)).toEqual({ host: 'router', listen: '0.0.0.0' })
  expect(await podAddresses('127.0.0.1', known)).toEqual(loopback)
  expect(['0.0.0.0', '10.0.0.5'].map(reachable)).toEqual(['127.0.0.1', '10.0.0.5'])
})

test('a host that this machine does not know is refused: the orchestrator asks the identity provider there too', async () => {
  await expect(podAddresses('host.in.cluster', network({}))).rejects.toThrow(
    'this machine knows no IPv4 address of host.in.cluster, the host of --operator-url',
  )
})
