#!/usr/bin/env node
// `npm run test:stack`: the memory stack of a Project on a real control plane, where a stand-in of CloudNativePG and the stand-in
// kubelet run a real PostgreSQL with pgvector. Ends with `N passed, N failed, N skipped`.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:stack [-- FILE...]

Tests the memory stack of a Project on a real Kubernetes control plane, which it starts on the loopback with the definitions of
Statewright and those of the stand-in of CloudNativePG. Pods run the PostgreSQL of this machine. The first run builds the
control plane from Go modules, and pgvector where it is not installed: minutes. Later runs start in seconds.

  FILE...   run only test files whose path contains FILE (default: *.stack.system.test.ts)

Environment:
  STACK_UNDER_TEST   the folder of a control plane that .ci/kube.sh started with both folders of definitions: use this one

Needs PostgreSQL's programs, openssl, curl, and Go 1.26 or later for the first run.`

async function main(parameters) {
  await ciScript('pgvector.sh', [])
  const given = process.env['STACK_UNDER_TEST']
  const folder = given ?? (await start())
  Object.assign(process.env, { STATEWRIGHT_REQUIRE: 'stack', STACK_UNDER_TEST: folder, KUBERNETES_UNDER_TEST: folder })
  try {
    const files = parameters.length > 0 ? parameters : ['.stack.system.test']
    return await run(process.execPath, [join(root, 'bin', 'test.mjs'), ...files])
  } finally {
    if (given === undefined) await ciScript('kube.sh', ['stop', folder])
  }
}

async function start() {
  console.log(`control plane: ${await ciScript('kube.sh', ['build'])}`)
  const folder = await mkdtemp(join(tmpdir(), 'test-stack-'))
  const definitions = [join(root, 'crd', 'generated'), join(root, 'standins', 'cnpg', 'definitions')]
  await ciScript('kube.sh', ['start', folder], { KUBE_CRDS: definitions.join(',') })
  return folder
}

await onNode24(import.meta.url, main, usage)
