/**
 * Nothing of one Project is ever an answer to a caller whose right is bound to another, be it another of its name (POD-TOKEN-6):
 * over every route that the orchestrator has. A route without a line here fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mostSkewMs } from '../../edges/agents/find-tasks.ts'
import { canaries } from './canaries.ts'
import { apply, Work } from './honest.ts'
import { repositoryName } from './home.ts'
import { manifestsOf, openScene, type Scene } from './scene.ts'

interface Request {
  readonly path: string
  readonly body?: object
  /** The token goes as git sends it. */
  readonly isGit?: true
}

/** What a pod asks, of its own Task and Project or of another's. */
type Ask = (of: { readonly task: string; readonly project: string }) => Request

/**
 * `pods`: bound to the Project of the pod's token. `operators`: an OIDC bearer or a session of the inspector, which are bound to no
 * Project. `senders`: whoever has the secret of this one Project's hook, or of this one pod. `everybody`: nothing of any Project.
 */
type Line =
  | { readonly by: 'operators' | 'senders' | 'everybody' }
  | { readonly by: 'pods'; readonly asks: readonly Ask[]; readonly agent?: 'brainstorm' }

const operators = { by: 'operators' } as const
const senders = { by: 'senders' } as const
const everybody = { by: 'everybody' } as const

const pods = (...asks: readonly Ask[]): Line => ({ by: 'pods', asks })
const ofTask = (rest: string, body?: object): Line =>
  pods(({ task }) => ({ path: `/tasks/${task}${rest}`, ...(body === undefined ? {} : { body }) }))
const git = (service: string): Ask => {
  return ({ project }) => ({ path: `/git/${project}/${repositoryName}.git/info/refs?service=${service}`, isGit: true })
}
const pack: Ask = ({ project }) => ({
  path: `/git/${project}/${repositoryName}.git/git-upload-pack`,
  body: {},
  isGit: true,
})

const lines: Readonly<Record<string, Line>> = {
  'GET /tasks': {
    by: 'pods',
    agent: 'brainstorm',
    asks: [({ project }) => ({ path: `/tasks?project=${project}` }), () => ({ path: '/tasks' })],
  },
  'GET /tasks/:task': ofTask(''),
  'GET /tasks/:task/context': ofTask('/context'),
  'GET /tasks/:task/notes': ofTask('/notes'),
  'POST /tasks/:task/notes': ofTask('/notes', { kind: 'note', body: 'what the law writes' }),
  'POST /tasks/:task/outcome': ofTask('/outcome', { kind: 'implement', payload: {} }),
  'GET /tasks/:task/scm': pods(
    ({ task, project }) => ({ path: `/tasks/${task}/scm?kind=issues&repo=${repositoryName}&project=${project}` }),
    ({ task }) => ({ path: `/tasks/${task}/scm?kind=comments&repo=${repositoryName}&number=1` }),
    ({ task }) => ({ path: `/tasks/${task}/scm?kind=commits&repo=${repositoryName}` }),
  ),
  'POST /tasks/:task/issues': ofTask('/issues', {
    action: 'comment',
    repo: repositoryName,
    number: 1,
    body: 'A word.',
  }),
  'POST /tasks/:task/merge-requests': ofTask('/merge-requests', {
    action: 'comment',
    repo: repositoryName,
    number: 1,
    body: 'A word.',
  }),
  'POST /tasks/:task/takeover-requests': {
    by: 'pods',
    asks: [
      ({ task }) => ({
        path: `/tasks/${task}/takeover-requests`,
        body: { repo: repositoryName, number: 1, comment_external_id: '1' },
      }),
    ],
  },
  'GET /projects/:project': pods(({ project }) => ({ path: `/projects/${project}` })),
  'GET /projects/:project/repositories': pods(({ project }) => ({ path: `/projects/${project}/repositories` })),
  'GET /projects/:project/task-index': pods(({ project }) => ({ path: `/projects/${project}/task-index` })),
  'GET /git/:project/:repository/*': pods(git('git-upload-pack'), git('git-receive-pack')),
  'POST /git/:project/:repository/*': pods(pack),
  'GET /healthz': everybody,
  'GET /readyz': everybody,
  'GET /metrics': everybody,
  'GET /openapi.json': everybody,
  'GET /docs': everybody,
  'GET /.well-known/oauth-protected-resource': everybody,
  'GET /': everybody,
  'GET /inspector': everybody,
  'GET /inspector/': everybody,
  'GET /inspector/page.js': everybody,
  'GET /inspector/page.css': everybody,
  'GET /inspector/login': everybody,
  'GET /inspector/callback': everybody,
  'POST /inspector/logout': everybody,
  'GET /inspector/api/kinds': operators,
  'GET /inspector/api/actor': operators,
  'GET /inspector/api/actors': operators,
  'GET /inspector/api/choices': operators,
  'GET /inspector/api/board': operators,
  'GET /inspector/api/history': operators,
  'GET /inspector/api/story': operators,
  'GET /inspector/api/charts/:kind': operators,
  'PUT /resources': operators,
  'GET /resources/:kind': operators,
  'GET /resources/:kind/:namespace/:name': operators,
  'DELETE /resources/:kind/:namespace/:name': operators,
  'GET /operations/actors': operators,
  'GET /operations/history': operators,
  'GET /operations/replay': operators,
  'GET /operations/retention': operators,
  'POST /operations/retention': operators,
  'GET /operations/export': operators,
  'GET /operations/effect': operators,
  'GET /operations/effects': operators,
  'GET /operations/dead-letter': operators,
  'GET /operations/dead-letters': operators,
  'GET /operations/open': operators,
  'GET /operations/why': operators,
  'GET /operations/turns': operators,
  'GET /operations/board': operators,
  'POST /operations/retry': operators,
  'POST /operations/cancel': operators,
  'GET /operations/logs': operators,
  'GET /operations/transcript': operators,
  'POST /operations/hold': operators,
  'POST /operations/pause': operators,
  'POST /operations/resume': operators,
  'POST /operations/redeliver': operators,
  'POST /operations/inspector-link': operators,
  'POST /operator/webhooks/:project': senders,
  'POST /operator/webhooks/:project/alerts': senders,
  'POST /internal/turn-complete': senders,
  'POST /internal/transcript': senders,
}

interface Side {
  readonly task: string
  readonly project: string
  /** By the kind of agent, for tools that not every one has. */
  readonly tokens: { readonly implement: string; readonly brainstorm: string }
}

const timeout = 300_000
const theWord = 'the-word-of-the-first-life'

let scene: Scene
let first: Side
let second: Side

beforeAll(async () => {
  scene = await openScene()
  first = await begin('thinks-first', theWord)
  await wentAway()
  second = await begin('thinks-second', 'a word of the second life')
}, timeout)
afterAll(() => scene?.close(), 60_000)

/** A Task of an issue and one made by hand, each with a pod whose turn runs, and a note of the first. */
async function begin(byHand: string, word: string): Promise<Side> {
  const work = await Work.begin(scene)
  await work.note('note', word)
  const thinking = await Work.byHand(scene, byHand, 'brainstorm', [repositoryName])
  const task = work.agent.pod.spec.task.split('/')[1]!
  return {
    task,
    project: 'demo',
    tokens: { implement: work.agent.pod.token, brainstorm: thinking.agent.pod.token },
  }
}

/** The Project is deleted under its pods, which go on with their turns, and applied again. */
async function wentAway(): Promise<void> {
  await controls(first)
  const headers = { authorization: `Bearer ${canaries.operatorToken}` }
  const answer = await fetch(`${scene.url}/resources/projects/default/demo`, { method: 'DELETE', headers })
  expect(answer.status).toBe(204)
  await scene.quiet()
  // Who began so shortly before a Project was made may be its own: the times are of two clocks.
  const over = Date.now() + mostSkewMs
  await scene.until('the lives are apart', () => Date.now() > over)
  for (const manifest of manifestsOf(scene)) await apply(scene, manifest)
}

async function send(method: string, { path, body, isGit }: Request, token: string): Promise<[number, string]> {
  const basic = `Basic ${Buffer.from(`x-pod:${token}`).toString('base64')}`
  const headers = {
    authorization: isGit ? basic : `Bearer ${token}`,
    ...(body === undefined
      ? {}
      : { 'content-type': isGit ? 'application/x-git-upload-pack-request' : 'application/json' }),
  }
  const answer = await fetch(`${scene.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: isGit ? '0000' : JSON.stringify(body) }),
  })
  return [answer.status, await answer.text()]
}

interface Question {
  readonly name: string
  readonly method: string
  readonly ask: Ask
  readonly agent: 'implement' | 'brainstorm'
}

const questions: readonly Question[] = Object.entries(lines).flatMap(([name, line]) =>
  line.by === 'pods'
    ? line.asks.map((ask) => ({ name, method: name.split(' ')[0]!, ask, agent: line.agent ?? ('implement' as const) }))
    : [],
)

/** No refusal below may be the profile's, or that of a Task that has no such thing. */
async function controls(side: Side): Promise<void> {
  for (const { name, method, ask, agent } of questions) {
    const [status, text] = await send(method, ask(side), side.tokens[agent])
    if (name.endsWith('/takeover-requests')) continue
    expect([name, status, status === 401 || status === 403 ? text : '']).toEqual([name, status, ''])
  }
}

const isRefused = (status: number): boolean => status === 401 || status === 403

test('every route of the orchestrator has its line here, and no line is of a route that is gone (POD-TOKEN-6)', () => {
  expect(Object.keys(lines).toSorted()).toEqual([...new Set(scene.routes)].toSorted())
})

describe('pods of a Project that was deleted and applied again under its name (POD-TOKEN-6)', () => {
  test('still live on both sides, and those of the new one get their answers', async () => {
    for (const side of [first, second])
      expect((await scene.runtime.read(`pod:default/${side.task}/1`))?.status).toBe('active')
    await controls(second)
  }, 60_000)

  test.each(questions)(
    '$name refuses the old pods, whatever they ask of the new Project',
    async ({ method, ask, agent }) => {
      const before = scene.forge.audit().length
      for (const of of [first, second, { ...first, project: 'default%2Fdemo' }]) {
        const [status, text] = await send(method, ask(of), first.tokens[agent])
        expect([isRefused(status), text]).toEqual([true, expect.not.stringMatching(/second|implement-library/)])
      }
      expect(scene.forge.audit()).toHaveLength(before)
    },
  )

  test.each(questions)('$name tells the new pods nothing of the old Project', async ({ method, ask, agent }) => {
    const asked = ask(first)
    const [status, text] = await send(method, asked, second.tokens[agent])
    if (asked.path.includes(first.task)) expect([isRefused(status), text]).toEqual([true, text])
    for (const word of [first.task, theWord, 'thinks-first']) expect(text).not.toContain(word)
  })

  test.each(questions)('$name refuses the pods of another Project', async ({ method, ask, agent }) => {
    const asked = ask({ task: 'elsewhere-1', project: 'elsewhere' })
    const [status] = await send(method, asked, second.tokens[agent])
    if (asked.path.includes('elsewhere')) expect([401, 403, 404]).toContain(status)
  })
})

const ofOperators = Object.entries(lines).filter(([, { by }]) => by === 'operators')

test.each(ofOperators)('%s, which is bound to no Project, takes no pod’s token (POD-TOKEN-6)', async (name) => {
  const [method, path] = name.split(' ') as [string, string]
  const filled = path.replace(':kind', 'projects').replace(':namespace', 'default').replace(':name', 'demo')
  const body = ['PUT', 'POST'].includes(method) ? {} : undefined
  const [status] = await send(method, { path: filled, ...(body && { body }) }, second.tokens.implement)
  expect(isRefused(status)).toBe(true)
})
