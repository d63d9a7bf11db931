import { expect, test } from 'vitest'
import { drive, sent, types, type Drive } from '../drive.ts'
import { projectMachine } from './machine.ts'

const applied = { type: 'project.applied', generation: 2, maxConcurrentAgents: 3, capacity: 3, alertCapacity: 1 }
const checked = (ready: boolean, generation = 2) => ({
  type: 'project.checked',
  generation,
  ready,
  reason: ready ? '' : 'SecretMissingKeys',
  message: '',
})

function project(): Drive {
  const it = drive(projectMachine, 'default/demo')
  it.send(applied)
  return it
}
function ready(): Drive {
  const it = project()
  it.send(checked(true))
  return it
}

test('applied: the queue learns its caps and the checks run', () => {
  const it = drive(projectMachine, 'default/demo')
  const effects = it.send(applied)
  expect(types(effects)).toEqual(['queue<queue.configured', 'checkProject'])
  expect(sent(effects, 'queue')).toEqual([
    { type: 'queue.configured', maxConcurrentAgents: 3, capacity: 3, alertCapacity: 1 },
  ])
  expect(it.value).toBe('notReady')
})
test('Project readiness/ready: checks hold: ready, the queue opens, the mirror is read once', () => {
  const it = project()
  expect(types(it.send(checked(true)))).toEqual(['queue<queue.opened', 'resyncMirror'])
  expect(it.context.reason).toBe('')
})
test('checks fail: not ready, and says why', () => {
  const it = project()
  expect(it.send(checked(false))).toEqual([])
  expect(it.context.reason).toBe('SecretMissingKeys')
})
test('a check of an older generation says nothing', () => {
  const it = project()
  it.send(checked(true, 1))
  expect(it.value).toBe('notReady')
})
test('not ready: checked again every 5 minutes', () => {
  const it = project()
  expect(types(it.fire('recheck'))).toEqual(['checkProject'])
  expect(types(it.fire('recheck'))).toEqual(['checkProject'])
})
test('ready: read back and checked every 30 minutes, without opening the queue again (MIRROR-1) (TOOL-SCM-READ-5, WEBHOOKS-25)', () => {
  const it = ready()
  expect(it.timers()).toEqual({ resync: 30 * 60_000 })
  expect(types(it.fire('resync')).toSorted()).toEqual(['checkProject', 'resyncMirror'])
  expect(it.send(checked(true))).toEqual([])
})
test('an orchestrator starts: a ready Project is read back and checked at once, and again in 30 minutes (MIRROR-6)', () => {
  const it = ready()
  expect(types(it.send({ type: 'project.restarted' })).toSorted()).toEqual(['checkProject', 'resyncMirror'])
  expect([it.value, it.timers()]).toEqual(['ready', { resync: 30 * 60_000 }])
})
test('an orchestrator starts: a Project that is not ready is checked at once, a deleted one is not (MIRROR-6)', () => {
  const it = project()
  expect(types(it.send({ type: 'project.restarted' }))).toEqual(['checkProject'])
  expect([it.value, it.timers()]).toEqual(['notReady', { recheck: 5 * 60_000 }])
  it.send({ type: 'project.deleted' })
  expect([types(it.send({ type: 'project.restarted' })), it.value]).toEqual([[], 'deleted'])
})
test('a repository enrolled while ready: once its checks hold, the mirror is read back for what it holds', () => {
  const it = ready()
  it.send({ ...applied, generation: 3 })
  expect([it.context.generation, it.context.checkedGeneration]).toEqual([3, 2])
  expect(types(it.send(checked(true, 3)))).toEqual(['resyncMirror'])
  expect(it.context.checkedGeneration).toBe(3)
  expect(it.send(checked(true, 3))).toEqual([])
})
test('Project readiness/not-ready: no longer ready: the queue closes with the reason; running turns are not spoken of (SCHEDULE-1)', () => {
  const it = ready()
  expect(sent(it.send(checked(false)))).toEqual([{ type: 'queue.closed', reason: 'SecretMissingKeys' }])
  expect(it.value).toBe('notReady')
})
test('applied while ready: reconfigured and checked again, still ready', () => {
  const it = ready()
  expect(types(it.send({ ...applied, generation: 3, maxConcurrentAgents: 0 }))).toEqual([
    'queue<queue.configured',
    'checkProject',
  ])
  expect(it.value).toBe('ready')
})
test('a check that fails for good is a reason', () => {
  const it = project()
  it.send({ type: 'effect.failed', effect: 'checkProject', reason: '403', key: 'k' })
  expect(it.context).toMatchObject({ reason: 'CheckFailed', message: '403' })
})
test('a resync is remembered', () => {
  const it = ready()
  it.send({ type: 'project.resynced' })
  expect(it.context.resyncedAt).toBe(1_000_000)
})
test.each([
  ['notReady', project],
  ['ready', ready],
])(
  'deleted from %s: the queue closes, no timer stays, and one of the same name may be applied again',
  (_name, make) => {
    const it = make()
    expect(sent(it.send({ type: 'project.deleted' }))).toEqual([{ type: 'queue.closed', reason: 'Deleted' }])
    expect([it.value, it.timers()]).toEqual(['deleted', {}])
    expect(types(it.send({ ...applied, generation: 9 }))).toEqual(['queue<queue.configured', 'checkProject'])
    expect([it.value, it.context.reason]).toEqual(['notReady', 'Deleted'])
  },
)
