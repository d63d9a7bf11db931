import { expect, test } from 'vitest'
import { failure, withForge, withReceiver } from '../testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

test('what is edited is told with what it was, and what is the same is not told at all', async () => {
  await withReceiver(async (receiver) => {
    await withForge(
      { git: 'memory', repository: { hooks: [{ url: receiver.url, events: ['issues', 'issue_comment'] }] } },
      async ({ forge, octokit }) => {
        const issue = {
          ...REPO,
          issue_number: forge.openIssue('reader', 'acme/library', { title: 'Old', body: 'Text' }).number,
        }
        const reader = octokit('reader').issues
        await reader.update({ ...issue, title: 'New' })
        await reader.update({ ...issue, title: 'New', body: 'Text' })
        const { data: comment } = await reader.createComment({ ...issue, body: 'First' })
        await reader.updateComment({ ...REPO, comment_id: comment.id, body: 'Second' })
        await reader.deleteComment({ ...REPO, comment_id: comment.id })
        await reader.update({ ...issue, state: 'closed', state_reason: 'not_planned' })
        await forge.idle(forge.reopenIssue('maintainer', 'acme/library', issue.issue_number))
        const told = receiver.received.map(({ event, action, payload }) => [event, action, payload.changes])
        expect(told).toEqual([
          ['ping', undefined, undefined],
          ['issues', 'opened', undefined],
          ['issues', 'edited', { title: { from: 'Old' } }],
          ['issue_comment', 'created', undefined],
          ['issue_comment', 'edited', { body: { from: 'First' } }],
          ['issue_comment', 'deleted', undefined],
          ['issues', 'closed', undefined],
          ['issues', 'reopened', undefined],
        ])
      },
    )
  })
})

test("a comment on a pull request says that it is one, and its labels are told as the pull request's", async () => {
  await withReceiver(async (receiver) => {
    await withForge(
      { git: 'memory', repository: { hooks: [{ url: receiver.url }] } },
      async ({ forge, octokit, clone, push }) => {
        await push(await clone('bot'), 'x', { 'a.txt': 'a' })
        const { data: pull } = await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
        forge.comment('reader', 'acme/library', pull.number, 'Nice')
        await forge.idle(forge.addLabel('maintainer', 'acme/library', pull.number, 'platform'))
        expect(receiver.received.find((one) => one.event === 'issue_comment')?.payload.issue).toMatchObject({
          number: pull.number,
          pull_request: { url: pull.url },
        })
        expect(receiver.received.find((one) => one.action === 'labeled')).toMatchObject({
          event: 'pull_request',
          payload: { label: { name: 'platform' }, number: pull.number },
        })
        const { data: all } = await octokit('bot').issues.listForRepo(REPO)
        expect(all.map((issue) => [issue.number, issue.pull_request !== undefined])).toEqual([[pull.number, true]])
      },
    )
  })
})

test('strangers open issues and comment, but their labels are left out and the words of others are not theirs to change', async () => {
  await withForge({ git: 'memory' }, async ({ octokit, forge }) => {
    const stranger = octokit('stranger').issues
    const { data: issue } = await stranger.create({ ...REPO, title: 'Please', labels: ['platform'] })
    expect(issue).toMatchObject({ labels: [], author_association: 'NONE', user: { login: 'stranger' } })
    const comment = forge.comment('maintainer', 'acme/library', issue.number, 'Go ahead')
    expect(await failure(stranger.updateComment({ ...REPO, comment_id: comment.id, body: 'No' }))).toMatchObject({
      status: 403,
    })
    expect(
      await failure(stranger.addLabels({ ...REPO, issue_number: issue.number, labels: ['platform'] })),
    ).toMatchObject({ status: 403 })
    await stranger.update({ ...REPO, issue_number: issue.number, body: 'More' })
    expect(
      await failure(octokit('reader').issues.update({ ...REPO, issue_number: issue.number, body: 'Mine' })),
    ).toMatchObject({ status: 403 })
  })
})

test('labels are added once, found whatever their case, and missed when absent', async () => {
  await withForge({ git: 'memory' }, async ({ octokit, forge }) => {
    const bot = octokit('bot').issues
    await bot.createLabel({ ...REPO, name: 'Platform', color: 'ABCDEF' })
    expect(await failure(bot.createLabel({ ...REPO, name: 'platform' }))).toMatchObject({
      status: 422,
      errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
    })
    const issue = { ...REPO, issue_number: forge.openIssue('reader', 'acme/library', { title: 'X' }).number }
    const { data: labels } = await bot.addLabels({ ...issue, labels: ['platform', 'new one', 'new one'] })
    expect(labels.map((label) => [label.name, label.color])).toEqual([
      ['Platform', 'abcdef'],
      ['new one', 'ededed'],
    ])
    expect((await bot.listForRepo({ ...REPO, labels: 'PLATFORM,new one' })).data).toHaveLength(1)
    await bot.removeLabel({ ...issue, name: 'new one' })
    expect(await failure(bot.removeLabel({ ...issue, name: 'new one' }))).toMatchObject({
      status: 404,
      message: 'Label does not exist',
    })
    await bot.setLabels({ ...issue, labels: ['a', 'b'] })
    expect((await bot.listLabelsOnIssue(issue)).data.map((label) => label.name)).toEqual(['a', 'b'])
    await bot.updateLabel({ ...REPO, name: 'a', new_name: 'c' })
    await bot.deleteLabel({ ...REPO, name: 'b' })
    expect((await bot.get(issue)).data.labels).toMatchObject([{ name: 'c' }])
    expect(
      forge
        .audit()
        .filter((entry) => entry.action === 'label.add')
        .map((entry) => entry.detail?.label),
    ).toEqual(['Platform', 'new one', 'a', 'b'])
  })
})

test('texts that are too long or blank are refused, and what was written before a moment is left out of a list since it', async () => {
  await withForge({ git: 'memory' }, async ({ octokit, forge }) => {
    const bot = octokit('bot').issues
    const issue = { ...REPO, issue_number: forge.openIssue('reader', 'acme/library', { title: 'X' }).number }
    expect(await failure(bot.createComment({ ...issue, body: 'x'.repeat(65_537) }))).toMatchObject({
      status: 422,
      errors: [{ message: 'Body is too long (maximum is 65536 characters)' }],
    })
    expect(await failure(bot.createComment({ ...issue, body: '  ' }))).toMatchObject({
      status: 422,
      errors: [{ message: 'Body cannot be blank' }],
    })
    await bot.createComment({ ...issue, body: 'x'.repeat(65_536) })
    expect((await bot.listComments({ ...issue, since: '2000-01-01T00:00:00Z' })).data).toHaveLength(1)
    expect((await bot.listComments({ ...issue, since: '2999-01-01T00:00:00Z' })).data).toHaveLength(0)
    expect((await bot.listCommentsForRepo({ ...REPO, since: '2000-01-01T00:00:00Z' })).data).toHaveLength(1)
  })
})
