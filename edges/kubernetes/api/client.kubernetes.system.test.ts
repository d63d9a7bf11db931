/** What a real server refuses, and how that is told; over how many sockets it is asked. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { accountKubeconfig, accountToken } from './account.ts'
import { duplicateEntries, fieldNotDeclared, KubeError } from './answers.ts'
import { applyPatch, mergePatch, pathOf, type KubeClient, type KubeObject } from './api.ts'
import { createKubeClient } from './client.ts'
import { kubeconfigOf } from '../testing/api-server.ts'
import { configMap, configMaps, withRealServer, type RealServer } from '../testing/real-server.ts'
import { withTcpLink } from '../testing/tcp-link.ts'
import { testInside } from '../../../testing/inside.ts'

async function refusalOf(
  asked: Promise<unknown>,
): Promise<Pick<KubeError, 'code' | 'reason' | 'isRetryable' | 'message'>> {
  const error = await asked.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(KubeError)
  const { code, reason, isRetryable, message } = error as KubeError
  return { code, reason, isRetryable, message }
}

/** A client of a ServiceAccount that may read ConfigMaps of its namespace, and nothing else. */
async function withServiceAccount(
  { client, kubeconfig, namespace }: { client: KubeClient; kubeconfig: string; namespace: string },
  use: (limited: KubeClient, token: string) => Promise<void>,
): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const metadata = { name: 'limited' }
  await client.ask('POST', core, { body: { metadata } })
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]
  await client.ask('POST', `${rbac}/roles`, { body: { metadata, rules } })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'limited' }
  const subjects = [{ kind: 'ServiceAccount', name: 'limited', namespace }]
  await client.ask('POST', `${rbac}/rolebindings`, { body: { metadata, roleRef, subjects } })
  const account = { namespace, name: 'limited' }
  const token = await accountToken((path, body) => client.ask('POST', path, { body }), account, 600)
  const folder = await mkdtemp(join(tmpdir(), 'kube-account-'))
  await writeFile(join(folder, 'token'), token)
  await writeFile(join(folder, 'kubeconfig'), accountKubeconfig(kubeconfig, account, { tokenFile: 'token' }))
  const limited = createKubeClient({ kubeconfig: join(folder, 'kubeconfig') })
  try {
    await use(limited, token)
  } finally {
    await limited.close()
    await rm(folder, { recursive: true })
  }
}

const it = testInside<[RealServer]>((use) => withRealServer(use))

describeRequiring('kubernetes', 'a real API server', () => {
  it('refuses each mistake under its own code and reason', async ({ plane, client }) => {
    const namespace = await plane.ownNamespace()
    const all = pathOf(configMaps, { namespace })
    const one = pathOf(configMaps, { namespace, name: 'one' })
    const first = await client.ask('POST', all, { body: configMap('one') })
    await client.ask('PATCH', one, { body: { data: { a: 'b' } }, type: mergePatch })
    const apply = { query: { fieldManager: 'x' }, type: applyPatch }
    const cases: [() => Promise<unknown>, object][] = [
      [() => client.ask('PUT', one, { body: first }), { code: 409, reason: 'Conflict', isRetryable: true }],
      [() => client.ask('POST', all, { body: configMap('one') }), { code: 409, reason: 'AlreadyExists' }],
      [() => client.ask('GET', `${one}-more`), { code: 404, reason: 'NotFound', isRetryable: false }],
      [
        () => client.ask('POST', all, { body: configMap('No Name') }),
        { code: 422, reason: 'Invalid', isRetryable: false },
      ],
      [() => client.ask('PATCH', one, { body: { spec: {} }, ...apply, type: 'application/json' }), { code: 415 }],
      [() => client.ask('PATCH', one, { body: configMap('other'), ...apply }), { code: 400, reason: 'BadRequest' }],
    ]
    for (const [asked, expected] of cases) expect(await refusalOf(asked())).toMatchObject(expected)
  })

  it('answers 500 to two applies that fail for ever, and both are terminal', async ({ plane, client }) => {
    const namespace = await plane.ownNamespace()
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'one' } }
    const path = pathOf({ apiVersion: 'v1', plural: 'serviceaccounts' }, { namespace, name: 'one' })
    for (const [mistake, reason] of [
      [{ fieldOfTomorrow: 1 }, fieldNotDeclared],
      [{ secrets: [{ name: 'twice' }, { name: 'twice' }] }, duplicateEntries],
    ] as const) {
      const query = { fieldManager: 'statewright', force: true }
      const asked = client.ask('PATCH', path, { query, type: applyPatch, body: { ...account, ...mistake } })
      expect(await refusalOf(asked)).toMatchObject({ code: 500, reason, isRetryable: false })
    }
  })

  it('refuses a ServiceAccount what its Role does not give, and names it without its token', async (fixture) => {
    const { plane, client } = fixture
    const namespace = await plane.ownNamespace()
    await client.ask('POST', pathOf(configMaps, { namespace }), { body: configMap('one', { a: 'b' }) })
    await withServiceAccount({ client, kubeconfig: plane.kubeconfig, namespace }, async (limited, token) => {
      const one = pathOf(configMaps, { namespace, name: 'one' })
      await expect
        .poll(() => limited.ask<KubeObject>('GET', one).catch(() => undefined))
        .toMatchObject({ data: { a: 'b' } })
      const refusal = await refusalOf(
        limited.ask('GET', pathOf({ apiVersion: 'v1', plural: 'secrets' }, { namespace })),
      )
      expect(refusal).toMatchObject({ code: 403, reason: 'Forbidden', isRetryable: true })
      expect(refusal.message).toContain(
        `User "system:serviceaccount:${namespace}:limited" cannot list resource "secrets"`,
      )
      expect(refusal.message).not.toContain(token)
    })
  })

  it('knows nobody by a token of another making', async ({ plane }) => {
    const folder = await mkdtemp(join(tmpdir(), 'kube-account-'))
    const [, server] = /server: "([^"]+)"/.exec(await readFile(plane.kubeconfig, 'utf8'))!
    await writeFile(join(folder, 'kubeconfig'), kubeconfigOf(server!, { token: 'made-up-token' }))
    const client = createKubeClient({ kubeconfig: join(folder, 'kubeconfig') })
    const refusal = await refusalOf(client.ask('GET', '/api/v1/namespaces'))
    expect(refusal).toMatchObject({ code: 401, reason: 'Unauthorized', isRetryable: false })
    await client.close()
    await rm(folder, { recursive: true })
  })

  it('is asked over a few sockets, however much is asked', async ({ plane }) => {
    const namespace = await plane.ownNamespace()
    await withTcpLink(plane.kubeconfig, async (link) => {
      const client = createKubeClient({ kubeconfig: link.kubeconfig })
      await client.ask('POST', pathOf(configMaps, { namespace }), { body: configMap('one') })
      const one = pathOf(configMaps, { namespace, name: 'one' })
      const patch = (n: number) => client.ask('PATCH', one, { body: { data: { n: `${n}` } }, type: mergePatch })
      for (let round = 0; round < 20; round++) await Promise.all([1, 2, 3, 4].map((n) => patch(round * 4 + n)))
      expect(link.connections()).toBeLessThanOrEqual(10)
      await client.close()
    })
  })
})
