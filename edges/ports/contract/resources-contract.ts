/** What every place of resources and secrets has to do for whoever reads, as tests; the adapter is the parameter. */
import { describe, expect, test } from 'vitest'
import type { ResourceReader, SecretReader, Wanted } from '../resources.ts'

export interface ResourcesUnderTest {
  readonly resources: ResourceReader
  /** As people write it in this place. Resolves once the reader has it. */
  apply(wanted: Wanted): Promise<void>
  remove(wanted: Wanted): Promise<void>
}

export type WithResources = (use: (fixture: ResourcesUnderTest) => Promise<void>) => Promise<void>

const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }
const project = (name: string, namespace: string, spec: object = {}): Wanted => ({
  kind: 'Project',
  namespace,
  name,
  spec: { scmSecretRef: 'scm', scm, ...spec },
})
const names = (all: readonly { readonly namespace: string; readonly name: string }[]): readonly string[] =>
  all.map(({ namespace, name }) => `${namespace}/${name}`).toSorted()

export function resourceReaderContract(name: string, withResources: WithResources): void {
  describe(`${name}: a reader of resources`, () => {
    test('gives one by kind, namespace and name, and nothing for any other', async () => {
      await withResources(async ({ resources, apply }) => {
        await apply(project('demo', 'default'))
        const found = await resources.get('Project', 'default', 'demo')
        expect(found).toMatchObject({ kind: 'Project', namespace: 'default', name: 'demo', generation: 1 })
        expect(found?.spec).toMatchObject({ scmSecretRef: 'scm', scm })
        expect(found?.uid).not.toBe('')
        for (const [kind, namespace, other] of [
          ['Repository', 'default', 'demo'],
          ['Project', 'team', 'demo'],
          ['Project', 'default', 'other'],
        ] as const)
          expect(await resources.get(kind, namespace, other)).toBeUndefined()
      })
    })

    test('lists a kind, of one namespace or of all', async () => {
      await withResources(async ({ resources, apply }) => {
        for (const one of [project('a', 'default'), project('b', 'team')]) await apply(one)
        expect(names(await resources.list('Project'))).toEqual(['default/a', 'team/b'])
        expect(names(await resources.list('Project', 'team'))).toEqual(['team/b'])
        expect(await resources.list('Repository')).toEqual([])
      })
    })

    test('counts the changes of a spec by its generation, under the same uid, and no apply of the same', async () => {
      await withResources(async ({ resources, apply }) => {
        const read = async () => (await resources.get('Project', 'default', 'demo'))!
        await apply(project('demo', 'default'))
        const first = await read()
        await apply(project('demo', 'default'))
        expect((await read()).generation).toBe(1)
        await apply(project('demo', 'default', { triggerLabel: 'agents' }))
        expect(await read()).toMatchObject({ generation: 2, uid: first.uid, createdAt: first.createdAt })
      })
    })

    test('gives nothing of one that was deleted, and another uid when it is made again', async () => {
      await withResources(async ({ resources, apply, remove }) => {
        await apply(project('demo', 'default'))
        const first = await resources.get('Project', 'default', 'demo')
        await remove(project('demo', 'default'))
        expect(await resources.get('Project', 'default', 'demo')).toBeUndefined()
        expect(await resources.list('Project')).toEqual([])
        await apply(project('demo', 'default'))
        const second = await resources.get('Project', 'default', 'demo')
        expect(second?.generation).toBe(1)
        expect(second?.uid).not.toBe(first?.uid)
      })
    })
  })
}

export interface SecretsUnderTest {
  readonly secrets: SecretReader
  write(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>
}

export type WithSecrets = (use: (fixture: SecretsUnderTest) => Promise<void>) => Promise<void>

export function secretReaderContract(name: string, withSecrets: WithSecrets): void {
  describe(`${name}: a reader of Secrets`, () => {
    test('gives what stands there at this moment, and never an earlier value (WEBHOOKS-8, ALERTS-3)', async () => {
      await withSecrets(async ({ secrets, write }) => {
        expect(await secrets.read('default', 'scm')).toBeUndefined()
        await write('default', 'scm', { token: 'one', webhookSecret: 'hook' })
        expect(await secrets.read('default', 'scm')).toEqual({ token: 'one', webhookSecret: 'hook' })
        await write('default', 'scm', { token: 'two' })
        expect(await secrets.read('default', 'scm')).toEqual({ token: 'two' })
      })
    })

    test('gives nothing of another namespace', async () => {
      await withSecrets(async ({ secrets, write }) => {
        await write('team', 'scm', { token: 'theirs' })
        expect(await secrets.read('default', 'scm')).toBeUndefined()
      })
    })
  })
}
