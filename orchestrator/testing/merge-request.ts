/** A merge request that nobody of ours opened, and what people say on it: a maintainer's is reviewed. Test code only. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { people } from '../../standins/people.ts'
import { commit, run } from '../../standins/forge/testing/fixture.ts'
import { repository, type OrchestratorFixture } from './fixture.ts'

export interface OpenedMergeRequest {
  readonly number: number
  readonly headSha: string
}

export async function openMergeRequest(
  fixture: OrchestratorFixture,
  head = 'weeks',
  author: string = people.maintainer,
): Promise<OpenedMergeRequest> {
  const dir = mkdtempSync(join(fixture.dir, 'merge-request-'))
  const clone = join(dir, 'clone')
  const url = new URL(fixture.forge.gitUrl(people.owner, 'duration'))
  Object.assign(url, { username: people.maintainer, password: tokenOf(people.maintainer) })
  await run(dir, ['clone', '--quiet', url.href, clone])
  await run(clone, ['switch', '--quiet', '-c', head])
  await commit(clone, { 'weeks.md': `Weeks, as ${head} has them.\n` }, 'Know weeks')
  await run(clone, ['push', '--quiet', 'origin', head])
  const input = { title: 'Know weeks', body: 'Seven days.', head, base: 'main' }
  return fixture.forge.openPull(author, repository, input)
}

/** The forge's REST API of the repository, as this person. */
export async function askForge(
  fixture: OrchestratorFixture,
  login: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await fetch(`${fixture.forge.apiUrl}/repos/${repository}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokenOf(login)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`the forge answered ${answer.status} to ${method} ${path}`)
  return answer.json()
}

/** A comment on it; its id. */
export async function commentOn(
  fixture: OrchestratorFixture,
  login: string,
  number: number,
  words: string,
): Promise<string> {
  const { id } = (await askForge(fixture, login, 'POST', `/issues/${number}/comments`, { body: words })) as {
    readonly id: number
  }
  return String(id)
}

function tokenOf(login: string): string {
  return `token-of-${login}`
}
