import { expect, test } from 'vitest'
import { standingTopic, topicMarker, withMarkers } from '../marker.ts'
import type { ProjectDirectory } from '../projects.ts'
import type { Mirror } from './mirror.ts'
import type { MirroredComment } from './facts/records.ts'
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
  return { comment, bodyHash: `hash-${id}`, notified: true, ...more } as unknown as MirroredComment
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

test('the standing comment of the platform is in no thread that agents read, and a copy by anybody else is (BUNDLE-21)', async () => {
  const standing = withMarkers('It waits for a maintainer.', topicMarker(`${standingTopic}/implement-lib-1`))
  const by = (id: string, login: string, body: string): MirroredComment => {
    const { comment, ...rest } = row(id)
    return { ...rest, comment: { ...comment, author: { id, login, bot: login === 'the-bot' }, body } }
  }
  const rows = [by('1', 'the-bot', standing), by('2', 'rita', standing), by('3', 'the-bot', 'Please decide.')]
  const mirror = { comments: async () => rows } as unknown as Mirror
  const scm = { botLogin: 'the-bot', maintainerLogins: [] }
  const directory = {
    project: async () => ({ scm, upgradeEngineLogins: [], repositories: [] }),
  } as unknown as ProjectDirectory
  const read = await threadReader(mirror, directory).comments('default/demo', 'lib', 1, 'issue')
  expect(read.map(({ id }) => id)).toEqual(['2', '3'])
})

test('a bot that one Repository names as its maintainer is a human there, and a bot in the others (PROJECT-SCM-10)', async () => {
  const { comment, ...rest } = row('1')
  const written = { ...rest, comment: { ...comment, author: { id: '9', login: 'helper', bot: true } } }
  const mirror = { comments: async () => [written] } as unknown as Mirror
  const scm = { botLogin: 'the-bot', maintainerLogins: [] }
  const repositories = [{ name: 'lib', maintainerLogins: ['helper'] }, { name: 'app' }]
  const directory = {
    project: async () => ({ scm, upgradeEngineLogins: [], repositories }),
  } as unknown as ProjectDirectory
  const isBotIn = async (repository: string): Promise<unknown> =>
    (await threadReader(mirror, directory).comments('default/demo', repository, 1, 'issue')).map(({ bot }) => bot)
  expect([await isBotIn('lib'), await isBotIn('app')]).toEqual([[false], [true]])
})
