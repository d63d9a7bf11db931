/** No word falls between two readings: what people say in the first moments of a merge request reaches its actor once. */
import { expect } from 'vitest'
import { SUBJECT, openChange } from '../../outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'

function heardOn(fixture: EdgeFixture, number: number): readonly string[] {
  return fixture.delivered
    .filter(({ to, event }) => to.endsWith(`-mr-${number}`) && event.type !== 'mr.observed')
    .map(({ event }) => `${event.type} ${String(event['command'] ?? event['text'])}`)
}

async function withHook(use: (fixture: EdgeFixture) => Promise<void>): Promise<void> {
  await withForgeEdge({}, async (fixture) => {
    await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    await use(fixture)
  })
}

/** As `openMergeRequest` does it once the forge has opened one. */
function refresh(fixture: EdgeFixture, number: number): Promise<unknown> {
  return fixture.edge.mirror.refresh(SUBJECT.project, SUBJECT.repository, 'mr', number)
}

async function redeliverComments(fixture: EdgeFixture): Promise<void> {
  const lost = fixture.forge.deliveries().filter(({ message }) => message.event === 'issue_comment')
  expect(lost).toHaveLength(1)
  for (const { id } of lost) fixture.forge.redeliver(id)
  await fixture.quiet()
}

function drop(fixture: EdgeFixture, event: string, times: number): void {
  fixture.forge.faults.inject({ kind: 'drop', event, times })
}

const it = testInside(withHook)

it('a /cancel that stands there before the first reading reaches the actor, its webhook lost (FORGE-RULES-6)', async (fixture) => {
  drop(fixture, 'pull_request', 100)
  drop(fixture, 'issue_comment', 100)
  const { number } = await openChange(fixture)
  fixture.forge.comment('maintainer', REPO, number, '/cancel')
  await fixture.quiet(refresh(fixture, number))
  expect(heardOn(fixture, number)).toEqual(['mr.command cancel'])
  await refresh(fixture, number)
  expect(heardOn(fixture, number)).toEqual(['mr.command cancel'])
})

it('a review that stands there before the first reading reaches the actor, and once (FORGE-RULES-6)', async (fixture) => {
  drop(fixture, 'pull_request', 100)
  const { number } = await openChange(fixture)
  await fixture.forge.review('maintainer', REPO, number, { event: 'REQUEST_CHANGES', body: 'Not like this.' })
  await fixture.quiet(refresh(fixture, number))
  for (const { id } of fixture.forge.deliveries().slice()) fixture.forge.redeliver(id)
  await fixture.quiet()
  expect(heardOn(fixture, number)).toEqual(['mr.commented Not like this.'])
})

it('what the platform writes itself on its merge request is told to nobody (LAW-4)', async (fixture) => {
  drop(fixture, 'pull_request', 100)
  const { number } = await openChange(fixture)
  fixture.forge.comment('bot', REPO, number, 'I opened this.')
  await fixture.quiet(refresh(fixture, number))
  expect(heardOn(fixture, number)).toEqual([])
})

it('a comment that only a first reading of an issue showed is told once its delivery comes (FORGE-RULES-6)', async (fixture) => {
  drop(fixture, 'issues', 1)
  drop(fixture, 'issue_comment', 1)
  const { number } = fixture.forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'We need it.' })
  fixture.forge.comment('maintainer', REPO, number, '/cancel')
  await fixture.quiet(fixture.forge.addLabel('maintainer', REPO, number, 'platform'))
  const commands = (): unknown[] => fixture.delivered.filter(({ event }) => event.type === 'issue.command')
  expect(commands()).toEqual([])
  await redeliverComments(fixture)
  expect(commands()).toHaveLength(1)
})

it('a comment years older than what the platform knows of its issue commands nothing when it is delivered again (FORGE-RULES-6)', async (fixture) => {
  drop(fixture, 'issues', 1)
  drop(fixture, 'issue_comment', 1)
  const { number } = fixture.forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'We need it.' })
  await fixture.quiet(fixture.forge.comment('maintainer', REPO, number, '/retry'))
  fixture.clock.advance(365 * 24 * 3_600_000)
  await fixture.quiet(fixture.forge.addLabel('maintainer', REPO, number, 'platform'))
  await redeliverComments(fixture)
  expect(fixture.delivered.filter(({ event }) => event.type === 'issue.command')).toEqual([])
})
