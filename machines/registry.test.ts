import { expect, test } from 'vitest'
import { drive, type Drive } from './drive.ts'
import { machines } from './registry.ts'

type Fields = { readonly type: string; readonly [field: string]: unknown }

/** All machines together, deliveries in order, the outside played by the test. */
class World {
  readonly actors = new Map<string, Drive>()
  readonly asked: { readonly type: string; readonly params: Readonly<Record<string, unknown>> }[] = []
  readonly deadLetters: string[] = []

  send(to: string, event: Fields): void {
    const inbox: [string, Fields][] = [[to, event]]
    for (let next = inbox.shift(); next; next = inbox.shift()) {
      for (const { type, params } of this.#actor(...next)?.send(next[1]) ?? []) {
        if (type === 'deliver') inbox.push([params.to, params.event])
        else this.asked.push({ type, params })
      }
    }
  }

  #actor(address: string, event: Fields): Drive | undefined {
    const known = this.actors.get(address)
    if (known) return known
    const definition = machines.find(({ kind }) => address.startsWith(`${kind}:`))
    if (!definition?.createdBy.includes(event.type)) {
      this.deadLetters.push(`${address} < ${event.type}`)
      return undefined
    }
    const born = drive(definition.machine, address.slice(definition.kind.length + 1))
    this.actors.set(address, born)
    return born
  }

  status(address: string): unknown {
    return this.actors.get(address)?.status
  }

  count(type: string): number {
    return this.asked.filter((effect) => effect.type === type).length
  }
}

const config = {
  project: 'default/p',
  agentPodTTLSeconds: 3600,
  turnTimeoutSeconds: 600,
  stallProbeGraceSeconds: 60,
  stallProbeMaxAttempts: 2,
  autoApproveMaxSignificance: 'off',
  model: {},
  effort: {},
  permissionMode: 'bypassPermissions',
  repositories: [{ name: 'lib', base: 'main' }],
}
const labels = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd' }
const issue = 'issue:default/lib-1'
const mergeRequest = 'merge-request:default/lib-mr-7'

function issueFacts(more: object = {}): Fields {
  const person = {
    author: 'bob',
    url: 'u',
    bodyHash: 'b',
    editedByOther: false,
    selfProposed: false,
    humanCommented: false,
    wanted: true,
  }
  const facts = {
    project: 'default/p',
    repository: 'lib',
    number: 1,
    state: 'open',
    title: 'T',
    ...person,
    unwantedByMaintainer: false,
    approvals: [],
    unclear: [],
    labels,
    config,
  }
  return { type: 'issue.observed', facts: { ...facts, ...more } }
}

function mrFacts(more: object = {}): Fields {
  const head = {
    draft: false,
    headSha: 's1',
    headBranch: 'x',
    baseBranch: 'main',
    base: 'main',
    ci: 'success',
    mergeable: true,
    headByBot: true,
    pushedBy: 'bot',
    pushedByGated: false,
  }
  const facts = {
    project: 'default/p',
    repository: 'lib',
    number: 7,
    state: 'open',
    title: 'a',
    author: 'bot',
    url: 'u',
    ...head,
    wanted: false,
    config,
  }
  return { type: 'mr.observed', facts: { ...facts, ...more } }
}

test('the main job: from an issue to a merged change, across every machine', () => {
  const world = new World()
  world.send('project:default/p', {
    type: 'project.applied',
    generation: 1,
    maxConcurrentAgents: 1,
    capacity: 1,
    alertCapacity: 1,
  })
  world.send('project:default/p', { type: 'project.checked', generation: 1, ready: true, reason: '', message: '' })
  world.send(issue, issueFacts())
  const task = [...world.actors.keys()].find((address) => address.startsWith('task:')) ?? ''
  const id = task.slice('task:'.length)
  const stage = () => world.actors.get(task)?.context.stage.name
  const boots = (pod: number) => {
    for (const event of [
      { type: 'pod.volumesBound' },
      { type: 'pod.created', name: 'x' },
      { type: 'pod.ready', url: 'http://pod' },
      { type: 'pod.session', contractVersion: 4 },
    ]) {
      world.send(`pod:${id}/${pod}`, event)
    }
  }
  const begins = (pod: number, turn: number) =>
    world.send(`turn:${id}/${pod}/${turn}`, { type: 'submit.accepted', turnId: `t${pod}${turn}` })
  const ends = (pod: number, turn: number, pushed: readonly string[] = []) =>
    world.send(`turn:${id}/${pod}/${turn}`, {
      type: 'turn.result',
      turnId: `t${pod}${turn}`,
      state: 'completed',
      stopReason: 'end_turn',
      finalText: 'f',
      usage: {},
      pushed,
      failed: [],
    })
  const vanishes = (pod: number) => world.send(`pod:${id}/${pod}`, { type: 'pod.vanished', reason: 'stopped' })
  const decides = (pod: number, kind: string, action: string, payload: object, more: object = {}) =>
    world.send(task, {
      type: 'outcome',
      pod,
      outcomeId: action,
      digest: action,
      kind,
      action,
      payload,
      claims: [],
      heads: [],
      workspaceClean: true,
      ...more,
    })

  expect(stage()).toBe('implementing')
  boots(1)
  begins(1, 0)
  world.send(task, { type: 'note.written', pod: 1, id: 'n1', kind: 'plan', body: 'plan', bodyHash: 'h1' })
  world.send(task, { type: 'agent.asked', pod: 1, repository: 'lib', number: 1 })
  ends(1, 0)

  const approval = { commentId: 'c1', author: 'alice', bodyHash: 'cb', at: 9_999_999_999 }
  world.send(issue, { type: 'issue.commented', commentId: 'c1', author: 'alice', maintainer: true, text: '/approve' })
  world.send(issue, issueFacts({ humanCommented: true, approvals: [approval] }))
  begins(1, 1)
  const citation = { commentId: 'c1', author: 'alice', quote: '/approve', span: '/approve', bodyHash: 'cb' }
  decides(
    1,
    'implement',
    'approved',
    { plan_note_id: 'n1', approving_maintainer: 'alice' },
    { claims: [{ issue: 'default/lib-1', citation, approvingMaintainer: 'alice' }] },
  )
  ends(1, 1)
  expect(world.actors.get(task)?.context.turn.prompt).toBe('write-code')
  begins(1, 2)
  decides(1, 'implement', 'submitted', { title: 'a', body: 'b', change_significance: 'patch' })
  ends(1, 2, ['lib'])
  expect(world.count('openMergeRequest')).toBe(0)
  vanishes(1)
  expect(world.count('openMergeRequest')).toBe(1)

  world.send(mergeRequest, mrFacts())
  world.send(task, {
    type: 'mr.ready',
    repository: 'lib',
    number: 7,
    mergeRequest: 'default/lib-mr-7',
    headSha: 's1',
    headBranch: 'x',
    baseBranch: 'main',
    author: 'bot',
    url: 'u',
    attempt: 1,
  })
  expect(stage()).toBe('reviewing')
  boots(2)
  begins(2, 0)
  const heads = [
    { repository: 'lib', number: 7, sha: 's1', base: 'main', draft: false, author: 'bot', authorMayMerge: true },
  ]
  decides(2, 'review', 'approve', { reviewed_shas: [{ repo: 'lib', number: 7, sha: 's1' }] }, { heads })
  ends(2, 0)
  expect(world.count('mergeMergeRequest')).toBe(0)
  vanishes(2)
  expect([world.count('postReview'), world.count('mergeMergeRequest')]).toEqual([1, 1])
  world.send(mergeRequest, mrFacts({ state: 'merged', mergeCommit: 'm1' }))

  expect([stage(), world.status(task), world.status(`pod:${id}/1`), world.status(`pod:${id}/2`)]).toEqual([
    'delivered',
    'done',
    'done',
    'done',
  ])
  expect(world.actors.get('queue:default/p')?.context.entries).toEqual([])
  expect(world.actors.get(task)?.context.journal.notes.map(({ source }: { source: string }) => source)).toEqual([
    'agent',
    'operator',
    'operator',
  ])
  expect([world.count('closeIssue'), world.count('deleteWorkspace')]).toEqual([1, 1])
  expect(world.deadLetters).toEqual([])
})
