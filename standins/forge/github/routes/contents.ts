import { askGit } from '../../git/run.ts'
import { Refusal } from '../../store/refusal.ts'
import type { Answer, Call, Route } from '../call.ts'
import type { Json } from '../payloads/common.ts'
import { shaOf } from './commits.ts'

interface Entry {
  readonly type: string
  readonly sha: string
  readonly size: number
  readonly path: string
}

export const contentRoutes: readonly Route[] = [
  { method: 'GET', path: '/repos/:owner/:repo/contents', run: showContents },
  { method: 'GET', path: '/repos/:owner/:repo/contents/*', run: showContents },
]

async function showContents(call: Call): Promise<Answer> {
  const commit = await shaOf(call, call.query.ref ?? call.repository.defaultBranch)
  const path = (call.params['*'] ?? '').replace(/\/+$/, '')
  const [own] = path === '' ? [] : await list(call, commit, path)
  if (path !== '' && !own) throw new Refusal('not-found')
  if (own?.type === 'blob') return showFile(call, own)
  const children = await list(call, commit, path === '' ? '' : `${path}/`)
  return { body: children.map((entry) => entryPayload(call, entry)) }
}

async function list(call: Call, commit: string, path: string): Promise<Entry[]> {
  const args = ['ls-tree', '-l', '-z', commit, ...(path === '' ? [] : ['--', path])]
  // A path that leads out of the tree is a failure to git, and to the asker nothing that is there.
  const { stdout } = await askGit(call.repository.path, args, { answers: [128] })
  return stdout
    .toString()
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [, type = '', sha = '', size = '', name = ''] = /^\d+ (\w+) (\w+)\s+(\S+)\t([\s\S]*)$/.exec(line) ?? []
      return { type, sha, size: Number(size) || 0, path: name }
    })
}

async function showFile(call: Call, entry: Entry): Promise<Answer> {
  const { stdout } = await askGit(call.repository.path, ['cat-file', 'blob', entry.sha])
  if (call.accept.includes('raw'))
    return { text: { type: 'application/vnd.github.raw; charset=utf-8', content: stdout } }
  return {
    body: {
      ...entryPayload(call, entry),
      encoding: 'base64',
      content: `${stdout.toString('base64').replaceAll(/(.{60})/g, '$1\n')}\n`,
    },
  }
}

function entryPayload(call: Call, entry: Entry): Json {
  const { links, repository } = call
  const url = `${links.repository(repository)}/contents/${entry.path}`
  const html = `${links.webRepository(repository)}/blob/HEAD/${entry.path}`
  const git = `${links.repository(repository)}/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`
  return {
    type: entry.type === 'blob' ? 'file' : entry.type === 'tree' ? 'dir' : 'submodule',
    size: entry.size,
    name: entry.path.split('/').at(-1),
    path: entry.path,
    sha: entry.sha,
    url,
    html_url: html,
    git_url: git,
    download_url: null,
    _links: { self: url, git, html },
  }
}
