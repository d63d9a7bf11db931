import { describe, expect } from 'vitest'
import { UsageError } from '../../args.ts'
import { apply } from './apply.ts'
import { said, statewright, withOrchestrator, type CommandFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: demo-scm}\nstringData: {token: hidden-token}\n'
const project = `apiVersion: platform.dev/v1alpha1
kind: Project
metadata: {name: demo}
spec:
  scmSecretRef: demo-scm
  scm: {provider: forge_a, owner: acme, botLogin: bot}
`
const task = `apiVersion: platform.dev/v1alpha1
kind: Task
metadata: {name: by-hand}
spec: {projectRef: demo, kind: implement, goal: Do it, repositories: [a]}
`
const file = (...documents: string[]): string => documents.join('---\n')

const it = testInside<[CommandFixture]>((use) => withOrchestrator(use))

describe('apply', () => {
  it('sends every document in its order and says what became of it, and never a secret (DEPLOYMENT-5)', async (fixture) => {
    const { out, err } = await said(() =>
      apply(['-f', fixture.file(file(secret, project, task)), '--dir', fixture.dir]),
    )
    expect(out.split('\n')).toEqual([
      'secret/demo-scm created',
      'project/demo created',
      'task/by-hand created',
      '  applied by hand: this counts as its approval',
    ])
    expect(err).toBe('')
    expect(fixture.sent.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret demo-scm',
      'Project demo',
      'Task by-hand',
    ])
  })

  it('sends nothing when one document is wrong, and tells every fault of every document (RESOURCES-9, TASK-RESOURCE-1)', async (fixture) => {
    const wrong = project.replace('botLogin', 'botLogni')
    const path = fixture.file(file(secret, wrong, task.replace('kind: implement', 'kind: sing')))
    const failing = apply(['-f', path, '--dir', fixture.dir])
    await expect(failing).rejects.toThrow('nothing was applied:')
    await expect(failing).rejects.toThrow(
      '  Project demo: /spec/scm/botLogni is not a known field; did you mean botLogin?',
    )
    await expect(failing).rejects.toThrow('  Project demo: /spec/scm/botLogin is required')
    await expect(failing).rejects.toThrow('  Task by-hand: /spec/kind must be one of "brainstorm"')
    expect(fixture.sent).toEqual([])
  })

  it('lists every field that nothing obeys, and sends nothing (RESOURCE-API-6)', async (fixture) => {
    const wrong = project.replace('botLogin: bot', 'botLogin: bot, board: {githubProjectNumber: 7}')
    const more = "  alerting: {url: 'https://alerts.acme.invalid'}\n  agent: {permissionMode: byPassPermissions}\n"
    const failing = apply(['-f', fixture.file(`${wrong}${more}`), '--dir', fixture.dir])
    await expect(failing).rejects.toThrow('/spec/scm/board/githubProjectNumber has no effect')
    await expect(failing).rejects.toThrow('/spec/alerting/url has no effect')
    await expect(failing).rejects.toThrow('/spec/agent/permissionMode must be one of')
    expect(fixture.sent).toEqual([])
  })

  it('prints what the orchestrator alone can warn of, and no warning twice (RESOURCE-API-7)', async (fixture) => {
    const own = { path: '/spec/tokenBudget/spawnCeilingByKind', message: 'has no effect: x' }
    const skills = { path: '/spec/agent/skillsRef', message: 'has no effect: the setting is empty' }
    const path = fixture.file(`${project}  tokenBudget: {spawnCeilingByKind: {review: 50}}\n`)
    const run = (): Promise<unknown> => apply(['-f', path, '--dir', fixture.dir])
    const [line = ''] = (await said(run)).err.split('\n')
    fixture.warned.set('demo', [{ ...own, message: line.slice(line.indexOf('has no effect')) }, skills])
    expect((await said(run)).err.split('\n')).toEqual([
      line,
      'warning: Project demo: /spec/agent/skillsRef has no effect: the setting is empty',
    ])
  })

  it('refuses provider github with the word for it (PROJECT-SCM-1)', async (fixture) => {
    const path = fixture.file(project.replace('forge_a', 'github'))
    await expect(apply(['-f', path, '--dir', fixture.dir])).rejects.toThrow('forge_a is GitHub')
  })

  it('refuses a bare off as kubectl does, and takes it in quotes (PROJECT-14)', async (fixture) => {
    const bare = fixture.file(`${project}  autoApproveMaxSignificance: off\n`)
    await expect(apply(['-f', bare, '--dir', fixture.dir])).rejects.toThrow(
      'Project demo: /spec/autoApproveMaxSignificance must be one of "off", "patch", "minor", "major", ""; write it in quotes',
    )
    expect(fixture.sent).toEqual([])
    const quoted = fixture.file(`${project}  autoApproveMaxSignificance: "off"\n`)
    expect(await said(() => apply(['-f', quoted, '--dir', fixture.dir]))).toMatchObject({
      out: 'project/demo created',
    })
  })

  it('refuses a field that one machine cannot obey, with the reason (RESOURCE-API-6)', async (fixture) => {
    const path = fixture.file(`${project}  agent: {image: 'wrapper:v1.2.3'}\n`)
    await expect(apply(['-f', path, '--dir', fixture.dir])).rejects.toThrow(
      'Project demo: /spec/agent/image cannot be obeyed on one machine: a pod of one machine is a process',
    )
    expect(fixture.sent).toEqual([])
  })

  it('warns of a key that no longer exists, and applies the rest (RESOURCES-10)', async (fixture) => {
    const path = fixture.file(project.replace('botLogin: bot', 'botLogin: bot, approvalLabel: ok'))
    const { out, err } = await said(() => apply(['-f', path, '--dir', fixture.dir]))
    expect(err).toBe(
      'warning: Project demo: /spec/scm/approvalLabel no longer exists and is ignored: approval is by comment text only',
    )
    expect(out).toBe('project/demo created')
  })

  it('takes standard input, and separators with nothing between them', async (fixture) => {
    const { code, out, err } = await statewright(
      ['apply', '-f', '-', '--dir', fixture.dir],
      file('', secret, '# only words\n', ''),
    )
    expect({ code, out, err }).toEqual({ code: 0, out: 'secret/demo-scm created\n', err: '' })
    expect(fixture.sent).toMatchObject([{ stringData: { token: 'hidden-token' } }])
  })

  it('ends with 1 and the faults that the orchestrator told, and what was sent before stays said', async (fixture) => {
    fixture.refused.add('demo')
    const { code, out, err } = await statewright([
      'apply',
      '-f',
      fixture.file(file(secret, project)),
      '--dir',
      fixture.dir,
    ])
    expect({ code, out }).toEqual({ code: 1, out: 'secret/demo-scm created\n' })
    expect(err).toBe('statewright: /spec: is refused\n')
  })

  it('refuses what is no YAML, what holds nothing, and a call without a file', async (fixture) => {
    await expect(apply(['-f', fixture.file('a: [1'), '--dir', fixture.dir])).rejects.toThrow('is not valid YAML')
    await expect(apply(['-f', fixture.file('---\n'), '--dir', fixture.dir])).rejects.toThrow('contains no document')
    await expect(apply(['--dir', fixture.dir])).rejects.toThrow(UsageError)
    await expect(apply(['-f', fixture.file('just a word'), '--dir', fixture.dir])).rejects.toThrow('must be a mapping')
    expect(fixture.sent).toEqual([])
  })

  it('says how to start what does not run', async (fixture) => {
    await expect(apply(['-f', fixture.file(secret), '--dir', `${fixture.dir}/none`])).rejects.toThrow(
      `nothing runs in ${fixture.dir}/none: start it with statewright up`,
    )
  })
})
