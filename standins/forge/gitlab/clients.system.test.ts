/** GitLab's own Go client and python-gitlab play one story on the local forge: `npm run test:forges`. */
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { PROJECT, withGitlab } from '../testing/gitlab.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const walk = join(import.meta.dirname, 'testing', 'walk.py')
const installMs = 300_000

/** What a client understood, by the names that both walks use. */
async function story(program: string, first: readonly string[] = []): Promise<unknown> {
  let told = ''
  await withGitlab({ git: 'process' }, async ({ forge, clone, push }) => {
    await push(await clone('bot'), 'topic', { 'src/mul.js': 'export const mul = 1\n' })
    const tokens = ['token-of-maintainer', 'token-of-bot']
    const parameters = [...first, forge.url, ...tokens, PROJECT, 'topic', 'http://127.0.0.1:9/hook']
    told = (await promisify(execFile)(program, parameters, { timeout: 60_000 })).stdout
  })
  return JSON.parse(told) as unknown
}

const understood = {
  user: 'maintainer',
  project: ['acme/tools/library', 'main', 'public'],
  access: 50,
  absent: 404,
  label: ['stage::one', '#112233'],
  issue: [1, 'opened', 'maintainer', ['stage::one'], ['stage::two', 'wanted'], false],
  issues: 1,
  notes: ['maintainer two'],
  closed: ['closed', 'maintainer', true],
  opened: [1, 'opened', true, false, 409],
  diffs: [1, 'src/mul.js', true, '@@ -0,0 +1 @@\n+export const mul = 1\n'],
  commits: [1, true, 1, true],
  thread: [2, 'DiffNote', 'here', true, 'src/mul.js', 1],
  nowhere: 400,
  drafts: 1,
  published: 0,
  discussions: ['a draft', 'here', 'why?'],
  approved: ['bot'],
  unapproved: [],
  status: ['success', 'lint', 1],
  ready: ['mergeable', false],
  merged: [409, 'merged', true, true, true],
  gone: 404,
  hook: [true, true, false, true],
  hooks: 1,
  unhooked: 0,
}

describeRequiring('gitlab-client', 'clients of GitLab on the local forge', () => {
  test('GitLab’s own Go client opens, reviews, approves and merges', async () => {
    const program = join(process.env['GITLAB_CLIENT']!, 'gitlab-client')
    expect(await story(program)).toMatchObject(understood)
  })

  test('python-gitlab understands the same', { timeout: installMs }, async (context) => {
    const python = ((): string | undefined => {
      try {
        return execFileSync('bash', [join(root, '.ci/python-gitlab.sh'), 'install'], { encoding: 'utf8' }).trim()
      } catch {
        return undefined
      }
    })()
    if (python === undefined) return context.skip('python-gitlab could not be had from PyPI')
    expect(await story(python, [walk])).toMatchObject(understood)
  })
})
