import { expect, test } from 'vitest'
import { PROJECT, withGitlab } from '../testing/gitlab.ts'

test('the record of a comment or a label says which of the two threads with its number it is on', async () => {
  await withGitlab({}, async ({ forge, clone, push }) => {
    await push(await clone('bot'), 'x', { 'x.txt': 'x\n' })
    forge.openIssue('reader', PROJECT, { title: 'An issue' })
    await forge.openPull('bot', PROJECT, { title: 'A merge request', head: 'x', base: 'main' })
    for (const kind of ['issue', 'pull'] as const) {
      forge.addLabel('maintainer', PROJECT, 1, 'platform', kind)
      forge.removeLabel('maintainer', PROJECT, 1, 'platform', kind)
      const { id } = forge.comment('reader', PROJECT, 1, 'Old', kind)
      forge.editComment('reader', PROJECT, id, 'New')
      forge.deleteComment('reader', PROJECT, id)
    }
    const actions = ['label.add', 'label.remove', 'comment.create', 'comment.edit', 'comment.delete']
    const found = forge.audit().filter(({ action }) => actions.includes(action))
    expect(found.map(({ action, number, kind }) => [action, number, kind])).toEqual([
      ...actions.map((action) => [action, 1, 'issue']),
      ...actions.map((action) => [action, 1, 'pull']),
    ])
  })
})
