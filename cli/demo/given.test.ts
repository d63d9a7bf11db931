import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Parsed } from '../args.ts'
import { checkChart, kubernetesOf, memoryStackOf, portOf } from './given.ts'

const parsed = (values: Parsed['values']): Parsed => ({ values, positionals: [] })
const whole = {
  kubernetes: true,
  kubeconfig: '/admin',
  image: 'registry.example/wrapper:v1',
  'operator-url': 'http://10.0.0.5:8080/',
} as const

test('a cluster is one that starts with the demo, a given one, or none', () => {
  expect(kubernetesOf(parsed({}), 'x')).toBeUndefined()
  expect(kubernetesOf(parsed({ kubernetes: true }), 'x')).toBe('own')
  expect(kubernetesOf(parsed({ ...whole, 'storage-class': 'nfs' }), 'ab12')).toEqual({
    kubeconfig: '/admin',
    namespace: 'statewright-demo-ab12',
    image: 'registry.example/wrapper:v1',
    operatorUrl: 'http://10.0.0.5:8080',
    internalUrl: undefined,
    storageClass: 'nfs',
  })
})

test('a kubeconfig of this folder is known by its whole path', () => {
  expect(kubernetesOf(parsed({ ...whole, kubeconfig: 'admin' }), 'x')).toMatchObject({ kubeconfig: resolve('admin') })
})

test('the orchestrator listens on the port of its URL, unless another one is given', () => {
  expect([portOf(parsed(whole)), portOf(parsed({ ...whole, port: '9000' })), portOf(parsed({}))]).toEqual([
    8080, 9000, 0,
  ])
})

const refusals: readonly (readonly [Parsed['values'], string])[] = [
  [{ kubeconfig: '/admin' }, '--kubeconfig needs --kubernetes, --image IMAGE, --operator-url URL'],
  [{ kubernetes: true, kubeconfig: '/admin', image: '' }, '--kubeconfig needs --image IMAGE, --operator-url URL'],
  [
    { ...whole, 'operator-url': 'https://operator.example', image: undefined },
    '--kubeconfig needs --image IMAGE, --port N, as the URL of --operator-url has none',
  ],
  [{ ...whole, 'operator-url': 'operator:8080' }, '--operator-url takes a URL of http or https, not operator:8080'],
  [{ ...whole, 'internal-url': 'here' }, '--internal-url takes a URL of http or https, not here'],
  [
    { kubernetes: true, kubeconfig: '/admin', 'operator-url': 'http://h:1', chaos: '3' },
    '--kubeconfig needs --image IMAGE\n--chaos ends servers and processes of this machine: it is not for a cluster of --kubeconfig',
  ],
  [{ kubernetes: true, image: 'i', 'storage-class': 'nfs' }, '--image, --storage-class: only with --kubeconfig FILE'],
]

test.each(refusals)('%j: one answer names all that is missing or wrong', (values, message) => {
  expect(() => kubernetesOf(parsed(values), 'x')).toThrow(expect.objectContaining({ name: 'UsageError', message }))
})

const outside = { chart: true, kubernetes: true, upgrade: true }
const charts: readonly (readonly [Parsed['values'], string, string])[] = [
  [{ chart: true }, '/srv/demo', '--chart needs --kubernetes'],
  [{ chart: true, ...whole }, '/srv/demo', '--chart installs in a Kubernetes of its own: no --kubeconfig'],
  [{ ...outside, chaos: '3' }, '/srv/demo', '--chaos ends processes of this machine: it is not for --chart'],
  [{ upgrade: true, kubernetes: true }, '/srv/demo', '--upgrade: only with --chart'],
  [outside, '/tmp/demo', '--chart needs --dir outside of /tmp, not /tmp/demo'],
]

test.each(charts)('%j with its state in %s is refused: %s', (values, dir, why) => {
  expect(() => checkChart(parsed(values), dir)).toThrow(why)
  expect(() => checkChart(parsed(outside), '/tmpfiles/demo')).not.toThrow()
})

const stacks: readonly (readonly [Parsed['values'], string])[] = [
  [{ memory: 'light' }, '--memory needs --kubernetes: a demo without it has a memory already'],
  [{ memory: 'full', kubernetes: true }, '--memory takes light, the profile that needs no model of its own, not full'],
  [
    { memory: 'light', ...whole, chart: true, chaos: '3' },
    '--memory runs its stack in a Kubernetes of its own: no --kubeconfig\n--memory is not for --chart\n--memory is not for --chaos',
  ],
]

test.each(stacks)('%j: a memory stack is refused with all that is missing or wrong', (values, message) => {
  expect(() => memoryStackOf(parsed(values))).toThrow(expect.objectContaining({ name: 'UsageError', message }))
  expect([memoryStackOf(parsed({ memory: 'light', kubernetes: true })), memoryStackOf(parsed({}))]).toEqual([
    true,
    false,
  ])
})
