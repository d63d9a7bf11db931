import { describe, expect, test } from 'vitest'
import { readArgs } from './args.ts'
import { flagOf, settingFlags, variableOf, withFlags } from './settings-flags.ts'
import { settingSchemas } from '../orchestrator/settings/settings-schema.ts'

function environment(args: readonly string[], env: Record<string, string> = {}) {
  return withFlags(env, readArgs(args, settingFlags, 'usage')!)
}

describe('a flag of the orchestrator', () => {
  test.each(settingSchemas.filter(([, { reads }]) => reads !== 'library'))(
    'sets %s, or the file of a secret (ORCHESTRATOR-SETTINGS-1)',
    (name, schema) => {
      const variable = variableOf(name, schema)
      expect(variable === name).toBe(schema.reads !== 'secret')
      expect(environment([`--${flagOf(variable)}`, 'x'])).toEqual({ [variable]: 'x' })
    },
  )

  test('goes before the variable, and what has none stays as it is (ORCHESTRATOR-SETTINGS-1)', () => {
    const env = { CRON_TIME_ZONE: 'UTC', LOG_LEVEL: 'debug' }
    expect(environment(['--cron-time-zone', 'Europe/Berlin'], env)).toEqual({ ...env, CRON_TIME_ZONE: 'Europe/Berlin' })
  })

  test('sets nothing that a library reads from the process by itself (ORCHESTRATOR-SETTINGS-1)', () => {
    expect(() => environment(['--otel-exporter-otlp-headers', 'x'])).toThrow('--otel-exporter-otlp-headers')
  })

  test('takes no secret itself (ORCHESTRATOR-SETTINGS-1)', () => {
    expect(() => environment(['--oidc-client-secret', 'x'])).toThrow('--oidc-client-secret')
  })
})
