/** Where the knowledge service is and what a program signs in with: flags, then the environment, then what runs on this machine. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { clientCredentials, type TokenSource } from '../http/token-source.ts'
import { systemClock } from '../runtime/clock.ts'
import { text, type Parsed } from './args.ts'

export const serviceOptions = {
  url: { type: 'string' },
  dir: { type: 'string' },
} as const

/** Of what `up` writes, the part that leads to its knowledge service. */
const LocalService = Type.Object({
  memory: Type.String({ minLength: 1 }),
  memoryAudience: Type.String({ minLength: 1 }),
  identity: Type.String(),
  signInCode: Type.Optional(Type.String()),
  tokenUrl: Type.String(),
  clientId: Type.String(),
  clientSecret: Type.String(),
})

interface LocalEndpoints {
  readonly memory: string
  readonly memoryAudience: string
  readonly identity: string
  readonly signInCode?: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

export type Environment = Readonly<Record<string, string | undefined>>

export function localEndpoints(parsed: Parsed): LocalEndpoints | undefined {
  try {
    const value: unknown = JSON.parse(
      readFileSync(join(text(parsed, 'dir') ?? '.statewright', 'endpoints.json'), 'utf8'),
    )
    return Value.Check(LocalService, value) ? value : undefined
  } catch {
    return undefined
  }
}

export function serviceUrl(parsed: Parsed, env: Environment): string | undefined {
  return text(parsed, 'url') ?? nonEmpty(env['MEMORY_URL']) ?? localEndpoints(parsed)?.memory
}

interface ProgramTokens {
  readonly issuer: string
  readonly tokens: TokenSource
}

/** Of a program with a client of its own, by the client credentials grant; undefined: no secret of one is set. */
export async function programTokens(
  env: Environment,
  audienceName: 'MEMORY_AUDIENCE' | 'OIDC_AUDIENCE',
): Promise<ProgramTokens | undefined> {
  const [issuer, clientId, audience] = [env['OIDC_ISSUER'], env['OIDC_CLIENT_ID'], env[audienceName]].map(nonEmpty)
  const file = nonEmpty(env['OIDC_CLIENT_SECRET_FILE'])
  const secret =
    nonEmpty(env['OIDC_CLIENT_SECRET']) ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim())
  if (secret === undefined) return undefined
  const missing = Object.entries({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, [audienceName]: audience })
    .filter(([, value]) => value === undefined)
    .map(([name]) => name)
  if (issuer === undefined || clientId === undefined || audience === undefined)
    throw new Error(`with OIDC_CLIENT_SECRET ${missing.join(', ')} must be set, too`)
  const { discover } = await import('../memory/client/discovery.ts')
  const { tokenUrl } = await discover(issuer, { fetch, clock: systemClock })
  return { issuer, tokens: clientCredentials({ tokenUrl, clientId, secret, audience, clock: systemClock, fetch }) }
}

export function credentialsFile(env: Environment): string {
  return join(configDir(env), 'credentials.json')
}

export function configDir(env: Environment): string {
  const config = nonEmpty(env['XDG_CONFIG_HOME']) ?? join(nonEmpty(env['HOME']) ?? homedir(), '.config')
  return join(config, 'statewright')
}

export function cacheDir(env: Environment): string {
  const cache = nonEmpty(env['XDG_CACHE_HOME']) ?? join(nonEmpty(env['HOME']) ?? homedir(), '.cache')
  return join(cache, 'statewright')
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value
}
