import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a variable that is there and empty counts as absent, the level of the log too', () => {
  const program = join(import.meta.dirname, 'testing', 'run-wrapper.ts')
  const env = { PATH: process.env['PATH'], LOG_LEVEL: '', OTEL_EXPORTER_OTLP_ENDPOINT: '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' })
  expect([status, /OIDC_ISSUER is required/.test(stdout + stderr)]).toEqual([1, true])
})
