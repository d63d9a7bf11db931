import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

test('a row that no test of the report cites is unseen at once: without a file vitest would run every test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rows-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const report = join(folder, 'report.json')
  writeFileSync(report, JSON.stringify({ testResults: [] }))
  const program = join(import.meta.dirname, 'main.ts')
  const { status, stdout } = spawnSync(process.execPath, [program, '--report', report, '--only', 'HTTP-8'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stdout).toContain('HTTP-8: UNSEEN, no test of the report cites it')
  expect(status).toBe(1)
})
