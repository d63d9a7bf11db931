import { isIPv4 } from 'node:net'
import { UsageError } from '../args.ts'

/** The origin of an orchestrator. A token goes over plain HTTP to this machine alone. */
export function serverAddress(given: string): string {
  if (!URL.canParse(given)) throw new UsageError(`${given} is no address such as https://statewright.example.org`)
  const { protocol, hostname, pathname, search, hash, username, password, origin } = new URL(given)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new UsageError(`${given} is no address such as https://statewright.example.org`)
  if (username !== '' || password !== '') throw new UsageError('an address of a server has no user and no password')
  if (pathname !== '/' || search !== '' || hash !== '')
    throw new UsageError(`${given} has more than a host: give ${origin}`)
  if (protocol === 'http:' && !isLoopback(hostname))
    throw new UsageError(
      `${origin} would get a token that everybody on the way can read: give an https address, or forward a port to this machine`,
    )
  return origin
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}
