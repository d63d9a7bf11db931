import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { askedVariables, unlisted } from '../../wrapper/testing/asked-variables.ts'
import { readMemorySettings, readRebuildSettings } from './settings.ts'

const page = readFileSync(new URL('../../docs/memory.md', import.meta.url), 'utf8')

const needed = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_AUDIENCE: 'urn:memory' }

describe('the settings of the memory service', () => {
  test('stand on their page, each by the name of its variable', () => {
    const asked = askedVariables(readMemorySettings)
    expect(asked.length).toBeGreaterThan(15)
    expect(unlisted(asked, page)).toEqual([])
  })

  test('need the identity provider; the rest has defaults (KNOWLEDGE-1, MEMORY-HEALTH-3, MEMORY-AUTH-11, MEMORY-LIMITS-4, HTTP-RULE-3)', () => {
    expect(readMemorySettings(needed)).toEqual({
      stateDir: join(process.cwd(), '.statewright/memory'),
      databaseUrl: '',
      databaseAnswerMs: 15_000,
      http: { host: '127.0.0.1', port: 8081 },
      basePath: '',
      openDocuments: false,
      oidc: {
        issuer: 'http://127.0.0.1:1',
        audience: 'urn:memory',
        algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
        types: ['at+jwt'],
      },
      engine: { url: '', apiKey: '' },
      embeddings: { url: '', model: '', apiKey: '' },
      graph: { url: '', space: '' },
      checks: ['store', 'engine', 'graph'],
      itemTimeoutMs: 60_000,
      poolSize: 4,
      logLevel: 'info',
    })
  })

  test('take what is given (KNOWLEDGE-2, KNOWLEDGE-3, MEMORY-LIMITS-4, MEMORY-AUTH-21)', () => {
    const given = {
      ...needed,
      BASE_PATH: '/api/v1/memory/',
      OPEN_DOCUMENTS: 'true',
      OIDC_ALGORITHMS: 'ES512, RS256',
      OIDC_TOKEN_TYPES: 'at+jwt, JWT',
      READINESS_CHECKS: 'store',
      INGEST_ITEM_TIMEOUT: '90',
      WORKER_POOL_SIZE: '8',
      GRAPH_URL: 'bolt://neo4j:secret@graph:7687',
      ENGINE_URL: 'http://lightrag:9621',
    }
    expect(readMemorySettings(given)).toMatchObject({
      basePath: '/api/v1/memory',
      openDocuments: true,
      oidc: { algorithms: ['ES512', 'RS256'], types: ['at+jwt', 'JWT'] },
      checks: ['store'],
      itemTimeoutMs: 90_000,
      poolSize: 8,
      graph: { url: 'bolt://neo4j:secret@graph:7687' },
      engine: { url: 'http://lightrag:9621' },
    })
  })

  test('that are wrong are all told at once, and no secret with them (MEMORY-SETTINGS-1, ENGINE-3)', () => {
    const wrong = {
      OIDC_ALGORITHMS: 'HS256,none',
      OIDC_TOKEN_TYPES: 'at jwt',
      READINESS_CHECKS: 'luck',
      WORKER_POOL_SIZE: '0',
      BASE_PATH: 'api',
      GRAPH_URL: 'http://neo4j:secret@graph',
      EMBEDDINGS_URL: 'http://embeddings',
      OPEN_DOCUMENTS: 'yes',
    }
    let message = ''
    try {
      readMemorySettings(wrong)
    } catch (error) {
      message = String(error)
    }
    for (const name of [...Object.keys(wrong), 'OIDC_ISSUER', 'OIDC_AUDIENCE', 'EMBEDDINGS_MODEL'].filter(
      (one) => one !== 'EMBEDDINGS_URL',
    ))
      expect(message).toContain(`- ${name}`)
    expect(message).toContain('- OIDC_ALGORITHMS: HS256 is not a known value')
    expect(message).toContain('- OIDC_ALGORITHMS: none is not a known value')
    expect(message).not.toContain('secret')
  })

  test('of a rebuild need no identity provider', () => {
    expect(readRebuildSettings({ STATE_DIR: '/srv/memory' }).stateDir).toBe('/srv/memory')
  })
})
