import { expect, test } from 'vitest'
import { checkMachine } from '../../doctor/machine.ts'
import { doctor } from './doctor.ts'
import { said } from '../testing/fixture.ts'

test('--print prints what the probe would make, all of it owned by its Job, and asks nothing', async () => {
  const options = ['--cluster', '--image', 'wrapper:v1', '--namespace', 'team', '--storage-class', 'shared']
  const { out } = await said(() => doctor([...options, '--print', '--json', '--kubeconfig', '/no/such/file']))
  const { items } = JSON.parse(out) as {
    readonly items: readonly { readonly kind: string; readonly metadata: object }[]
  }
  const kinds = items.map(({ kind }) => kind)
  expect(kinds).toEqual([
    'Job',
    'Secret',
    'PersistentVolumeClaim',
    'Pod',
    'NetworkPolicy',
    'NetworkPolicy',
    'Pod',
    'Pod',
  ])
  for (const { kind, metadata } of items)
    expect(metadata, kind).toMatchObject({
      namespace: 'team',
      labels: { 'platform.dev/doctor': expect.stringMatching(/^statewright-doctor-/) },
      ...(kind === 'Job' ? {} : { ownerReferences: [{ kind: 'Job' }] }),
    })
  const claim = {
    accessModes: ['ReadWriteMany'],
    storageClassName: 'shared',
    resources: { requests: { storage: '10Gi' } },
  }
  expect(items[2]).toMatchObject({ spec: claim })
  const { out: yaml } = await said(() => doctor([...options, '--print']))
  expect(yaml.split('\n---\n')).toHaveLength(8)
})

test('a cluster needs an image, and an image a cluster', async () => {
  for (const args of [['--cluster'], ['--image', 'a'], ['--cluster', '--image', 'a', 'more']])
    await expect(doctor(args)).rejects.toThrow(/^usage: statewright doctor/)
})

test('a machine without git is named', () => {
  const checks = checkMachine('/no/such/folder')
  expect(checks.find(({ id }) => id === 'git')).toMatchObject({ status: 'failed', next: 'install git' })
  expect(checkMachine(process.env['PATH'] ?? '').find(({ id }) => id === 'git')).toMatchObject({ status: 'ok' })
})
