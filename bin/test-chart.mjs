#!/usr/bin/env node
// `npm run test:chart`: what deploy/ ships, by the real Helm, a real control plane of the loopback and other people's judges. Ends
// with `N passed, N failed, N skipped`.
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:chart [-- FILE...]

Tests what deploy/ ships, each part by a program that nobody here wrote:

  chart              Helm renders and installs it, a real Kubernetes API server judges and takes it
  network policies   Cyclonus works out who reaches whom
  foreign kinds      the same server judges them by the definitions that the Gateway API and the Prometheus operator publish
  alerts             promtool tests them; Grafana's own types judge the dashboards
  Compose            Compose's loader reads the file, and its orchestrator starts on PostgreSQL
  workflows          actionlint judges GitHub's, and check-jsonschema GitLab's
  gitops-example     Helm renders its values

The command starts the server on the loopback. The first run builds most of these from Go modules: about 10 minutes of two idle
cores. Prometheus comes from Debian, and check-jsonschema from PyPI; without PyPI its test is skipped.

  FILE...   run only test files whose path contains FILE

Environment:
  KUBERNETES_UNDER_TEST   the folder of a control plane that .ci/kube.sh started without definitions: use this one

Needs Go 1.26 or later and apt for the first run, PostgreSQL, openssl and curl.`

/** It asks no program of other people, so it runs with `npm run test:system`. */
const exclude = ['deploy/images/trees.system.test.ts']

async function main(parameters) {
  if (root.startsWith('/tmp/')) {
    console.error(`The pods of these tests run programs of ${root}, and a volume of their own covers /tmp.`)
    console.error('Clone the repository into another folder, and run this there.')
    return 1
  }
  process.env['HELM_UNDER_TEST'] = await ciScript('helm.sh', ['build'])
  console.log(`helm: ${process.env['HELM_UNDER_TEST']}`)
  const given = process.env['KUBERNETES_UNDER_TEST']
  const folder = given ?? (await start())
  process.env['STATEWRIGHT_REQUIRE'] ??= 'chart'
  process.env['KUBERNETES_UNDER_TEST'] = folder
  // Not below /tmp, which a pod's own volume covers.
  const made = await mkdtemp('/var/tmp/test-chart-')
  try {
    // Two of the files run these. One that runs alone writes its own.
    if (parameters.length === 0) process.env['TREES_UNDER_TEST'] = await writeTrees(made)
    const files = parameters.length > 0 ? parameters : globSync('deploy/**/*.system.test.ts', { cwd: root, exclude })
    return await run(process.execPath, [join(root, 'bin', 'test.mjs'), ...files])
  } finally {
    await rm(made, { recursive: true, force: true })
    if (given === undefined) await ciScript('kube.sh', ['stop', folder])
  }
}

/** @returns the folder of all images' trees. */
async function writeTrees(dir) {
  await chmod(dir, 0o755)
  const trees = join(dir, 'trees')
  const code = await run(process.execPath, [join(root, 'bin', 'image-tree.mjs'), 'all', trees])
  if (code !== 0) throw new Error(`bin/image-tree.mjs ended with ${code}`)
  return trees
}

/** Without definitions: the chart brings them. */
async function start() {
  console.log(`control plane: ${await ciScript('kube.sh', ['build'])}`)
  const folder = await mkdtemp(join(tmpdir(), 'test-chart-'))
  await ciScript('kube.sh', ['start', folder])
  return folder
}

await onNode24(import.meta.url, main, usage)
