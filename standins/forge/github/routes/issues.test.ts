import { expect, test } from 'vitest'
import { failure, withForge } from '../../testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

test('a title may be a number, which is kept as text, and nothing else than these', async () => {
  await withForge({ git: 'memory' }, async ({ octokit }) => {
    const { issues } = octokit('bot')
    const { data: made } = await issues.create({ ...REPO, title: 7 })
    const one = { ...REPO, issue_number: made.number }
    expect([made.title, (await issues.update({ ...one, title: 8 })).data.title]).toEqual(['7', '8'])
    expect((await issues.update({ ...one, body: 'kept' })).data.title).toBe('8')
    expect(await failure(issues.create({ ...REPO, title: true as unknown as string }))).toMatchObject({ status: 422 })
  })
})
