import { expect, test } from 'vitest'
import { ApiError } from '../../../http/problems/api-error.ts'
import type { FilePiece } from '../../extract/graph.ts'
import type { MemoryClient } from '../memory-client.ts'
import type { PushBody } from './push-bodies.ts'
import { pushGraph, type PushOutcome } from './push.ts'

const piece = (file: string): FilePiece => ({ file, sha: `blob of ${file}`, entities: [], edges: [] })

/** A service that has these files, listed two a page, and lacks the contents of `missing`. */
async function pushTo(
  held: readonly string[],
  missing: readonly string[],
  pieces: readonly FilePiece[],
): Promise<{ readonly outcome: PushOutcome; readonly sent: readonly PushBody[] }> {
  const sent: PushBody[] = []
  const client: MemoryClient = {
    url: 'http://service.invalid',
    delete: () => Promise.reject(new Error('nothing is deleted')),
    get: async (path) => {
      const { pathname, searchParams } = new URL(path, 'http://service.invalid')
      expect([pathname, searchParams.get('repo'), searchParams.get('type')]).toEqual(['/code/entities', 'r', 'file'])
      const from = Number(searchParams.get('cursor') ?? 0)
      const items = held.slice(from, from + 2).map((id) => ({ id }))
      return { items, ...(from + 2 < held.length ? { next_cursor: String(from + 2) } : {}) }
    },
    post: async (path, body) => {
      if (path.startsWith('/code-graph/semantic-misses')) return { misses: missing.map((file) => ({ file })) }
      sent.push(body as PushBody)
      return {}
    },
  }
  const outcome = await pushGraph(pieces, { client, repo: 'r', full: false, newId: () => 'id' })
  return { outcome, sent }
}

test('a push removes the files that are no more, on whatever page of the service they are', async () => {
  const pieces = ['b', 'd', 'e'].map(piece)
  const { outcome, sent } = await pushTo(['a', 'b', 'c', 'd', 'e', 'f'], ['d'], pieces)
  expect(outcome).toMatchObject({ mode: 'files', files: 1, gone: 3 })
  expect(sent).toEqual([
    {
      mode: 'files',
      files: [
        { file: 'd', sha: expect.stringMatching(/^[0-9a-f]{32}$/) },
        ...['a', 'c', 'f'].map((file) => ({ file, sha: '' })),
      ],
      entities: [],
      edges: [],
    },
  ])
})

test('a push to a service that has all of it sends nothing', async () => {
  const { outcome, sent } = await pushTo(['a', 'b'], [], ['a', 'b'].map(piece))
  expect(outcome.mode).toBe('nothing')
  expect(sent).toEqual([])
})

test('a push that the service does not answer as agreed fails, and sends nothing', async () => {
  const refuse = (post: MemoryClient['post']): Promise<unknown> =>
    pushGraph([piece('a')], {
      client: { url: '', delete: post.bind(undefined, ''), get: async () => ({}), post },
      repo: 'r',
      full: false,
      newId: () => 'id',
    })
  await expect(refuse(async () => ({ misses: 'all' }))).rejects.toThrow('did not answer which files it lacks')
  await expect(refuse(async () => ({ misses: [] }))).rejects.toThrow('answered no list of code entities')
  await expect(refuse(() => Promise.reject(new ApiError('the service', 403, {})))).rejects.toThrow(ApiError)
})
