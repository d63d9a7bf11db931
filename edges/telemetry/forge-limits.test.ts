import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { watchForgeLimits } from './forge-limits.ts'

test('the scarcest token of a resource shows until its reset, and no token is in a label (ORCHESTRATOR-METRICS-14, ORCHESTRATOR-METRICS-8)', async () => {
  const registry = new Registry()
  const clock = simulatedClock(1_000_000)
  let headers: Record<string, string> = {}
  const fetch = watchForgeLimits(registry, async () => new Response('{}', { headers }), clock)
  const ask = async (token: string, remaining: number, reset: number, more: object = {}): Promise<void> => {
    headers = {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': `${remaining}`,
      'x-ratelimit-reset': `${reset}`,
      ...more,
    }
    const answer = await fetch('https://forge.example/x', { headers: { authorization: `token ${token}` } })
    expect(await answer.text()).toBe('{}')
  }
  const series = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('operator'))

  headers = { 'x-ratelimit-limit': '5000' }
  await fetch('https://forge.example/x')
  expect(await series()).toEqual([])
  await ask('one', 4000, 1600)
  await ask('two', 70, 1300)
  await ask('one', 20, 1100, { 'x-ratelimit-resource': 'search' })
  await ask('one', 5, 1100, { 'x-ratelimit-resource': 'a-new-one' })
  await ask('one', 3999, 1600, { 'x-ratelimit-resource': 'core' })
  expect(await series()).toEqual([
    'operator_scm_requests_remaining{resource="core"} 70',
    'operator_scm_requests_remaining{resource="search"} 20',
    'operator_scm_requests_remaining{resource="other"} 5',
    'operator_scm_requests_limit{resource="core"} 5000',
    'operator_scm_requests_limit{resource="search"} 5000',
    'operator_scm_requests_limit{resource="other"} 5000',
    'operator_scm_requests_reset_seconds{resource="core"} 300',
    'operator_scm_requests_reset_seconds{resource="search"} 100',
    'operator_scm_requests_reset_seconds{resource="other"} 100',
  ])
  clock.advance(300_000)
  expect(await series()).toEqual([
    'operator_scm_requests_remaining{resource="core"} 3999',
    'operator_scm_requests_limit{resource="core"} 5000',
    'operator_scm_requests_reset_seconds{resource="core"} 300',
  ])
})

test('GitLab’s limits show too, and its tokens stay apart (ORCHESTRATOR-METRICS-14)', async () => {
  const registry = new Registry()
  let headers: Record<string, string> = {}
  const fetch = watchForgeLimits(registry, async () => new Response('{}', { headers }), simulatedClock(1_000_000))
  for (const [token, remaining] of [
    ['one', '70'],
    ['two', '4000'],
  ] as const) {
    headers = { 'ratelimit-limit': '2000', 'ratelimit-remaining': remaining, 'ratelimit-reset': '1060' }
    await fetch('https://lab.example/x', { headers: { 'private-token': token } })
  }
  expect((await registry.metrics()).split('\n').filter((line) => line.startsWith('operator'))).toEqual([
    'operator_scm_requests_remaining{resource="core"} 70',
    'operator_scm_requests_limit{resource="core"} 2000',
    'operator_scm_requests_reset_seconds{resource="core"} 60',
  ])
})
