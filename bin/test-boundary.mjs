#!/usr/bin/env node
// `npm run test:boundary`: attacks on the boundary, each with a control that succeeds where the wall is down (--help).
// `--kubernetes` has a control plane of the loopback for the run; with KUBERNETES_UNDER_TEST it uses that one.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const program = join(root, 'property-tests', 'boundary', 'main.ts')

const catalogue = (parameters) => run(process.execPath, [program, ...parameters])

async function main(parameters) {
  const asks = ['--help', '-h', '--list'].some((each) => parameters.includes(each))
  const isThere = process.env['KUBERNETES_UNDER_TEST'] !== undefined
  if (!parameters.includes('--kubernetes') || asks || isThere) return catalogue(parameters)
  if (!(await isBuilt())) {
    console.error(
      '--kubernetes needs an API server, which is not built here. Run this once (Go 1.26 or later, about 4 minutes',
    )
    console.error('of two idle cores), then again what you ran: bash .ci/kube.sh build')
    return 1
  }
  return withControlPlane(() => catalogue(parameters))
}

async function withControlPlane(use) {
  // A signal ends what runs meanwhile, and not this process: the control plane is its to stop.
  let wasInterrupted = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (wasInterrupted = true))
  const folder = await mkdtemp(join(tmpdir(), 'test-boundary-'))
  try {
    await ciScript('kube.sh', ['start', folder], { KUBE_CRDS: join(root, 'crd', 'generated') })
    process.env['KUBERNETES_UNDER_TEST'] = folder
    return wasInterrupted ? 130 : await use()
  } finally {
    await ciScript('kube.sh', ['stop', folder])
  }
}

const isBuilt = () =>
  ciScript('kube.sh', ['find']).then(
    () => true,
    () => false,
  )

await onNode24(import.meta.url, main)
