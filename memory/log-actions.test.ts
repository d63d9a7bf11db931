import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = new URL('.', import.meta.url).pathname
const page = readFileSync(new URL('../docs/memory.md', import.meta.url), 'utf8')

test('docs/memory.md lists exactly the actions that the service logs (MEMORY-LOG-11)', () => {
  const sources = globSync('**/*.ts', { cwd: folder }).filter((path) => !/\.test\.ts$|testing/.test(path))
  const logged = sources.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/\baction: '([^']+)'/g)].map(([, action]) => action!),
  )
  expect(logged).toContain('memory.create')
  const table = page.slice(page.indexOf('| action |'), page.indexOf('## Metrics'))
  const listed = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, action]) => action!)
  expect(listed.toSorted()).toEqual([...new Set(logged)].toSorted())
})

test('the page names the credential of the model and the length of the first ingest (KNOWLEDGE-21)', () => {
  const part = page.slice(page.indexOf('## The first ingest'), page.indexOf('## Who calls'))
  expect(part).toMatch(/credential of its\s+model .* before the first ingest\. Without one it extracts no entities/s)
  expect(part).toMatch(/thousands of files can last\s+hours/)
})
