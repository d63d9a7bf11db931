import { discoverIssuer } from '../../http/auth/discovery.ts'
import type { Fetch } from '../../http/ports.ts'
import { clientCredentials, type TokenSource } from '../../http/token-source.ts'
import { fixedToken, type Upstream } from '../broker/broker.ts'
import type { Service } from '../broker/allowed-calls.ts'
import type { Clock } from '../clock.ts'
import type { Config } from './config.ts'

/** An orchestrator that is started again listens within this time. The memory may be away for long, and turns go on without it. */
const operatorPatienceMs = 30_000

/** The services that the broker reaches: the orchestrator with the pod's token, the memory service with the wrapper's own client. */
export function upstreamsOf(config: Config, clock: Clock, fetch: Fetch): Partial<Record<Service, Upstream>> {
  const upstreams: Partial<Record<Service, Upstream>> = {}
  if (config.operatorUrl && config.secrets.podToken)
    upstreams.operator = {
      baseUrl: config.operatorUrl,
      token: fixedToken(config.secrets.podToken),
      patienceMs: operatorPatienceMs,
    }
  if (config.memoryUrl) {
    upstreams.memory = { baseUrl: config.memoryUrl, token: memoryToken(config, clock, fetch), patienceMs: 0 }
  }
  return upstreams
}

/** The token endpoint is looked up at the first call: a pod that never asks the memory needs no identity provider at boot. */
function memoryToken(config: Config, clock: Clock, fetch: Fetch): TokenSource {
  let source: TokenSource | undefined
  const find = async (): Promise<TokenSource> => {
    if (source) return source
    const { token_endpoint } = await discoverIssuer(config.oidc.issuer, clock, fetch)
    if (!token_endpoint) throw new Error('the identity provider names no token endpoint')
    source = clientCredentials({
      tokenUrl: token_endpoint,
      clientId: config.oidc.clientId,
      secret: config.secrets.oidcClientSecret!,
      audience: config.oidc.memoryAudience,
      clock,
      fetch,
    })
    return source
  }
  return { token: async () => (await find()).token(), forget: () => source?.forget() }
}
