/** More of standbys than CI runs: `npm run long -- standbys`. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { claims, clusters, pods } from './cluster.ts'
import {
  asOwner,
  clusterOf,
  crash,
  instance,
  isPhase,
  isReady,
  name,
  patience,
  signal,
  statusOf,
} from './testing/clusters.ts'
import { withStack, type Stack } from './testing/real-stack.ts'

const second = `${name}-2`
const third = `${name}-3`
const synchronous = { method: 'any', number: 1 }
const postgresql = { extensions: [{ name: 'pgvector' }], parameters: { wal_level: 'replica' }, synchronous }
/** Long enough for a commit that waits for nobody. */
const quietMs = 2_000

async function start(stack: Stack, own: object): Promise<void> {
  await stack.make(clusters, clusterOf(stack.storageClass, own))
  await untilWhole(stack, own)
}

function untilWhole({ untilIs }: Stack, wanted: object): Promise<KubeObject | undefined> {
  const { instances, primary = instance } = wanted as { readonly instances: number; readonly primary?: string }
  return untilIs(clusters, name, (object) => {
    const { currentPrimary, readyInstances } = statusOf(object)
    return isReady(object) && currentPrimary === primary && readyInstances === instances
  })
}

async function ask(stack: Stack, at: string, statement: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await asOwner(stack, (client) => client.query<Record<string, unknown>>(statement), { at })
  return rows[0] ?? {}
}

vi.setConfig({ testTimeout: 300_000 })

describeRequiring('stack', 'three instances of the stand-in of CloudNativePG', () => {
  test('lose nothing that was stored when the primary crashes, and the others follow the next one', async () => {
    await withStack(async (stack) => {
      await start(stack, { instances: 3, postgresql })
      expect(await ask(stack, instance, 'show synchronous_standby_names')).toEqual({
        synchronous_standby_names: `any 1 ("${second}", "${third}")`,
      })
      await ask(stack, instance, 'create table kept (n int)')
      let stored = 0
      const writing = asOwner(stack, async (client) => {
        for (let n = 1; ; n += 1) {
          await client.query('insert into kept values ($1)', [n])
          stored = n
        }
      }).catch((error: unknown) => String(error))
      await expect.poll(() => stored, patience).toBeGreaterThan(100)
      await crash(stack, instance)
      expect(await writing).toContain('Connection terminated unexpectedly')
      const next = await stack.untilIs(clusters, name, (object) => ![instance, undefined].includes(primaryOf(object)))
      const primary = primaryOf(next) ?? ''
      await untilWhole(stack, { instances: 3, primary })
      const kept = await ask(stack, primary, 'select count(*)::int as n, max(n) as last from kept')
      // The last one may be there without an answer.
      expect([stored, stored + 1]).toContain(kept['n'])
      expect(kept['n']).toBe(kept['last'])
      const other = primary === second ? third : second
      expect(await ask(stack, primary, 'show synchronous_standby_names')).toEqual({
        synchronous_standby_names: `any 1 ("${instance}", "${other}")`,
      })
      for (const each of [instance, other])
        await expect
          .poll(() => ask(stack, each, 'select count(*)::int as n from kept'), patience)
          .toEqual({ n: kept['n'] })
    })
  })

  test('store nothing while no standby answers', async () => {
    await withStack(async (stack) => {
      await start(stack, { instances: 3, postgresql })
      await ask(stack, instance, 'create table kept (n int)')
      for (const each of [second, third]) await signal(stack, each, 'SIGSTOP')
      let isStored = false
      const storing = ask(stack, instance, 'insert into kept values (1)').then(() => (isStored = true))
      await wait(quietMs)
      expect(isStored).toBe(false)
      for (const each of [second, third]) await signal(stack, each, 'SIGCONT')
      await storing
    })
  })

  test('are made one after another, restart without a failover, and leave with their claims', async () => {
    await withStack(async (stack) => {
      const { change, untilIs, list, find, seen } = stack
      await start(stack, { instances: 2 })
      await change(clusters, name, { spec: { instances: 3 } })
      await untilWhole(stack, { instances: 3 })
      const uids = async (): Promise<readonly unknown[]> => (await list(pods)).map(({ metadata }) => metadata.uid)
      const before = await uids()
      await change(clusters, name, { spec: { postgresql: { parameters: { max_connections: '133' } } } })
      await untilIs(clusters, name, isPhase('Primary instance is being restarted in-place'))
      await untilWhole(stack, { instances: 3 })
      expect(await uids()).not.toEqual(expect.arrayContaining([before[0]]))
      for (const each of [instance, second, third])
        expect(await ask(stack, each, 'show max_connections')).toEqual({ max_connections: '133' })
      const claim = await find(claims, second)
      await change(clusters, name, { spec: { instances: 1 } })
      await untilIs(claims, second, (object) => object === undefined)
      await untilWhole(stack, { instances: 1 })
      expect((await list(claims)).map(({ metadata }) => metadata.name)).toEqual([instance, `${instance}-wal`])
      expect(await ask(stack, instance, 'select count(*)::int as n from pg_stat_replication')).toEqual({ n: 0 })
      await change(clusters, name, { spec: { instances: 2 } })
      await untilWhole(stack, { instances: 2 })
      expect((await find(claims, second))?.metadata.uid).not.toBe(claim?.metadata.uid)
      expect([...seen.keys()].toSorted()).toEqual([instance, second, third])
    })
  })

  test('sleep and wake together', async () => {
    await withStack(async (stack) => {
      const { change, untilIs, list } = stack
      await start(stack, { instances: 3, postgresql })
      await ask(stack, instance, 'create table kept as select 7 as n')
      const hibernation = (value: string): object => ({ metadata: { annotations: { 'cnpg.io/hibernation': value } } })
      await change(clusters, name, hibernation('on'))
      await untilIs(clusters, name, (object) => statusOf(object)['readyInstances'] === 0)
      expect(await list(pods)).toEqual([])
      expect(await list(claims)).toHaveLength(6)
      await change(clusters, name, hibernation('off'))
      await untilWhole(stack, { instances: 3 })
      for (const each of [instance, second, third])
        expect(await ask(stack, each, 'select n from kept')).toEqual({ n: 7 })
    })
  })
})

function primaryOf(object: KubeObject | undefined): string | undefined {
  return (statusOf(object) as { readonly currentPrimary?: string }).currentPrimary
}
