import { expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import type { KubeClient } from '../api/api.ts'
import { kubeSecrets } from './secrets.ts'

function secretsUnderTest(answer: () => unknown) {
  const asked: string[] = []
  const client: KubeClient = {
    ask: async <Answer>(method: string, path: string) => {
      asked.push(`${method} ${path}`)
      return answer() as Answer
    },
    watch: () => {
      throw new Error('no Secret is watched')
    },
    close: async () => undefined,
  }
  return { asked, secrets: kubeSecrets(client) }
}

test('a Secret is asked for at every use, and its data decoded', async () => {
  const { asked, secrets } = secretsUnderTest(() => ({ data: { token: Buffer.from('tökén').toString('base64') } }))
  for (let times = 0; times < 2; times++) expect(await secrets.read('team', 'scm.v1')).toEqual({ token: 'tökén' })
  expect(asked).toEqual(Array.from({ length: 2 }, () => 'GET /api/v1/namespaces/team/secrets/scm.v1'))
})

test('a Secret without data is empty', async () => {
  for (const answer of [{}, { data: null }])
    expect(await secretsUnderTest(() => answer).secrets.read('team', 'scm')).toEqual({})
})

test('only a Secret that is not there is none: a refusal is thrown', async () => {
  const fail = (code: number) => () => {
    throw errorOf(code, {})
  }
  expect(await secretsUnderTest(fail(404)).secrets.read('team', 'scm')).toBeUndefined()
  await expect(secretsUnderTest(fail(403)).secrets.read('team', 'scm')).rejects.toMatchObject({ code: 403 })
})

test('what is no name of a Secret is none, and the server is not asked', async () => {
  const { asked, secrets } = secretsUnderTest(() => ({}))
  for (const name of ['', '.', '..', '../pods', 'a/b', 'A', 'a?watch=true'])
    for (const [namespace, secret] of [
      ['team', name],
      [name, 'scm'],
    ] as const)
      expect(await secrets.read(namespace, secret)).toBeUndefined()
  expect(asked).toEqual([])
})
