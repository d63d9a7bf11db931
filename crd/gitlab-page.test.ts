import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { beyondOneMachine } from './one-machine.ts'
import { checkManifest } from './validate.ts'
import { parseAllDocuments } from 'yaml'

test('the resources on the page about GitLab are what apply takes (PROJECT-SCM-1)', () => {
  const page = readFileSync('docs/gitlab.md', 'utf8')
  const text = /```yaml\n(?<documents>.*?)```/s.exec(page)?.groups?.['documents'] ?? ''
  const documents = parseAllDocuments(text).map((document): unknown => document.toJS())
  expect(documents).toHaveLength(3)
  expect(documents.flatMap((one) => checkManifest(one).faults)).toEqual([])
  expect(documents.flatMap((one) => beyondOneMachine(one))).toEqual([])
})
