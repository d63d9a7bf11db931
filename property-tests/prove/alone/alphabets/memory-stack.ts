import { lookOf, type MemoryStackContext } from '../../../../machines/memory-stack/context.ts'
import type { TimelessEvent } from '../walk.ts'

const light = {
  profile: 'light',
  pgInstances: 1,
  pgStorage: '10Gi',
  pgWalStorage: '8Gi',
  neo4jStorage: '10Gi',
  fills: true,
}
const place = { endpoint: 'http://memory', externalEndpoint: '' }
const sights = [
  { phase: 'running', part: 'service', words: '', ...place, externalEndpoint: 'https://out' },
  { phase: 'pending', part: 'postgres', words: 'Setting up primary', ...place },
  { phase: 'pending', part: 'service', words: '', ...place },
  { phase: 'pending', part: 'cluster', words: 'no right', endpoint: '', externalEndpoint: '' },
  { phase: 'degraded', part: 'postgres', words: 'it grows', ...place },
  { phase: 'degraded', part: 'neo4j', words: '', ...place },
  { phase: 'degraded', part: 'lightrag', words: 'CrashLoopBackOff', ...place },
  { phase: 'gone', part: 'cluster', words: 'two claims stay', endpoint: '', externalEndpoint: '' },
]

export const memoryStackBirths: readonly TimelessEvent[] = [
  { type: 'stack.configured', wanted: light },
  { type: 'stack.configured', wanted: { ...light, profile: 'full', fills: false } },
  { type: 'stack.configured', wanted: null },
]

export function memoryStackWords(context: object): readonly TimelessEvent[] {
  const runs = [lookOf(context as MemoryStackContext), 'stack/99']
  return [
    ...memoryStackBirths,
    ...runs.flatMap((run) => sights.map((sight) => ({ type: 'stack.seen', run, ...sight }))),
    ...['reconcileMemoryStack', 'fillMemory'].map((effect) => ({
      type: 'effect.failed',
      effect,
      reason: 'no',
      key: 'k',
    })),
  ]
}
