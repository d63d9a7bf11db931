import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openAuditLog, type AuditEntry } from './audit.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'forge-audit-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const entry = (number: number): AuditEntry => ({
  at: 'now',
  actor: 'ann',
  action: 'issue.open',
  repository: 'a/b',
  number,
})

test('a log that is opened again holds what it held', () => {
  const file = join(dir, 'audit.jsonl')
  openAuditLog(file).append(entry(1))
  const log = openAuditLog(file)
  log.append(entry(2))
  expect(log.entries()).toEqual([entry(1), entry(2)])
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
})

test('a last line that was cut short is taken back, a bad one within is named', () => {
  const file = join(dir, 'audit.jsonl')
  openAuditLog(file).append(entry(1))
  appendFileSync(file, '{"at":"now","detail":{"label":"ü"}')
  openAuditLog(file).append(entry(2))
  expect(openAuditLog(file).entries()).toEqual([entry(1), entry(2)])
  appendFileSync(file, 'noise\n')
  expect(() => openAuditLog(file)).toThrow(/line 3 is not JSON/)
})
