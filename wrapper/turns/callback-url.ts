import { BlockList, isIP } from 'node:net'

/**
 * The rules for a per-turn `callbackUrl` (TURN-CALLBACK-3 to TURN-CALLBACK-5): http or https; no `localhost` and no loopback, unspecified, link-local or
 * private IP literal. Host names are not resolved, so a private address behind DNS is not caught.
 */
export function callbackUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be http or https'
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (host === 'localhost' || host.endsWith('.localhost')) return 'must not name this host'
  const family = isIP(host)
  if (family !== 0 && forbidden.check(host, family === 4 ? 'ipv4' : 'ipv6')) return 'must not name a private address'
  return undefined
}

const forbidden = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  forbidden.addSubnet(net, prefix, 'ipv4')
}
for (const [net, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['fc00::', 7],
] as const) {
  forbidden.addSubnet(net, prefix, 'ipv6')
}
