#!/usr/bin/env node
// `npm run test:chart`: the chart of deploy/chart, by the real Helm and a real control plane of the loopback. Ends with
// `N passed, N failed, N skipped`.
import { globSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:chart [-- FILE...]

Tests the chart: Helm renders it, a real Kubernetes API server judges and takes it, Cyclonus says who reaches whom by its network
policies, and promtool tests its alerts. The command starts the server on the loopback. The first run builds all but promtool
from Go modules: about 9 minutes of two idle cores.

  FILE...   run only test files whose path contains FILE

Environment:
  KUBERNETES_UNDER_TEST   the folder of a control plane that .ci/kube.sh started without definitions: use this one

Needs Go 1.26 or later for the first run, openssl and curl.`

async function main(parameters) {
  process.env['HELM_UNDER_TEST'] = await ciScript('helm.sh', ['build'])
  console.log(`helm: ${process.env['HELM_UNDER_TEST']}`)
  const given = process.env['KUBERNETES_UNDER_TEST']
  const folder = given ?? (await start())
  process.env['STATEWRIGHT_REQUIRE'] ??= 'chart'
  process.env['KUBERNETES_UNDER_TEST'] = folder
  try {
    const files = parameters.length > 0 ? parameters : globSync('deploy/**/*.integration.test.ts', { cwd: root })
    return await run(process.execPath, [join(root, 'bin', 'test.mjs'), ...files])
  } finally {
    if (given === undefined) await ciScript('kube.sh', ['stop', folder])
  }
}

/** Without definitions: the chart brings them. */
async function start() {
  console.log(`control plane: ${await ciScript('kube.sh', ['build'])}`)
  const folder = await mkdtemp(join(tmpdir(), 'test-chart-'))
  await ciScript('kube.sh', ['start', folder])
  return folder
}

await onNode24(import.meta.url, main, usage)
