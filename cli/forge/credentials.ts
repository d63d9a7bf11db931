/**
 * Whose word it is on the forge: a person's own credential, never the bot's. A resource names the forge, and strangers may have
 * written it, so a credential goes only where its owner meant it to go: GH_TOKEN to GitHub, as gh does, and every other one to the
 * host that the person named beside it.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Provider } from '../../edges/forge/projects.ts'
import { nonEmpty, type Environment } from '../knowledge-service.ts'
import { findEndpoints } from '../local/endpoints.ts'
import { findPeople } from '../local/people-file.ts'
import { UsageError } from '../args.ts'

/** Of a forge, as a Project names it. */
export interface ForgeApi {
  readonly provider: Provider
  /** Absent: the public one's. */
  readonly apiURL?: string
}

/** `lacks`: what a person sets so that there is one. */
type Credential = { readonly token: string } | { readonly lacks: string }

const publicApis: Readonly<Record<Provider, string>> = {
  forge_a: 'https://api.github.com',
  forge_b: 'https://gitlab.com',
}

export async function ownCredential(forge: ForgeApi, env: Environment): Promise<Credential> {
  const { origin, host, protocol } = new URL(forge.apiURL ?? publicApis[forge.provider])
  const isPublic = origin === publicApis[forge.provider]
  if (forge.provider === 'forge_b') {
    const named = originNamed(nonEmpty(env['GITLAB_HOST']) ?? env['GITLAB_URI']) ?? publicApis.forge_b
    const token = named === origin ? nonEmpty(env['GITLAB_TOKEN']) : undefined
    const lacks = `set GITLAB_TOKEN to a token of yours with the scope api${isPublic ? '' : `, and GITLAB_HOST to ${shownHost(origin)}`}`
    return token === undefined ? { lacks } : { token }
  }
  const token = isPublic
    ? (nonEmpty(env['GH_TOKEN']) ?? nonEmpty(env['GITHUB_TOKEN']))
    : originNamed(env['GH_HOST']) === origin
      ? (nonEmpty(env['GH_ENTERPRISE_TOKEN']) ?? nonEmpty(env['GITHUB_ENTERPRISE_TOKEN']))
      : undefined
  const ofGh = token ?? (protocol === 'https:' ? await tokenOfGh(isPublic ? 'github.com' : host, env) : undefined)
  if (ofGh !== undefined) return { token: ofGh }
  return {
    lacks: isPublic
      ? 'set GH_TOKEN to a token of yours, or sign in with gh auth login'
      : `set GH_HOST to ${shownHost(origin)} and GH_ENTERPRISE_TOKEN to a token of yours, or sign in with gh auth login --hostname ${host}`,
  }
}

/** Of a person of the stack that `up` runs in this folder, for its own forge alone. */
export function localCredential(forge: ForgeApi, dir: string, login: string): Credential {
  const people = findPeople(dir)
  if (people === undefined) return { lacks: `${dir} has no credentials of people that you may read` }
  const person = Object.hasOwn(people, login) ? people[login] : undefined
  if (person === undefined)
    throw new UsageError(`there is no ${login} here: --as takes ${Object.keys(people).join(', ')}`)
  if (!isForgeOf(dir, forge)) return { lacks: `the Project is on another forge than the one of ${dir}: leave out --as` }
  return { token: person.token }
}

/** Who may speak on this forge by `--as`; none where it is not the one of this folder. */
export function localPeople(forge: ForgeApi, dir: string): readonly string[] {
  return isForgeOf(dir, forge) ? Object.keys(findPeople(dir) ?? {}) : []
}

function isForgeOf(dir: string, { apiURL }: ForgeApi): boolean {
  const here = findEndpoints(dir)?.forgeApi
  return apiURL !== undefined && here !== undefined && withoutSlash(here) === withoutSlash(apiURL)
}

const run = promisify(execFile)
const answerMs = 10_000

/** gh gives what is in its environment to any host that it is asked about: it is asked for what it keeps for this one. */
async function tokenOfGh(host: string, env: Environment): Promise<string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !/^(GH|GITHUB)_(ENTERPRISE_)?TOKEN$/.test(name))
  return run('gh', ['auth', 'token', '--hostname', host], { env: Object.fromEntries(kept), timeout: answerMs }).then(
    ({ stdout }) => nonEmpty(stdout.trim()),
    () => undefined,
  )
}

/** Of a host alone, as gh takes it, or of an address, as glab does. */
function originNamed(named: string | undefined): string | undefined {
  const given = nonEmpty(named)
  const url = given === undefined || given.includes('://') ? given : `https://${given}`
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined
}

function shownHost(origin: string): string {
  return origin.replace(/^https:\/\//, '')
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
