/** What is known of one Project and one repository is no answer about another one of the name (MIRROR-7). */
import { expect } from 'vitest'
import type { Delivery } from '../../../../runtime/runtime.ts'
import { createForgeEdge, pushRefusalIn } from '../../forge-edge.ts'
import { createMirror } from '../mirror.ts'
import { mirrorRules } from '../facts/rules.ts'
import { createOpenForge } from '../../transport/open-forge.ts'
import type { ProjectSettings } from '../../projects.ts'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import { silentLogger } from '../../../../runtime/logger.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'
const place = { project: 'default/demo', repository: 'library' } as const

interface Another extends EdgeFixture {
  readonly heard: Delivery[]
}

/** The same store and forge, for a Project that is not the fixture's. */
function another(fixture: EdgeFixture, change: Partial<ProjectSettings>): Another {
  const project = { ...fixture.project, ...change }
  const heard: Delivery[] = []
  const directory: EdgeFixture['directory'] = {
    project: async (name) => (['demo', `${project.namespace}/demo`].includes(name) ? project : undefined),
    applied: async () => ({ project, holder: `${project.namespace}/demo` }),
    byUid: async (uid) => (uid === project.uid ? project : undefined),
    projects: async () => [project],
    secret: async () => fixture.secret,
  }
  const openForge = createOpenForge({ directory, fetch, clock: fixture.clock, sql: fixture.sql })
  const mirror = createMirror({
    ...fixture,
    directory,
    openForge,
    rules: mirrorRules,
    deliver: async (delivery) => {
      heard.push(delivery)
      return { key: delivery.key, applied: true, seq: heard.length }
    },
  })
  const edge = createForgeEdge({
    ...fixture,
    directory,
    openForge,
    mirror,
    random: () => 0.5,
    logger: silentLogger,
    grantHolds: async () => true,
    ciChangesAllowed: async () => false,
    webhookUrl: () => undefined,
    standings: undefined,
  })
  return { ...fixture, project, directory, edge, heard }
}

async function openThings(fixture: EdgeFixture): Promise<{ issue: number }> {
  const { forge, quiet, edge, clock } = fixture
  await enrol(fixture)
  const { number } = forge.openIssue('maintainer', REPO, { title: 'Secret plan', body: 'inner', labels: ['platform'] })
  forge.comment('maintainer', REPO, number, '/hold')
  await quiet()
  const push = { ...place, task: 'default/a', pod: 'default/a/1', ref: 'refs/heads/x', before: '0', after: '1' }
  await edge.auditPush({ ...push, outcome: 'refused', reason: 'a secret reason', at: clock.now() })
  return { issue: number }
}

/** Its hook is at the forge. */
async function enrol({ edge, context }: EdgeFixture): Promise<void> {
  await edge.handlers.checkProject.perform({ project: 'default/demo' }, context('check'))
}

/** Everything that the edge says of one Project without asking the forge. */
async function allAnswers(
  { edge, ...fixture }: EdgeFixture,
  project: string,
  issue: number,
): Promise<readonly unknown[]> {
  const { mirror } = edge
  const thread = { kind: 'issue', repository: 'library', number: issue } as const
  return Promise.all([
    mirror.issue(project, 'library', issue),
    mirror.comments(project, 'library', 'issue', issue),
    mirror.issues(project),
    mirror.issues(project, { repository: 'library' }),
    mirror.mergeRequests(project),
    mirror.withheld(project, [thread]),
    pushRefusalIn(fixture)(project, 'library', 'default/a'),
    mirror.repositoryKeys(project),
    mirror.resyncTrouble(project, 0),
  ])
}

const nothing = [undefined, [], [], [], [], [], undefined, [], []]

const it = testInside(withForgeEdge, {})

it('MIRROR-7: what a Project knew is no answer for another Project of its name, be it applied anew or in another namespace', async (fixture) => {
  const { issue } = await openThings(fixture)
  expect(await allAnswers(fixture, 'default/demo', issue)).not.toEqual(nothing)
  for (const [project, change] of [
    ['default/demo', { uid: 'another' }],
    ['team/demo', { uid: 'a third', namespace: 'team' }],
  ] as const)
    expect([project, await allAnswers(another(fixture, change), project, issue)]).toEqual([project, nothing])
  // The wall is the uid alone.
  expect(await allAnswers(another(fixture, {}), 'default/demo', issue)).not.toEqual(nothing)
})

it('MIRROR-7: a Repository with another url is another repository: it is read from its beginning, and the old one is no answer', async (fixture) => {
  const { issue } = await openThings(fixture)
  await fixture.edge.mirror.resync('demo')
  await fixture.forge.createRepository({
    owner: 'acme',
    name: 'moved',
    permissions: { bot: 'admin', maintainer: 'admin' },
  })
  const old = fixture.forge.openIssue('maintainer', 'acme/moved', { title: 'Old', body: '', labels: ['platform'] })
  fixture.clock.advance(3_600_000)
  const url = fixture.forge.gitUrl('acme', 'moved')
  const moved = another(fixture, { repositories: [{ name: 'library', url, defaultBranch: 'main' }] })
  expect(await allAnswers(moved, 'default/demo', issue)).toEqual(nothing)
  await moved.edge.mirror.resync('demo')
  expect((await moved.edge.mirror.issues('demo')).map((one) => [one.number, one.issue.title])).toEqual([
    [old.number, 'Old'],
  ])
  expect(moved.heard.map(({ event }) => event.type)).toContain('issue.observed')
  // Back at its old address it is the old one, with all that was known.
  expect(await fixture.edge.mirror.issue('demo', 'library', issue)).toMatchObject({ issue: { title: 'Secret plan' } })
})

it('MIRROR-7: a repository that was made anew at the old address is another one from the next check on', async (fixture) => {
  const { issue } = await openThings(fixture)
  const { forgeId } = await fixture.edge.mirror.repositoryKey('demo', 'library')
  await fixture.edge.mirror.identify('demo', 'library', `${forgeId}0`)
  expect((await allAnswers(fixture, 'default/demo', issue)).slice(0, 7)).toEqual(nothing.slice(0, 7))
  await fixture.edge.mirror.identify('demo', 'library', forgeId)
  expect(await fixture.edge.mirror.issue('demo', 'library', issue)).toBeDefined()
})

it('MIRROR-7: the check of a Project learns the forge’s own id of each Repository', async (fixture) => {
  expect(await fixture.edge.mirror.repositoryKeys('demo')).toEqual([])
  await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
  const { id } = await (await createOpenForge({ ...fixture, fetch })('default/demo')).repository(REPO)
  expect(await fixture.edge.mirror.repositoryKeys('demo')).toEqual([
    { project: 'uid-of-demo', repository: 'library', forgeId: id },
  ])
})

it('MIRROR-7: a delivery for a Project that is gone tells nothing to the next one of its name', async (fixture) => {
  await enrol(fixture)
  await fixture.edge.stop()
  fixture.forge.openIssue('maintainer', REPO, { title: 'Secret plan', body: 'inner', labels: ['platform'] })
  await fixture.forge.idle()
  const next = another(fixture, { uid: 'another' })
  next.edge.start()
  await next.edge.inbox.settled()
  const { rows } = await fixture.sql.query('select state, last_error as error from forge_delivery')
  await next.edge.stop()
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toEqual({ state: 'dead', error: expect.stringContaining('uid-of-demo') })
  expect(next.heard).toEqual([])
  expect(await next.edge.mirror.issues('demo')).toEqual([])
})
