import { expect, test } from 'vitest'
import { withForge } from '../testing/fixture.ts'
import { namedIssues } from './closing.ts'

test('the keywords of the forge close issues of the same repository, each once', () => {
  expect(namedIssues('Closes #1, fixes: #2 and resolved acme/library#3. Fix #1', 'Acme/Library')).toEqual([1, 2, 3])
})

test('a mere mention, another repository and a longer word close nothing', () => {
  expect(namedIssues('See #1. Closes other/library#2. Discloses #3. Closes#4', 'acme/library')).toEqual([])
})

test('an address and GH-n name issues too', () => {
  const text =
    'Closes https://forge.test/acme/library/issues/4, fixes GH-5, resolves http://a:1/other/library/issues/6.'
  expect(namedIssues(text, 'acme/library')).toEqual([4, 5])
})

test('a repository in nested groups is named by its whole path, and by the address of its issue at GitLab', () => {
  const text = 'Closes a/b/c#7, fixes https://forge.test/a/b/c/-/issues/8, resolves b/c#9'
  expect(namedIssues(text, 'a/b/c')).toEqual([7, 8])
})

test.each([
  ['write', 'closed'],
  ['triage', 'open'],
] as const)(
  'a merge by who has %s rights on another repository leaves the issue that it names there %s',
  async (right, state) => {
    await withForge({ git: 'memory' }, async ({ forge, clone, push }) => {
      await forge.createRepository({ owner: 'acme', name: 'app', permissions: { bot: right } })
      forge.openIssue('acme', 'acme/app', { title: 'Far' })
      await push(await clone('bot'), 'a', { 'a.js': '' })
      const pull = { title: 'A', body: 'Fixes acme/app#1', head: 'a', base: 'main' }
      const { number } = await forge.openPull('bot', 'acme/library', pull)
      await forge.mergePull('bot', 'acme/library', number)
      expect(forge.issue('acme/app', 1).state).toBe(state)
    })
  },
)
