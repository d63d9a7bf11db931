#!/usr/bin/env node
// `npm run check`: everything about the sources that no behaviour shows. Ends with `N passed, N failed, N skipped`.
import { generators } from './generate.mjs'
import { drift } from './drift.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run check

Checks the sources: types, lint, format, layout rules, generated files and the certificate of the machines.
It takes no options. Exit code 0: every check passed.`

const checks = [
  { name: 'types (tsc)', run: () => run('tsc', ['-p', '.']) },
  { name: 'types of the inspector’s page (tsc)', run: () => run('tsc', ['-p', 'edges/inspector/page']) },
  { name: 'lint (oxlint)', run: () => run('oxlint', ['--deny-warnings']) },
  { name: 'format (oxfmt)', run: () => run('oxfmt', ['--check', '.']) },
  { name: 'architecture', run: () => run('vitest', ['run', '--reporter=dot', 'architecture.test.ts']) },
  { name: `generated files (${generators.length} generators)`, run: generatedFiles },
  { name: 'certificate of the machines', run: certificate },
]

/** It is not written afresh here: that takes the prover (`npm run prove`). A stale one fails in CI alone. */
async function certificate() {
  const { proofOfSources } = await import('../orchestrator/wiring/proof.ts')
  const { allMachines } = await import('../machines/registry.ts')
  try {
    proofOfSources(allMachines, { env: process.env, warn: console.error })
    return 0
  } catch (error) {
    console.error(error.message)
    return 1
  }
}

async function generatedFiles() {
  const found = await drift(root, generators)
  for (const line of found) console.error(line)
  if (found.length > 0) console.error('Run npm run generate and commit what changed.')
  return found.length === 0 ? 0 : 1
}

async function main() {
  const results = []
  for (const { name, run: check } of checks) {
    console.log(`\n== ${name}`)
    const startedAt = performance.now()
    const code = await check()
    results.push({ name, ok: code === 0, seconds: (performance.now() - startedAt) / 1000 })
  }
  console.log('')
  for (const { name, ok, seconds } of results)
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} ${seconds.toFixed(1)} s`)
  const failed = results.filter(({ ok }) => !ok).length
  console.log(`${results.length - failed} passed, ${failed} failed, 0 skipped`)
  return failed === 0 ? 0 : 1
}

await onNode24(import.meta.url, main, usage)
