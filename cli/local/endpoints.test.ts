import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { findEndpoints, isRunning, requireEndpoints, writeEndpoints } from './endpoints.ts'

const endpoints = {
  pid: 1,
  orchestrator: 'http://127.0.0.1:8080',
  internal: '',
  inspector: '',
  forge: '',
  forgeApi: '',
  identity: '',
  model: '',
  tokenUrl: '',
  clientId: 'cli',
  clientSecret: 'cli-secret',
  audience: 'urn:operator',
}

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'statewright-endpoints-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
})

test('what was written is found, and only its owner reads it: it holds the key of the command line (LISTENERS-8)', () => {
  writeEndpoints(dir, endpoints)
  expect(requireEndpoints(dir)).toEqual(endpoints)
  expect(statSync(join(dir, 'endpoints.json')).mode & 0o777).toBe(0o600)
})

test('where nothing was started, or another release was, nothing is found', () => {
  expect(findEndpoints(dir)).toBeUndefined()
  writeFileSync(join(dir, 'endpoints.json'), '{"pid": 1}')
  expect(findEndpoints(dir)).toBeUndefined()
  expect(() => requireEndpoints(dir)).toThrow(`start it with statewright up --dir ${dir}`)
})

test('a process that is gone runs nothing', () => {
  expect(isRunning({ pid: process.pid })).toBe(true)
  expect(isRunning({ pid: 2 ** 30 })).toBe(false)
})
