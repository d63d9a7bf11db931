import { expect, test } from 'vitest'
import { memoriesOf } from '../testing/memories.ts'

const settings = { urls: { 'default/named': 'http://named' }, publicUrls: { 'default/named': 'https://out' } }
const stack = { endpoint: 'http://stack', externalEndpoint: '' }

test('a service that MEMORY_URLS names goes before a stack of the Project (PROJECT-MEMORY-1)', async () => {
  const memories = memoriesOf(settings, stack)
  expect(await memories.addressOf('default/named')).toEqual({ url: 'http://named', publicUrl: 'https://out' })
  expect(await memories.addressOf('default/own')).toEqual({ url: 'http://stack', publicUrl: undefined })
  expect(await memoriesOf(settings, { endpoint: '' }).addressOf('default/own')).toBeUndefined()
  expect(await memoriesOf(settings).addressOf('default/own')).toBeUndefined()
})

test('a Project with the block memory gets a stack where any run and nobody names a service (PROJECT-MEMORY-1)', () => {
  const memories = memoriesOf(settings, stack)
  expect(memories.stackOf('default/own', {})).toBeNull()
  expect(memories.stackOf('default/named', { memory: {} })).toBeNull()
  expect(memoriesOf(settings).stackOf('default/own', { memory: {} })).toBeNull()
  const given = { pgInstances: 3, pgStorage: '20Gi', pgWalStorage: '9Gi', neo4jStorage: '11Gi' }
  expect(memories.stackOf('default/own', { memory: { ...given, profile: 'light' } })).toEqual({
    ...given,
    ...{ profile: 'light', fills: true },
  })
})

test('what a Project leaves out is the contract’s, and its profile that of MEMORY_PROFILE (PROJECT-MEMORY-8)', () => {
  const sizes = { pgInstances: 1, pgStorage: '10Gi', pgWalStorage: '8Gi', neo4jStorage: '10Gi', fills: true }
  const memories = (profile: 'full' | 'light') => memoriesOf({ profile }, stack)
  expect(memories('full').stackOf('default/own', { memory: {} })).toEqual({ profile: 'full', ...sizes })
  expect(memories('light').stackOf('default/own', { memory: {} })).toEqual({ profile: 'light', ...sizes })
})
