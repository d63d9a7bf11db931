import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { issueResource } from '../../../crd/status/issue.ts'
import { taskResource } from '../../../crd/status/task.ts'
import { topicMarker, withMarkers } from '../../../edges/forge/marker.ts'
import { inWordsOf } from '../../../edges/forge/words-of-forge.ts'
import { planComment } from '../../../machines/issue/plan.ts'
import { newIssue, type IssueContext } from '../../../machines/issue/context.ts'
import { newTask, withChanges } from '../../../machines/task/context.ts'
import { anIssue, ATask } from '../../../machines/testing/a-task.ts'
import { sayRefused } from '../../../machines/task/approvals.ts'
import { wayOut } from '../../../machines/task/refused-claims.ts'
import { citesAnew, refused } from '../../../standins/model/approval.ts'
import { asksAgain, planMark } from '../../../standins/forge/pages/thread.ts'
import { routeRules } from '../../../orchestrator/wiring/route-roles.ts'
import { withForge, type ForgeFixture } from '../../../standins/forge/testing/fixture.ts'
import { findEndpoints, writeEndpoints } from '../../local/endpoints.ts'
import { writePeople } from '../../local/people-file.ts'
import { approve } from './approve.ts'
import { comment } from './comment.ts'
import { said, withOrchestrator, type CommandFixture, type Said } from '../testing/fixture.ts'

const [first, second] = [`sha256:${'a1'.repeat(32)}`, `sha256:${'b2'.repeat(32)}`]
const metadata = (name: string): object => ({ name, namespace: 'default' })
type Dialect = 'github' | 'gitlab'
const providers = { github: 'forge_a', gitlab: 'forge_b' } as const

/** As the platform writes it. */
function shown(dialect: Dialect, hash: string, body: string): string {
  return withMarkers(inWordsOf(providers[dialect], 'issue', planComment(hash, body)), topicMarker('plan'))
}

test.each(['forge_a', 'forge_b'] as const)(
  'the pages of the local forge know a plan, and a refusal that asks again, as the platform writes them at %s',
  (provider) => {
    expect(topicMarker('plan')).toBe(planMark)
    for (const reason of ['author-is-maintainer', 'plan-shown', 'body-unchanged', 'issue-closed'])
      expect(inWordsOf(provider, 'issue', wayOut(reason))).toContain(asksAgain)
  },
)

test('the scripted model knows a refused approval as the platform writes it, and one whose citation alone was wrong', () => {
  const task = new ATask().mint().planned().context
  const said = (reason: string): unknown =>
    sayRefused(task, { type: 'approval.refused', reason } as never).effects?.map(({ params }) =>
      'body' in params ? params.body : '',
    )
  expect(said('author-is-maintainer')).toEqual([
    expect.stringMatching(new RegExp(`^${refused}(?!.*${citesAnew})`, 's')),
  ])
  for (const reason of ['author-matches', 'quote-matches', 'one-per-issue'])
    expect(said(reason)).toEqual([expect.stringMatching(new RegExp(`^${refused}.*${citesAnew}`, 's'))])
})

interface Room extends ForgeFixture {
  readonly cli: CommandFixture
  readonly repository: string
  readonly number: number
  readonly plan: number
  /** Comments of the thread, without the plan's. */
  said(): readonly string[]
  /** The plan that the orchestrator knows as the newest. */
  knows(planHash: string | null, grant?: { planHash: string; self: boolean }): void
  /** The Task that works on the issue; empty: none. */
  owned(task: string): void
  call(command: typeof approve, ...args: string[]): Promise<Said & { readonly code: number }>
}

async function withRoom(dialect: Dialect, use: (room: Room) => Promise<void>): Promise<void> {
  const owner = dialect === 'gitlab' ? 'acme/tools' : 'acme'
  await withForge({ git: 'memory', repository: { dialect, owner } }, (forge) =>
    withOrchestrator(async (cli) => {
      const repository = `${owner}/library`
      const { number } = forge.forge.openIssue('reader', repository, { title: 'Months', body: 'b', labels: [] })
      const { id: plan } = forge.forge.comment('bot', repository, number, shown(dialect, first, 'Add months.'))
      const apiURL = dialect === 'gitlab' ? forge.forge.gitlabApiUrl : forge.forge.apiUrl
      const scm = { provider: providers[dialect], owner, botLogin: 'bot', apiURL, maintainerLogins: ['Maintainer'] }
      const spec = { scm: { ...scm, webURL: forge.forge.url } }
      cli.items['projects'] = [{ kind: 'Project', metadata: metadata('demo'), spec, status: {} }]
      const url = forge.forge.gitUrl(owner, 'library')
      cli.items['repositories'] = [{ metadata: metadata('library'), spec: { projectRef: 'demo', url }, status: {} }]
      const endpoints = findEndpoints(cli.dir)
      if (endpoints === undefined) throw new Error('no endpoints')
      writeEndpoints(cli.dir, { ...endpoints, forge: forge.forge.url, forgeApi: apiURL })
      const room: Room = {
        ...{ ...forge, cli, repository, number, plan },
        said: () =>
          forge.forge
            .issues(repository)
            .flatMap(({ comments }) => [...comments.values()])
            .filter(({ id }) => id !== plan)
            .map(({ author, body }) => `${author.login}: ${body}`),
        knows: (planHash, grant) => {
          const blank = newTask('default/months')
          const issue = { ...anIssue, number, state: 'open', accepted: false, grant: grant ?? null } as const
          const task = withChanges(blank, {
            config: { ...blank.config, project: 'default/demo' },
            stage: { name: 'implementing', class: 'active' },
            forge: { issues: [{ ...issue, repository: 'library' }] },
            journal: { planHash },
          })
          cli.items['tasks'] = shownAs(taskResource({ ...actor, id: 'default/months', context: task }))
          room.owned('default/months')
        },
        owned: (owner) => {
          const id = `default/library-${number}`
          const facts = { repository: 'library', number, state: 'open' } as NonNullable<IssueContext['facts']>
          cli.items['issues'] = shownAs(issueResource({ ...actor, id, context: { ...newIssue(id), facts, owner } }))
        },
        call: async (command, ...args) => {
          let code = 0
          const words = await said(async () => void (code = await command([...args, '--dir', cli.dir])))
          return { ...words, code }
        },
      }
      room.knows(first)
      await use(room)
    }),
  )
}

const actor = { path: 'a', seq: 1 }

/** As the orchestrator answers: by its own code. */
function shownAs(resource: object | undefined): object[] {
  return resource === undefined ? [] : [JSON.parse(JSON.stringify(resource))]
}

/** As `up` writes it at each start; of a pod it is hidden. */
function readablePeople({ cli }: Room): void {
  writePeople(cli.dir, { maintainer: { token: 'token-of-maintainer', key: 'k' } })
}

const words = { github: '/approve', gitlab: 'approve' } as const
const credentials = [
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'],
  ...['GITLAB_TOKEN', 'GITLAB_HOST', 'GITLAB_URI'],
]
let bin = ''

beforeEach(() => {
  for (const name of credentials) vi.stubEnv(name, undefined)
  bin = mkdtempSync(join(tmpdir(), 'approve-'))
  mkdirSync(join(bin, 'none'))
  vi.stubEnv('PATH', join(bin, 'none'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(bin, { recursive: true, force: true })
})

describe.each(['github', 'gitlab'] as const)('on %s', (dialect) => {
  test('approve shows the plan and its hash, and writes the word as the person', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      const { out, code } = await room.call(approve, 'months', '--as', 'maintainer', '--yes')
      expect(code).toBe(0)
      expect(out).toContain('plan a1a1a1a1 of default/months, on library#')
      expect(out).toContain('  Add months.')
      expect(room.said()).toEqual([`maintainer: ${words[dialect]}`])
    }))

  test('approve writes nothing a second time: not for a plan that is approved, nor where nothing was said since', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      const call = (): Promise<Said> => room.call(approve, `library#${room.number}`, '--as', 'maintainer', '--yes')
      await call()
      expect((await call()).out).toContain('approved plan a1a1a1a1 a moment ago')
      expect(room.said()).toHaveLength(1)
      room.forge.comment('bot', room.repository, room.number, 'It counts no more: say it again.')
      await call()
      expect(room.said()).toHaveLength(3)
      room.knows(first, { planHash: first, self: false })
      expect((await call()).out).toContain('plan a1a1a1a1 is approved: nothing was written')
      expect(room.said()).toHaveLength(3)
    }))

  test('an approval that lapsed since, of which nobody wrote, is written again', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      const call = (): Promise<Said> => room.call(approve, `library#${room.number}`, '--as', 'maintainer', '--yes')
      await call()
      vi.setSystemTime(Date.now() + 120_000)
      await call().finally(() => vi.useRealTimers())
      expect(room.said()).toHaveLength(2)
    }))

  test('approve writes nothing for who is no maintainer of the repository, and names who is', () =>
    withRoom(dialect, async (room) => {
      writePeople(room.cli.dir, { reader: { token: 'token-of-reader', key: 'k' } })
      const call = (): Promise<unknown> => room.call(approve, 'months', '--as', 'reader', '--yes')
      await expect(call()).rejects.toThrow(
        'reader is no maintainer of demo: nothing was written. Maintainers: Maintainer',
      )
      readablePeople(room)
      const [known] = room.cli.items['repositories'] as { spec: object }[]
      const spec = { ...known?.spec, maintainerLogins: [] }
      room.cli.items['repositories'] = [{ ...known, spec }]
      await expect(room.call(approve, 'months', '--as', 'maintainer', '--yes')).rejects.toThrow('Maintainers: nobody')
      expect(room.said()).toEqual([])
    }))

  test('an agent that runs approve --as has no credential to speak with, and writes nothing', () =>
    withRoom(dialect, async (room) => {
      const { err, code } = await room.call(approve, 'months', '--as', 'maintainer', '--yes')
      expect({ code, said: room.said() }).toEqual({ code: 3, said: [] })
      expect(err).toContain('nothing was written')
      expect(err).toMatch(/http:\S+issues\/\d+/)
      readablePeople(room)
      expect((await room.call(approve, 'months', '--yes')).err).toContain('say who you are here: --as maintainer')
      expect(room.said()).toEqual([])
      await room.call(approve, 'months', '--as', 'maintainer', '--yes')
      expect(room.said()).toHaveLength(1)
    }))

  test('approve refuses a plan that is not the newest, and a newer one at the write', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      const call = (): Promise<unknown> => room.call(approve, 'months', '--as', 'maintainer', '--yes')
      room.knows(second)
      await expect(call()).rejects.toThrow('does not show the newest plan')
      room.knows(null)
      await expect(call()).rejects.toThrow('default/months has no plan yet: it is implementing')
      room.knows(first)
      room.cli.after('tasks', 2, () => {
        room.knows(second)
        room.forge.editComment('bot', room.repository, room.plan, shown(dialect, second, 'Drop all.'))
      })
      await expect(call()).rejects.toThrow('a newer plan b2b2b2b2 stands')
      expect(room.said()).toEqual([])
    }))

  test('comment speaks on the issue of a Task, or in the thread that is named', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      await room.call(comment, 'months', 'Please wait.', '--as', 'maintainer')
      await room.call(comment, `library#${room.number}`, '/approve', '--as', 'maintainer')
      expect(room.said()).toEqual(['maintainer: Please wait.', `maintainer: ${words[dialect]}`])
    }))

  test('RESOURCES-33: on an issue that no Task works on a person comments, and approves nothing', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      room.owned('')
      const thread = `library#${room.number}`
      await expect(room.call(approve, thread, '--as', 'maintainer', '--yes')).rejects.toThrow(
        `no Task works on ${thread}: there is nothing to approve`,
      )
      await room.call(comment, thread, '/retry', '--as', 'maintainer')
      expect(room.said()).toEqual(['maintainer: /retry'])
    }))

  test('a credential in the environment goes to the host that its owner named, and to no other', () =>
    withRoom(dialect, async (room) => {
      const [token, host] = dialect === 'gitlab' ? ['GITLAB_TOKEN', 'GITLAB_HOST'] : ['GH_ENTERPRISE_TOKEN', 'GH_HOST']
      for (const name of ['GH_TOKEN', 'GITHUB_TOKEN', token]) vi.stubEnv(name, 'token-of-maintainer')
      vi.stubEnv(host, 'forge.example.org')
      expect((await room.call(comment, 'months', 'x')).code).toBe(3)
      vi.stubEnv(host, undefined)
      expect((await room.call(comment, 'months', 'x')).code).toBe(3)
      expect(room.said()).toEqual([])
      vi.stubEnv(host, room.forge.url)
      expect((await room.call(comment, 'months', 'x')).code).toBe(0)
      expect(room.said()).toEqual(['maintainer: x'])
    }))

  test("the bot's credential is no person's", () =>
    withRoom(dialect, async (room) => {
      writePeople(room.cli.dir, { bot: { token: 'token-of-bot', key: 'k' } })
      await expect(room.call(approve, 'months', '--as', 'bot', '--yes')).rejects.toThrow("the bot's")
      expect(room.said()).toEqual([])
    }))

  test('a person of the stack speaks on its own forge alone', () =>
    withRoom(dialect, async (room) => {
      readablePeople(room)
      const endpoints = findEndpoints(room.cli.dir)
      if (endpoints !== undefined) writeEndpoints(room.cli.dir, { ...endpoints, forgeApi: 'http://127.0.0.1:1' })
      expect((await room.call(comment, 'months', 'x', '--as', 'maintainer')).code).toBe(3)
      expect(room.said()).toEqual([])
    }))
})

test('the orchestrator has no route that speaks for a person on the forge', () => {
  expect(Object.keys(routeRules).filter((route) => /approv|comment/i.test(route))).toEqual([])
})

test('gh is asked without the tokens of the environment, which it would give to any host', async () => {
  const { ownCredential } = await import('../../forge/credentials.ts')
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho "$4:$GH_ENTERPRISE_TOKEN$GH_TOKEN"\n')
  chmodSync(join(bin, 'gh'), 0o755)
  const path = `${bin}${delimiter}/usr/bin${delimiter}/bin`
  const env = { PATH: path, GH_ENTERPRISE_TOKEN: 'e', GITHUB_ENTERPRISE_TOKEN: 'f', GH_HOST: 'ours.example.org' }
  const of = (apiURL: string): Promise<unknown> => ownCredential({ provider: 'forge_a', apiURL }, env)
  expect(await of('https://evil.example.org/api/v3')).toEqual({ token: 'evil.example.org:' })
  expect(await of('https://ours.example.org/api/v3')).toEqual({ token: 'e' })
  expect(await ownCredential({ provider: 'forge_a' }, env)).toEqual({ token: 'github.com:' })
  expect(await ownCredential({ provider: 'forge_a' }, { ...env, GH_TOKEN: 't' })).toEqual({ token: 't' })
  const spoofed = await ownCredential(
    { provider: 'forge_a', apiURL: 'https://api.github.com@evil.org' },
    { PATH: '/none', GH_TOKEN: 't' },
  )
  expect(spoofed).toHaveProperty('lacks')
})
