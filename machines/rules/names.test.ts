import { expect, test } from 'vitest'
import { maxTaskName, shortHash, taskName } from './names.ts'

test('the hash of a text is five base32 characters and the same every time', () => {
  expect(shortHash('default/lib-1#2')).toMatch(/^[0-9a-hjkmnp-tv-z]{5}$/)
  expect(shortHash('default/lib-1#2')).toBe(shortHash('default/lib-1#2'))
})

test('ten thousand neighbouring texts give hardly any equal hash', () => {
  const hashes = new Set(Array.from({ length: 10_000 }, (_, index) => shortHash(`default/lib-${index}`)))
  // 32^5 names: the birthday bound expects 1.5 pairs among ten thousand.
  expect(hashes.size).toBeGreaterThan(9_985)
})

test('a Task is named after its kind, repository and number (RESOURCES-18)', () => {
  expect(taskName('implement', 'lib', 12, 'a')).toMatch(/^implement-lib-12-.{5}$/)
  expect(taskName('implement', 'lib', 12, 'a')).not.toBe(taskName('implement', 'lib', 12, 'b'))
})

test('a long or odd repository name still gives a valid name of at most 52 characters (RESOURCES-16)', () => {
  for (const repository of ['x'.repeat(80), 'My.Repo_Name', '---', `${'a'.repeat(26)}-tail`]) {
    const name = taskName('documentation', repository, 123_456, 'seed')
    expect(name.length).toBeLessThanOrEqual(maxTaskName)
    expect(name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
  }
})
