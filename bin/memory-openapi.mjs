#!/usr/bin/env node
// The release workflows': writes the OpenAPI document of the memory service, which each release has as an asset.
import { writeFile } from 'node:fs/promises'
import { onNode24 } from './on-node-24.mjs'

const usage = `usage: node bin/memory-openapi.mjs FILE

Writes the OpenAPI document that the memory service of this version serves at /openapi.json to FILE.
It starts no server and needs no store.

Example: node bin/memory-openapi.mjs memory.openapi.json`

async function main([file, ...more]) {
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    console.error(usage)
    return 2
  }
  await writeFile(file, `${JSON.stringify(await memoryDocument(), undefined, 2)}\n`)
  return 0
}

async function memoryDocument() {
  // Loaded here: an older Node reads this file too.
  const { Registry } = await import('prom-client')
  const { createLogger } = await import('../http/operational/logging.ts')
  const { createMemoryServer } = await import('../memory/server.ts')
  const { systemClock } = await import('../runtime/clock.ts')
  const { version } = await import('../cli/program.ts')
  // Declaring a route asks none of these; only a request would.
  const asked = new Proxy({}, { get: () => undefined })
  const deps = { sql: asked, engine: asked, graph: asked, runtime: asked, feed: asked, ingest: asked }
  const server = await createMemoryServer(
    { ...deps, clock: systemClock, ids: { next: () => '' }, metrics: new Registry(), logAction: () => undefined },
    {
      version: version(),
      logger: createLogger({ name: 'memory', level: 'silent' }),
      authenticate: () => Promise.reject(new Error('nobody asks')),
      readiness: () => Promise.reject(new Error('nobody asks')),
    },
  )
  await server.app.ready()
  const document = server.app.swagger()
  await server.close()
  return document
}

await onNode24(import.meta.url, main, usage)
