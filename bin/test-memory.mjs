#!/usr/bin/env node
// `npm run test:memory`: every test of the memory service, the contract suites of its parts on real servers besides the
// embedded ones, deaths in the midst of an ingest, and schemathesis over the running server. It starts what it needs on
// the loopback (PostgreSQL with pgvector, Neo4j, LightRAG), says what, and fails where one can't be had;
// `--only postgres,neo4j,lightrag,schemathesis` takes fewer. MEMORY_KILLS and SCHEMATHESIS_EXAMPLES make it shorter or longer.
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:memory [-- --only NAME,...] [FILE...]

Tests the knowledge service on real servers, and kills it during ingests. It starts PostgreSQL with pgvector, Neo4j and
LightRAG on the loopback, and then fuzzes the running service with schemathesis. It fails when one of them cannot start.

  --only NAME,...   only these: postgres, neo4j, lightrag, schemathesis (default: all)
  FILE...           only test files whose path contains FILE (default: every test of the service)

Environment:
  DATABASE_URL, NEO4J_URL    use this server instead of starting one
  LIGHTRAG_VERSIONS          test these versions (default 1.5.7,1.4.9.11)
  MEMORY_KILLS               kill the service N times (default 9: at each tenth)
  SCHEMATHESIS_EXAMPLES      send N examples to each operation

Example: npm run test:memory -- --only postgres`

const all = ['postgres', 'neo4j', 'lightrag', 'schemathesis']
/** Parts of paths. `memory` alone would take the runtime's tests on a store in memory too. */
const ofTheService = ['memory/', 'deploy/memory', 'cli/local/memory', 'cli/commands/knowledge/ingest', 'http/auth']
const lightragVersions = '1.5.7,1.4.9.11'
const ci = (name) => join(root, '.ci', name)

async function main(parameters) {
  const { wanted, rest } = choose(parameters)
  const folder = await mkdtemp(join(tmpdir(), 'test-memory-'))
  // PostgreSQL runs as another user than root, and has to get through to its own folder.
  await chmod(folder, 0o711)
  const stops = []
  try {
    const servers = wanted.filter((name) => name !== 'schemathesis')
    for (const name of servers) await starts[name](folder, stops)
    process.env['STATEWRIGHT_REQUIRE'] = servers.join(',')
    process.env['MEMORY_KILLS'] ??= '9'
    const tests = rest.length > 0 ? rest : ofTheService
    const tested = await run(process.execPath, [join(root, 'bin', 'test.mjs'), '--no-file-parallelism', ...tests])
    const fuzzed = wanted.includes('schemathesis')
      ? await run(process.execPath, [join(root, 'cli', 'memory', 'testing', 'fuzz.ts')])
      : 0
    return tested === 0 && fuzzed === 0 ? 0 : 1
  } finally {
    for (const stop of stops.toReversed()) await stop().catch((error) => console.error(error.message))
    await rm(folder, { recursive: true, force: true })
  }
}

function choose(parameters) {
  const at = parameters.indexOf('--only')
  if (at === -1) return { wanted: all, rest: parameters }
  const wanted = (parameters[at + 1] ?? '').split(',')
  const unknown = wanted.filter((name) => !all.includes(name))
  if (unknown.length > 0) throw new Error(`--only takes ${all.join(', ')}, not ${unknown.join(', ')}`)
  return { wanted, rest: parameters.toSpliced(at, 2) }
}

const starts = {
  async postgres(folder, stops) {
    if (process.env['DATABASE_URL']) return console.log('PostgreSQL: the one that DATABASE_URL names')
    await command(ci('pgvector.sh'), [])
    process.env['DATABASE_URL'] = await server('postgres.sh', join(folder, 'postgres'), stops)
    console.log(`PostgreSQL: ${process.env['DATABASE_URL']}`)
  },
  async neo4j(folder, stops) {
    if (process.env['NEO4J_URL']) return console.log('Neo4j: the one that NEO4J_URL names')
    process.env['NEO4J_URL'] = await server('neo4j.sh', join(folder, 'neo4j'), stops)
    console.log('Neo4j: started')
  },
  // Its tests start it themselves, since they kill it too; here it is only made sure that they can.
  async lightrag() {
    process.env['LIGHTRAG_VERSIONS'] ??= lightragVersions
    for (const version of process.env['LIGHTRAG_VERSIONS'].split(','))
      await command(ci('lightrag.sh'), [version, 'install'])
    console.log(`LightRAG: ${process.env['LIGHTRAG_VERSIONS']}, started by its tests`)
  },
}

async function server(script, folder, stops) {
  stops.push(() => command(ci(script), ['stop', folder]))
  const { stdout } = await command(ci(script), ['start', folder])
  return stdout.trim().split('\n').at(-1)
}

function command(file, parameters) {
  return promisify(execFile)('bash', [file, ...parameters], { maxBuffer: 64 * 1024 * 1024 })
}

await onNode24(import.meta.url, main, usage)
