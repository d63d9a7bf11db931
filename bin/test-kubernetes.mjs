#!/usr/bin/env node
// `npm run test:kubernetes`: what Statewright does on Kubernetes, on a real control plane of the loopback. Ends with
// `N passed, N failed, N skipped`. The tests share one API server, each in namespaces of its own; one that kills it has its own.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:kubernetes [-- FILE...]
       npm run test:kubernetes -- --given

Tests the resources of Statewright on a real Kubernetes control plane (API server, etcd, controller manager), which it starts
on the loopback. The first run builds it from Go modules: about 4 minutes of two idle cores. Later runs start it in seconds.

  FILE...   run only test files whose path contains FILE
  --given   run demos in a cluster that was there before, and compare all else in it: three demos, about five minutes

Environment:
  KUBERNETES_UNDER_TEST   the folder of a control plane that .ci/kube.sh started: use this one

Needs Go 1.26 or later for the first run, openssl and curl.`

/** Files share two processes: each of its own would read the orchestrator and the client anew, two processor seconds a file. */
const shared = ['--isolate=false']

const givenDemos = join('cli', 'demo', 'cluster.kubernetes.system.test.ts')

async function main(parameters) {
  if (parameters.includes('--given')) return runGiven()
  const folder = process.env['KUBERNETES_UNDER_TEST'] ?? (await start())
  process.env['STATEWRIGHT_REQUIRE'] ??= 'kubernetes'
  const isOurs = process.env['KUBERNETES_UNDER_TEST'] === undefined
  process.env['KUBERNETES_UNDER_TEST'] = folder
  try {
    const files = parameters.length > 0 ? parameters : ['kubernetes.system.test']
    return await run(process.execPath, [join(root, 'bin', 'test.mjs'), ...files, ...shared])
  } finally {
    if (isOurs) await ciScript('kube.sh', ['stop', folder])
  }
}

/** They start the cluster themselves, and are alone in it. */
async function runGiven() {
  console.log(`control plane: ${await ciScript('kube.sh', ['build'])}`)
  process.env['STATEWRIGHT_GIVEN'] = '1'
  return run(process.execPath, [join(root, 'bin', 'test.mjs'), givenDemos])
}

async function start() {
  console.log(`control plane: ${await ciScript('kube.sh', ['build'])}`)
  const folder = await mkdtemp(join(tmpdir(), 'test-kubernetes-'))
  const began = Date.now()
  await ciScript('kube.sh', ['start', folder], { KUBE_CRDS: join(root, 'crd', 'generated') })
  console.log(`control plane: ready after ${((Date.now() - began) / 1000).toFixed(1)} s, its logs in ${folder}`)
  return folder
}

await onNode24(import.meta.url, main, usage)
