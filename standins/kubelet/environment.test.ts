import { describe, expect, test } from 'vitest'
import { ConfigError, environmentOf, expand, fieldOf, type EnvSources } from './environment.ts'
import type { Container, Pod } from './pod.ts'
import { aPod } from './testing/a-pod.ts'

const pod: Pod = aPod({ labels: { app: 'demo', b: 'two' } })
const addresses = { podIP: '127.77.0.1', hostIP: '127.0.0.1' }
const sources: EnvSources = {
  secrets: { keys: { a: 'of the secret', b: 'two' } },
  configMaps: { settings: { a: 'of the map', mode: 'quick' } },
  services: { KUBERNETES_SERVICE_HOST: '10.0.0.1', SERVICE: 'theirs' },
}
const found = (own: Partial<Container>) => environmentOf({ name: 'main', image: 'x', ...own }, pod, addresses, sources)

describe('$(NAME)', () => {
  test.each([
    ['$(A) and $(A)', '1 and 1'],
    ['$(NOBODY)', '$(NOBODY)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$1'],
    ['$A, $(A', '$A, $(A'],
    ['100%$', '100%$'],
  ])('%s becomes %s', (text, wanted) => expect(expand(text, { A: '1' })).toBe(wanted))
})

test('a variable names those before it, and none that comes later', () => {
  const env = [
    { name: 'LATE', value: '$(A)' },
    { name: 'A', value: 'one' },
    { name: 'B', value: '$(A) at $(POD_IP) of $(SERVICE)' },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'URL', value: 'http://$(POD_IP):8080' },
  ]
  expect(found({ env })).toMatchObject({ LATE: '$(A)', B: 'one at $(POD_IP) of theirs', URL: 'http://127.77.0.1:8080' })
})

test('a later source shadows an earlier one, env shadows both, and a service shadows nothing', () => {
  const envFrom = [
    { secretRef: { name: 'keys' } },
    { configMapRef: { name: 'settings' } },
    { prefix: 'P_', secretRef: { name: 'keys' } },
  ]
  const env = [
    { name: 'mode', value: 'slow' },
    { name: 'SERVICE', value: 'ours' },
  ]
  expect(found({ envFrom, env })).toEqual({
    a: 'of the map',
    b: 'two',
    P_a: 'of the secret',
    P_b: 'two',
    mode: 'slow',
    SERVICE: 'ours',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
  })
})

test('what is not there keeps the container from being made, unless it is optional', () => {
  const of = (name: string, key: string, optional?: boolean) => () =>
    found({ env: [{ name: 'X', valueFrom: { secretKeyRef: { name, key, ...(optional && { optional }) } } }] })
  expect(of('absent', 'a')).toThrow(new ConfigError('secret "absent" not found'))
  expect(of('keys', 'c')).toThrow(new ConfigError("couldn't find key c in Secret default/keys"))
  expect(of('keys', 'c', true)()).not.toHaveProperty('X')
  expect(() => found({ envFrom: [{ configMapRef: { name: 'absent' } }] })).toThrow('configmap "absent" not found')
})

test('fields of the pod are read as kubelets print them', () => {
  const of = (path: string): string => fieldOf(path, pod, addresses)
  expect(of("metadata.labels['app']")).toBe('demo')
  expect(of('metadata.labels')).toBe('app="demo"\nb="two"')
  expect([of('metadata.uid'), of('spec.nodeName'), of('status.hostIP')]).toEqual(['uid-1', 'node', '127.0.0.1'])
  expect(() => of('status.phase')).toThrow('unsupported fieldPath')
})
