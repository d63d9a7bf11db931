import { expect, test } from 'vitest'
import { refusalFor } from './refusal.ts'

test('a refusal names path, reason and what to do, in one line whatever the paths are', () => {
  const paths = [
    { path: 'CLAUDE.md', reason: 'every later agent obeys it' },
    { path: 'AGENTS.md', reason: 'every later agent obeys it' },
    ...Array.from({ length: 5 }, (_, n) => ({ path: `.npmrc/\n${n}\u202e`, reason: 'r' })),
  ]
  const words = refusalFor({ kind: 'protected', paths }, 'main') ?? ''
  expect(words).toContain('CLAUDE.md, AGENTS.md (every later agent obeys it)')
  expect(words).toContain('and 2 more')
  expect(words.slice(0, 200)).toContain('/allow-ci-changes')
  expect(words).not.toMatch(/[\n\u202e]/)
})

test.each([
  { kind: 'behind', tree: '', paths: [{ path: '.github/a.yml', reason: 'r' }] },
  { kind: 'conflict', reason: 'it conflicts with the base', paths: ['.github/a.yml'] },
] as const)('what a merge of the base mends ($kind) names the command and asks for no word', (judgement) => {
  const words = refusalFor(judgement, 'release/1') ?? ''
  expect(words).toMatch(/^merge release\/1 first \(git merge origin\/release\/1\)/)
  expect(words).toContain('.github/a.yml')
  expect(words).not.toContain('/allow-ci-changes')
})

test('what cannot be judged is refused until a maintainer has looked, and what is clean is not', () => {
  expect(refusalFor({ kind: 'unreadable', reason: 'its links lead too far' }, 'main')).toMatch(/too far.*\/allow-ci/)
  expect(refusalFor({ kind: 'clean', tree: '' }, 'main')).toBeUndefined()
})
