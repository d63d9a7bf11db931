import { Gitlab } from '@gitbeaker/rest'
import type { Forge } from '../forge.ts'
import { withForge, type FixtureOptions, type ForgeFixture } from './fixture.ts'

/** The whole path of the project: in a nested group, since every client stumbles there first. */
export const PROJECT = 'acme/tools/library'

export interface GitlabFixture extends ForgeFixture {
  gitlab(login: string): InstanceType<typeof Gitlab<false>>
  /** One request as it is, for what a client hides: statuses, headers, the words of a refusal. */
  readonly ask: Ask
}

export type Ask = (login: string | undefined, method: string, path: string, body?: unknown) => Promise<Asked>

interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** The people of `withForge`, and a repository of GitLab's dialect, in memory unless the test names the real git. */
export function withGitlab(options: FixtureOptions, use: (fixture: GitlabFixture) => Promise<void>): Promise<void> {
  const repository = { dialect: 'gitlab', owner: 'acme/tools', ...options.repository } as const
  return withForge({ git: 'memory', ...options, repository }, (fixture) =>
    use({
      ...fixture,
      gitlab: (login) => new Gitlab({ host: fixture.forge.url, token: `token-of-${login}`, camelize: false }),
      ask: (login, method, path, body) => ask(fixture.forge, login, method, path, body),
    }),
  )
}

export async function ask(
  forge: Forge,
  login: string | undefined,
  method: string,
  path: string,
  body: unknown,
): Promise<Asked> {
  const response = await fetch(`${forge.gitlabApiUrl}${path}`, {
    method,
    headers: {
      ...(login === undefined ? {} : { 'private-token': `token-of-${login}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text }
}
