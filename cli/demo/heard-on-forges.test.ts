/** What the demo finds in the audit log of a forge, and what the real edge makes of the same words. */
import { expect, test } from 'vitest'
import { withForgeEdge, type EdgeFixture } from '../../edges/forge/testing/fixture.ts'
import type { ProjectSettings } from '../../edges/forge/projects.ts'
import { people } from '../../standins/people.ts'
import { unheard, type JournalRow } from './heard.ts'
import { saidByMaintainers } from './said.ts'

const labels = [{ name: 'platform', color: '5319e7' }]
const permissions = { maintainer: 'admin', bot: 'admin' } as const

const forges = {
  github: { fullName: 'acme/library', repository: { labels, permissions }, scm: () => ({}) },
  gitlab: {
    fullName: 'acme/tools/library',
    repository: { dialect: 'gitlab', owner: 'acme/tools', labels, permissions },
    scm: (webURL: string | undefined) => ({ provider: 'forge_b', owner: 'acme/tools', apiURL: `${webURL}/api/v4` }),
  },
} as const

async function withWords(dialect: keyof typeof forges, use: (fixture: EdgeFixture) => void): Promise<void> {
  const { fullName, repository, scm } = forges[dialect]
  const project = (one: ProjectSettings): ProjectSettings => ({
    ...one,
    scm: { ...one.scm, maintainerLogins: [people.maintainer], ...scm(one.scm.webURL) },
    repositories: [{ name: 'library', url: `${one.scm.webURL}/${fullName}.git`, defaultBranch: 'main' }],
  })
  await withForgeEdge({ repository, project }, async (fixture) => {
    const { forge } = fixture
    forge.createUser({ login: people.maintainer, token: 'token-of-maria' })
    await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const { number } = forge.openIssue('maintainer', fullName, { title: 'T', body: 'B', labels: ['platform'] })
    await fixture.push(await fixture.clone('bot'), 'feature', { 'a.js': '1\n' })
    const pull = { title: 'A', body: '', head: 'feature', base: 'main' }
    const opened = await forge.openPull('bot', fullName, pull)
    await fixture.quiet()
    const review = forge.review
    forge.comment(people.maintainer, fullName, number, 'On the issue.', 'issue')
    forge.comment(people.maintainer, fullName, opened.number, 'On the merge request.', 'pull')
    await review(people.maintainer, fullName, opened.number, { event: 'COMMENT', body: 'In a review.' })
    const line = { path: 'a.js', line: 1, body: 'On a line.' }
    await review(people.maintainer, fullName, opened.number, { event: 'COMMENT', comments: [line] })
    await review(people.maintainer, fullName, opened.number, { event: 'REQUEST_CHANGES', body: 'With changes.' })
    await fixture.quiet()
    use(fixture)
  })
}

const words = ['On the issue.', 'On the merge request.', 'In a review.', 'On a line.', 'With changes.']

test.each(['github', 'gitlab'] as const)(
  'on %s each word of a maintainer is found once, and so is its loss',
  async (dialect) => {
    await withWords(dialect, ({ forge, delivered }) => {
      const audit = forge.audit()
      const said = saidByMaintainers(audit).map(({ text }) => text)
      expect(said.filter((text) => text !== '').toSorted()).toEqual(words.toSorted())
      const rows = delivered.map(({ key, event }, seq): JournalRow => ({ seq, at: seq, key, event, effects: [] }))
      const faults = (subjects: readonly JournalRow[]): readonly string[] =>
        unheard(audit, { subjects, task: [], turns: [] })
      expect(faults(rows)).toEqual([])
      for (const text of words)
        expect(faults(rows.filter(({ event }) => !String(event['text']).includes(text)))).toEqual([
          expect.stringMatching(new RegExp(`^a word was lost: #\\d ${text}$`)),
        ])
    })
  },
)
