import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findPeople, makePeople, writePeople } from './people-file.ts'

it('keeps what people prove themselves by for its owner alone, other at each start', () => {
  const dir = mkdtempSync(join(tmpdir(), 'people-'))
  expect(findPeople(dir)).toBeUndefined()
  const made = makePeople(['maria', 'rita'])
  writePeople(dir, made)
  expect(findPeople(dir)).toEqual(made)
  expect(statSync(join(dir, 'people.json')).mode & 0o777).toBe(0o600)
  expect(made['maria']?.key).toMatch(/^[0-9a-f]{40}$/)
  expect(makePeople(['maria'])['maria']).not.toEqual(made['maria'])
})
