import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { memoryGit } from '../memory/memory-git.ts'
import { bareAt, keepCommit, keepTree } from '../memory/objects.ts'
import { git as runGit } from '../run.ts'
import { processGit } from '../store.ts'
import { gitStoreContract, type Draft } from './git-store-contract.ts'

const AT = '2026-01-02T03:04:05Z'
const folder = { path: '', count: 0 }

beforeAll(async () => {
  folder.path = await mkdtemp(join(tmpdir(), 'git-store-'))
})
afterAll(() => rm(folder.path, { recursive: true, force: true }))

function nextPath(): string {
  return join(folder.path, String((folder.count += 1)))
}

gitStoreContract('real', async () => {
  const path = nextPath()
  await processGit.create(path, '/nonexistent', {})
  return { git: processGit.at(path), write: (draft) => importCommit(path, draft) }
})

gitStoreContract('memory', async () => {
  const path = nextPath()
  const store = memoryGit(() => Date.parse(AT))
  const branch = await store.create(path, '', {})
  bareAt(path).refs.delete(`refs/heads/${branch}`)
  return { git: store.at(path), write: async (draft) => keep(path, draft) }
})

function keep(path: string, { files, parents = [], message = 'Change' }: Draft): string {
  const bare = bareAt(path)
  const person = { name: 'Ann', email: 'ann@example.org', date: AT }
  const tree = keepTree(bare, new Map(Object.entries(files)))
  return keepCommit(bare, { tree, parents, message, author: person, committer: person })
}

/** One start of git for a commit of any number of files. */
async function importCommit(path: string, { files, parents = [], message = 'Change' }: Draft): Promise<string> {
  const ref = 'refs/made/commit'
  const person = `Ann <ann@example.org> ${Date.parse(AT) / 1000} +0000`
  const [from, ...others] = parents
  const input = [
    `commit ${ref}\nauthor ${person}\ncommitter ${person}\n${data(message)}`,
    from === undefined ? '' : `from ${from}\n`,
    ...others.map((parent) => `merge ${parent}\n`),
    'deleteall\n',
    ...Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
  ].join('')
  await runGit(path, ['fast-import', '--quiet', '--force'], { input })
  const sha = await runGit(path, ['rev-parse', ref])
  await runGit(path, ['update-ref', '-d', ref])
  return sha
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}
