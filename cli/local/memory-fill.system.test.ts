/**
 * A Project's memory that fills itself: the real orchestrator, `statewright ingest` and the real memory service,
 * before a stand-in of the forge. The tests are one story.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MemoryContext } from '../../machines/memory/context.ts'
import { askForge, openMergeRequest } from '../../orchestrator/testing/merge-request.ts'
import {
  projectWith,
  repository,
  startOrchestratorFixture,
  type OrchestratorFixture,
} from '../../orchestrator/testing/fixture.ts'
import { untilOf } from '../../orchestrator/testing/until.ts'
import { people } from '../../standins/people.ts'
import { programDir } from '../program.ts'
import { memoryClient, memoryService, type MemoryService } from './testing/memory-service.ts'

let dir: string
let service: MemoryService
let fixture: OrchestratorFixture
/** Between two steps lie ten seconds. */
const within = untilOf(() => fixture.runtime, { waitLimitMs: 150_000, lookEveryMs: 250 })

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'memory-fill-'))
  service = await memoryService(dir, { project: 'default/demo', fills: true })
  fixture = await startOrchestratorFixture(
    {},
    { programDir, clients: [memoryClient], settingsFor: (identity) => service.start(identity) },
  )
}, 120_000)
afterAll(async () => {
  await fixture?.stop()
  await service?.stop()
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}, 60_000)

function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  return service.memory().ask(body === undefined ? 'GET' : 'POST', path, body)
}

/** What the service says that it holds, by file. */
async function held(): Promise<readonly string[]> {
  const { items } = await ask('/ingest-record?repo=duration&limit=500')
  return (items as readonly { readonly file: string }[]).map(({ file }) => file)
}

async function statusOfRepository(): Promise<Record<string, unknown>> {
  const token = await fixture.operatorToken()
  const { body } = await fixture.call('/resources/repositories/default/duration', { token })
  return body['status'] as Record<string, unknown>
}

async function indexed(commit: string): Promise<Record<string, unknown>> {
  return within(`the memory holds ${commit}`, async () => {
    const status = await statusOfRepository()
    return status['indexedCommit'] === commit && status
  })
}

async function headOfMain(): Promise<string> {
  const answer = await askForge(fixture, people.maintainer, 'GET', '/branches/main')
  return (answer as { readonly commit: { readonly sha: string } }).commit.sha
}

async function apply(scm: object): Promise<void> {
  const body = projectWith(fixture.forge, { scm })
  const { status } = await fixture.call('/resources', { method: 'PUT', token: await fixture.operatorToken(), body })
  expect(status).toBe(200)
}

test('what is enrolled is taken in, and the Repository shows the commit that its memory holds (REPOSITORY-5)', async () => {
  const head = await headOfMain()
  expect(await indexed(head)).toMatchObject({
    conditions: [{ type: 'Ready' }, { type: 'Indexed', status: 'True', reason: 'Current' }],
  })
  expect(await held()).toEqual(expect.arrayContaining(['readme.md', `@commit/${head}`]))
  const { items } = await ask('/code/entities?repo=duration&type=file')
  expect(JSON.stringify(items)).toContain('readme.md')
}, 400_000)

test('a push to the default branch is taken in, and found (KNOWLEDGE-16)', async () => {
  const { number } = await openMergeRequest(fixture)
  const merged = await fixture.forge.mergePull(people.maintainer, repository, number)
  await indexed(merged)
  const { results } = await ask('/queries', { mode: 'naive', text: 'Weeks', top_k: 5 })
  expect(JSON.stringify(results)).toContain('weeks.md')
}, 400_000)

test('what the reporter gate hides is taken in no more, and goes (INTAKE-9)', async () => {
  const open = (login: string): number =>
    fixture.forge.openIssue(login, repository, { title: `Words of ${login}`, body: 'b', labels: [] }).number
  const [strangers, reporters] = [open(people.stranger), open(people.reporter)]
  const [hidden, shown] = [`@issue/${strangers}`, `@issue/${reporters}`]
  await fixture.quiet()
  // Let in both are there: so it is the gate that takes one away.
  await apply({ reporterLogins: [people.reporter, people.stranger] })
  await within('both issues', async () => {
    const files = await held()
    return files.includes(hidden) && files.includes(shown)
  })
  await apply({ reporterLogins: [people.reporter] })
  await within('the stranger’s issue is gone', async () => !(await held()).includes(hidden))
  expect(await held()).toContain(shown)
}, 400_000)

test('a comment that is deleted is gone from what the memory says', async () => {
  const issue = fixture.forge.openIssue(people.reporter, repository, { title: 'Months', body: 'b', labels: [] })
  const comment = fixture.forge.comment(people.reporter, repository, issue.number, 'The zanzibar of months')
  fixture.forge.editIssue(people.reporter, repository, issue.number, { title: 'Months, too' })
  const found = async (): Promise<boolean> =>
    JSON.stringify(await ask('/queries', { mode: 'naive', text: 'zanzibar', top_k: 20 })).includes('zanzibar of')
  await within('the comment', found)
  fixture.forge.deleteComment(people.reporter, repository, comment.id)
  await within('it is gone', async () => !(await found()))
}, 400_000)

test('one step follows another, and none failed', async () => {
  const memory = (await fixture.runtime.read('memory:default/demo'))?.context as MemoryContext | undefined
  expect(memory).toMatchObject({ trouble: '', failures: 0 })
  expect(fixture.log()).not.toContain(memoryClient.secret)
})
