/**
 * A Project that does things by itself, over the whole orchestrator: its issue scan and an alert mint exactly the Tasks
 * that they should. The tests are one story; ticks are brought forward by the very event that their timers raise.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { people } from '../../standins/people.ts'
import { projectWith, repository, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'
import { bareName } from '../../crd/resource-id.ts'

let fixture: OrchestratorFixture

beforeAll(async () => {
  fixture = await startOrchestratorFixture()
  for (let n = 1; n <= 3; n += 1)
    fixture.forge.openIssue(people.bot, repository, { title: `Proposal ${n}`, body: 'b', labels: [] })
  await fixture.until('they are handed out at once', async () => (await tasks()).length === 3)
}, 120_000)
afterAll(() => fixture?.stop(), 30_000)

const project = 'project:default/demo' as const
const once = '0 0 1 1 *'

async function put(body: object): Promise<void> {
  const answer = await fixture.call('/resources', { method: 'PUT', token: await fixture.operatorToken(), body })
  expect([answer.status, answer.body]).toMatchObject([200, {}])
}

async function applyWith(spec: object, cron: object): Promise<void> {
  await put(projectWith(fixture.forge, { ...spec, scm: { cron } }))
}

async function tasks(): Promise<readonly TaskContext[]> {
  return (await fixture.runtime.list('task')).map(({ context }) => context as unknown as TaskContext)
}

async function kinds(): Promise<readonly string[]> {
  return (await tasks()).map(({ kind, stage: { name: stage } }) => `${kind} ${stage}`).toSorted()
}

async function regionIs(leaf: string): Promise<void> {
  await fixture.until(leaf, async () => (await fixture.runtime.read(project))?.path.split(' ').includes(leaf))
}

let ticks = 0
async function tick(block: string): Promise<void> {
  await regionIs(`scheduled.${block}.idle`)
  ticks += 1
  const type = `xstate.after.${block}.tick.project.scheduled.${block}.idle`
  const receipt = await fixture.runtime.deliver({ to: project, key: `early/${ticks}`, event: { type, at: Date.now() } })
  expect(receipt.applied).toBe(true)
}

async function status(): Promise<Readonly<Record<string, unknown>> & { conditions: { type: string }[] }> {
  const { body } = await fixture.call('/resources/projects/default/demo', { token: await fixture.operatorToken() })
  return body['status'] as never
}

describe('an issue scan', () => {
  test('is scheduled by applying it; until its tick nobody works on what nobody asked for', async () => {
    const issueScan = { schedule: once, maxPerRepo: 9 }
    await applyWith(
      { maxNewTasksPerSweep: 2, documentation: { enabled: true, repo: 'https://x.test/y/docs' } },
      { issueScan },
    )
    await regionIs('scheduled.issueScan.idle')
    await fixture.quiet()
    for (const n of [4, 5, 6])
      fixture.forge.openIssue(people.bot, repository, { title: `Proposal ${n}`, body: 'b', labels: [] })
    await fixture.quiet()
    expect((await tasks()).length).toBe(3)
  })

  test('says what is wrong beside it, and what it would do when (PROJECT-STATUS-1)', async () => {
    const { conditions, lastIssueScan, webhookURL } = await status()
    expect(conditions.map(({ type }) => type)).toContain('DocumentationNotEnrolled')
    expect([lastIssueScan, webhookURL]).toEqual([undefined, `${fixture.orchestrator.url}/operator/webhooks/demo`])
  })

  test('refines first, then mints as many as one sweep may, parked because a person has to speak for them (CRON-2, CRON-4)', async () => {
    const before = await kinds()
    await tick('issueScan')
    const refine = await fixture.until('the refine', async () => (await tasks()).find(({ kind }) => kind === 'refine'))
    const name = refine.id.split('/')[1]!
    const pod = await fixture.podOf(name, 1)
    const { status: code } = await fixture.call(`/tasks/${name}/outcome`, {
      token: pod.token,
      body: { kind: 'refine', payload: {} },
    })
    expect(code).toBe(200)
    await pod.endTurn()
    await fixture.until('the sweep is over', async () => (await status())['lastIssueScan'] !== undefined)
    await fixture.quiet()
    const now = await kinds()
    expect(now).toEqual(
      [...before, 'implement backlog-sweep', 'implement backlog-sweep', 'refine delivered'].toSorted(),
    )
  })

  test('at its next tick skips the refine, since nothing changed, and mints what was left', async () => {
    const before = await kinds()
    await tick('issueScan')
    await fixture.until('one more', async () => (await kinds()).length === before.length + 1)
    await regionIs('scheduled.issueScan.idle')
    await fixture.quiet()
    expect(await kinds()).toEqual([...before, 'implement backlog-sweep'].toSorted())
    expect(Object.keys(await status())).toContain('lastRefine')
  })

  test('while paused records its tick, and no Task comes into being (PROJECT-5)', async () => {
    const issueScan = { schedule: once, maxPerRepo: 9 }
    await applyWith({ maxConcurrentAgents: 0 }, { issueScan })
    fixture.forge.openIssue(people.bot, repository, { title: 'Proposal 7', body: 'b', labels: [] })
    await fixture.quiet()
    const before = await kinds()
    await tick('issueScan')
    await regionIs('scheduled.issueScan.due')
    await fixture.quiet()
    expect(await kinds()).toEqual(before)
  })
})

async function known(): Promise<NonNullable<QueueContext['incidents']>> {
  const { context } = (await fixture.runtime.read('queue:default/demo'))!
  return (context as unknown as QueueContext).incidents ?? []
}

describe('an alert', () => {
  const alert = {
    status: 'firing',
    labels: { alertname: 'HighErrors' },
    startsAt: '2026-03-01T12:00:00Z',
    fingerprint: 'f1',
  }
  const post = async (status: string, token = 'alerts-secret', more = {}) =>
    fixture.call('/operator/webhooks/demo/alerts', {
      token,
      body: { version: '4', groupKey: 'g', alerts: [{ ...alert, status, ...more }] },
    })

  test('is not routed before the Project takes alerts', async () => {
    expect((await post('firing')).status).toBe(404)
  })

  test('mints one incident Task, however often it fires, and none when it is over (PROJECT-ALERTING-3, SERVICE-2, ALERTS-1, ALERTS-6)', async () => {
    await put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'demo-alerts' },
      stringData: { webhookSecret: 'alerts-secret' },
    })
    await applyWith({ alerting: { enabled: true, secretRef: 'demo-alerts' } }, {})
    await regionIs('scheduled.issueScan.off')
    expect((await post('firing', 'wrong')).status).toBe(401)
    const answers = [await post('firing'), await post('firing'), await post('resolved')]
    expect(answers.map(({ status: code, body }) => [code, body['accepted']])).toEqual([
      [202, 1],
      [202, 0],
      [202, 0],
    ])
    await fixture.until('the incident', async () => (await kinds()).includes('incident investigating'))
    for (const startsAt of ['2026-03-01T12:05:00Z', '2026-03-01T11:59:57Z'])
      expect((await post('firing', 'alerts-secret', { startsAt })).body).toMatchObject({ accepted: 0, joined: 1 })
    await fixture.quiet()
    const [{ journal }] = (await tasks()).filter(({ kind }) => kind === 'incident') as [TaskContext]
    expect(journal.notes.filter(({ source }) => source === 'operator')).toMatchObject([{ kind: 'note' }])
    const incidents = (await tasks()).filter(({ kind }) => kind === 'incident')
    expect(incidents.map(({ origin, priority }) => [origin.kind, priority])).toEqual([['alert', 0]])
  })

  test('that fires while its issue is open joins it, and begins another incident once it is closed (ALERTS-6)', async () => {
    const fire = async (hour: number): Promise<unknown> => {
      const { body } = await post('firing', 'alerts-secret', { startsAt: `2026-03-02T0${hour}:00:00Z` })
      return [body['accepted'], body['joined']]
    }
    const [name = ''] = (await tasks()).flatMap(({ id, kind }) => (kind === 'incident' ? [bareName(id)] : []))
    const pod = await fixture.podOf(name, 1)
    const issue = { repo: 'duration', title: 'Errors', body: 'b' }
    const payload = { action: 'file_issue', alert_rules: ['HighErrors'], reason: 'r', issue }
    const outcome = { token: pod.token, body: { kind: 'incident', payload } }
    expect((await fixture.call(`/tasks/${name}/outcome`, outcome)).status).toBe(200)
    expect(await fire(1)).toEqual([0, 1])
    await pod.endTurn()
    const { number } = await fixture.until('the issue', async () => (await known()).find(({ issue: at }) => at)?.issue)
    expect([await fire(2), await fire(3)]).toEqual([
      [0, 1],
      [0, 1],
    ])
    expect((await known()).map(({ firings }) => firings)).toEqual([6])
    fixture.forge.closeIssue(people.maintainer, repository, number)
    await fixture.quiet()
    expect([await fire(3), await fire(4), await fire(5)]).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
    ])
  })
})

test('a Project that is deleted drops what waits', async () => {
  const token = await fixture.operatorToken()
  const { status: code } = await fixture.call('/resources/projects/default/demo', { method: 'DELETE', token })
  expect(code).toBe(204)
  await fixture.until('it is gone', async () => (await fixture.runtime.read(project))?.path === 'deleted')
  await fixture.until(
    'its queue is closed',
    async () => (await fixture.runtime.read('queue:default/demo'))?.context['closedReason'] === 'Deleted',
  )
  await fixture.quiet()
  const { entries } = (await fixture.runtime.read('queue:default/demo'))!.context as unknown as QueueContext
  expect(entries.filter(({ admittedAt }) => admittedAt === null)).toEqual([])
  expect((await tasks()).filter(({ stage }) => stage.class !== 'terminal')).toEqual([])
})
