import { expect, test } from 'vitest'
import { failure, withForge } from '../../testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

test('files and folders are read at any ref, raw or encoded', async () => {
  await withForge({}, async ({ octokit, clone, push }) => {
    const reader = octokit('reader').repos
    await push(await clone('bot'), 'feature/x', { 'src/deep/new file.txt': 'näw\n' })
    const at = { ...REPO, ref: 'feature/x' }
    const { data: file } = await reader.getContent({ ...at, path: 'src/deep/new file.txt' })
    expect(file).toMatchObject({ type: 'file', size: 5, encoding: 'base64' })
    expect(Buffer.from('content' in file ? file.content : '', 'base64').toString()).toBe('näw\n')
    expect((await reader.getContent({ ...at, path: 'src/deep/new file.txt', mediaType: { format: 'raw' } })).data).toBe(
      'näw\n',
    )
    expect((await reader.getContent({ ...at, path: 'src' })).data).toMatchObject([
      { type: 'file', path: 'src/add.js' },
      { type: 'dir', path: 'src/deep' },
    ])
    expect((await reader.getContent({ ...REPO, path: '' })).data).toHaveLength(3)
    for (const path of ['src/deep', '../../audit.jsonl'])
      expect(await failure(reader.getContent({ ...REPO, path }))).toMatchObject({ status: 404 })
  })
})

test('two points are compared by what the second has and the first has not', async () => {
  await withForge({}, async ({ octokit, clone, push }) => {
    const folder = await clone('bot')
    const head = await push(folder, 'feature/x', { 'a.txt': 'a\n' }, 'Add a')
    const repos = octokit('reader').repos
    expect((await repos.compareCommitsWithBasehead({ ...REPO, basehead: 'main...feature/x' })).data).toMatchObject({
      status: 'ahead',
      ahead_by: 1,
      behind_by: 0,
      commits: [{ sha: head }],
      files: [{ filename: 'a.txt' }],
    })
    expect((await repos.compareCommitsWithBasehead({ ...REPO, basehead: 'feature/x...main' })).data).toMatchObject({
      status: 'behind',
      behind_by: 1,
      files: [],
    })
    expect((await repos.getCommit({ ...REPO, ref: 'feature/x' })).data).toMatchObject({
      sha: head,
      commit: { message: 'Add a' },
      stats: { additions: 1 },
      files: [{ filename: 'a.txt' }],
    })
    expect(
      (await repos.listCommits({ ...REPO, sha: 'feature/x' })).data.map((commit) => commit.commit.message),
    ).toEqual(['Add a', 'Start'])
    expect((await repos.getBranch({ ...REPO, branch: 'feature/x' })).data.commit.sha).toBe(head)
    expect((await octokit('reader').git.getRef({ ...REPO, ref: 'heads/feature/x' })).data.object.sha).toBe(head)
    expect((await repos.listBranches(REPO)).data.map((branch) => branch.name)).toEqual(['feature/x', 'main'])
  })
})
