import { expect, test } from 'vitest'
import type { ProjectDirectory } from '../projects.ts'
import type { Mirror } from './mirror.ts'
import type { MirroredComment } from './records.ts'
import { threadReader } from './threads.ts'

function row(id: string, more: Partial<MirroredComment> = {}): MirroredComment {
  const comment = {
    id,
    kind: 'issue',
    author: { id: '1', login: 'maya', bot: false },
    body: 'fine',
    createdAt: 0,
    updatedAt: 0,
  }
  return { comment, bodyHash: `hash-${id}`, told: true, ...more } as unknown as MirroredComment
}

async function editors(...rows: readonly MirroredComment[]): Promise<readonly (string | undefined)[]> {
  const mirror = { comments: async () => rows } as unknown as Mirror
  const directory = { project: async () => undefined } as unknown as ProjectDirectory
  const comments = await threadReader(mirror, directory).comments('default/demo', 'lib', 1, 'issue')
  return comments.map(({ editedBy }) => editedBy)
}

test('a comment that other hands wrote over names them; one that its author edited names nobody', async () => {
  const rows = [row('1'), row('2', { editedBy: 'Maya' }), row('3', { editedBy: 'carl' }), row('4', { editedBy: '' })]
  expect(await editors(...rows)).toEqual([undefined, undefined, 'carl', 'unknown'])
})
