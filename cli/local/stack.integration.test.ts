import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findByVariable } from '../../edges/local/processes.ts'
import { defaultScenarioFile, loadScenario } from '../../standins/scenarios/load.ts'
import { startStack } from './stack.ts'

test('of a start that fails after its programs run, nothing is left running', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'stack-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  // What cannot be written, as on a disk that filled up meanwhile.
  mkdirSync(join(dir, 'endpoints.json.new'))
  const started = startStack({
    dir,
    scenario: await loadScenario(defaultScenarioFile),
    port: 0,
    model: { provider: 'scripted' },
    unsafeNoIsolation: false,
    onLine: () => undefined,
  })
  await expect(started).rejects.toThrow('EISDIR')
  expect(readFileSync(join(dir, 'orchestrator.log'), 'utf8')).toContain('"msg":"ready"')
  expect(findByVariable('STATE_DIR', join(dir, 'state'))).toBeUndefined()
}, 120_000)
