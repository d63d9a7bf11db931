/** How pods reach the programs of this machine: what their addresses name, and what these listen on. */
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

export interface PodAddresses {
  /** A name or an IPv4 address, for URLs. */
  readonly host: string
  /** An IPv4 address of this machine, or 0.0.0.0 for all of them. */
  readonly listen: string
}

/** Pods are processes of this machine. */
export const loopback: PodAddresses = { host: '127.0.0.1', listen: '127.0.0.1' }

interface Network {
  /** IPv4 addresses of a name. @throws where it has none. */
  resolve(host: string): Promise<readonly string[]>
  /** Addresses of this machine. */
  own(): readonly string[]
}

const thisNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true, family: 4 })).map(({ address }) => address),
  own: () => Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address)),
}

/**
 * One host stands for pods and for this machine: the name of an identity provider is the same for all who trust it. An
 * address that is ours is all that we listen on; behind one that is not, a router brings requests in anywhere.
 * @throws where this machine does not know the host.
 */
export async function podAddresses(host: string, network: Network = thisNetwork): Promise<PodAddresses> {
  const addresses = await network.resolve(host).catch((cause: unknown) => {
    const message = `this machine knows no IPv4 address of ${host}, the host of --operator-url: give one that it and pods reach`
    throw new Error(message, { cause })
  })
  const own = network.own()
  return { host, listen: addresses.find((each) => own.includes(each)) ?? '0.0.0.0' }
}

/** Where a program of this machine reaches one that listens like this. */
export function reachable(listen: string): string {
  return listen === '0.0.0.0' ? '127.0.0.1' : listen
}
