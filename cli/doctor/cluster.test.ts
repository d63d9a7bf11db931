import { expect, test } from 'vitest'
import { errorOf } from '../../edges/kubernetes/api/answers.ts'
import type { KubeClient, Method, Question } from '../../edges/kubernetes/api/api.ts'
import { checkCluster } from './cluster.ts'

const options = { name: 'probe', namespace: 'team', image: 'i', security: { runAsNonRoot: false }, lifeSeconds: 60 }
const account = { leaseNamespace: 'platform', serviceAccount: 'statewright' }

/** Keeps what is posted; `mayDelete`: by path. */
function server(mayDelete: (path: string) => boolean, mayPost: (path: string) => boolean = () => true) {
  const objects = new Map<string, object>()
  const asked: string[] = []
  const ask = async (method: Method, path: string, { body, query }: Question = {}): Promise<unknown> => {
    asked.push(`${method} ${path}`)
    if (path === '/version') return {}
    if (query?.['dryRun'] !== undefined) return body
    if (/authorization|customresource/.test(path)) throw errorOf(403, { message: 'no' })
    if (method === 'POST') {
      if (!mayPost(path)) throw errorOf(403, { message: 'you may not' })
      const { metadata } = body as { readonly metadata: { readonly name: string } }
      objects.set(`${path}/${metadata.name}`, { ...(body as object), metadata: { ...metadata, uid: metadata.name } })
      return objects.get(`${path}/${metadata.name}`)
    }
    if (method === 'DELETE' && mayDelete(path)) objects.delete(path)
    if (objects.has(path)) return objects.get(path)
    if (/\/(pods|events)$/.test(path))
      return { items: [...objects].filter(([at]) => at.startsWith(`${path}/`)).map(([, object]) => object) }
    throw errorOf(404, { message: 'not found' })
  }
  return { objects, asked, client: { ask } as unknown as Pick<KubeClient, 'ask'> }
}

async function run({ client }: ReturnType<typeof server>) {
  let elapsed = 0
  // Each wait passes at once.
  const clock = {
    now: () => elapsed,
    elapsed: () => elapsed,
    setTimer: (delayMs: number, callback: () => void) => {
      elapsed += delayMs
      const immediate = setImmediate(callback)
      return { cancel: () => clearImmediate(immediate) }
    },
  }
  const { signal } = new AbortController()
  const wiring = {
    client,
    asAccount: client,
    clock,
    signal,
    limitMs: 5_000,
    removalMs: 5_000,
    onProgress: () => undefined,
  }
  return checkCluster(options, account, wiring)
}

test('a probe whose time is over is removed', async () => {
  const here = server(() => true)
  const checks = await run(here)
  expect(checks.map(({ id }) => id)).not.toContain('removal')
  expect([...here.objects.keys()]).toEqual([])
})

test('what cannot be removed is named, with the command that deletes it', async () => {
  const checks = await run(server((path) => !path.includes('persistentvolumeclaims')))
  expect(checks.at(-1)).toEqual({
    ...{ id: 'removal', status: 'failed', seen: 'still there: persistentvolumeclaims/ws-probe' },
    next: 'kubectl delete jobs,pods,pvc,secrets,networkpolicies -n team -l platform.dev/doctor=probe',
  })
})

test('who may not make a Job proves nothing, and nothing is removed', async () => {
  const here = server(
    () => false,
    (path) => !path.endsWith('/jobs'),
  )
  const checks = await run(here)
  expect(checks.slice(4).map(({ status, seen }) => `${status} ${seen}`)).toEqual([
    'unproven you may not',
    'unproven no pod started',
    'unproven you may not',
    'unproven not tried: you may not',
  ])
  expect(here.asked.at(-1)).toBe('POST /apis/batch/v1/namespaces/team/jobs')
})
