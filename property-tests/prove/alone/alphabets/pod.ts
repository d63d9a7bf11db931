import type { PodContext } from '../../../../machines/pod/context.ts'
import type { TimelessEvent } from '../walk.ts'

const start: TimelessEvent = {
  type: 'pod.start',
  ...{ task: 'default/alone', project: 'default/demo', queue: 'default/demo', entry: 'default/alone/1', ordinal: 1 },
  ...{ agentKind: 'implement', model: 'large', effort: 'high', permissionMode: 'bypassPermissions' },
  repositories: [{ name: 'lib', base: 'main', branch: 'platform/alone' }],
  ...{ turnTimeoutSeconds: 1800, agentPodTTLSeconds: 3600, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 3 },
}

export const podBirths: readonly TimelessEvent[] = [start, { ...start, ledger: 'default/demo' }]

export function podWords(context: object): readonly TimelessEvent[] {
  const { turns, carried } = context as PodContext
  const report = { finalText: 'done', usage: {}, pushed: [], failed: [] }
  const failures = [
    'api_error',
    'expired',
    'interrupted',
    'interrupt_unconfirmed',
    'agent_exited',
    'shutdown',
    'abandoned',
  ]
  return [
    start,
    { type: 'pod.stop', reason: 'discuss' },
    { type: 'pod.volumesBound' },
    { type: 'pod.volumesUnbound', reason: 'no-space' },
    { type: 'pod.volumesUnbound', reason: 'no-space', detail: 'the disk is full' },
    { type: 'pod.created', name: 'alone-1' },
    { type: 'pod.ready', url: 'http://pod.test' },
    { type: 'pod.session', contractVersion: 4 },
    { type: 'pod.session', contractVersion: null },
    { type: 'pod.vanished', reason: 'vanished' },
    { type: 'pod.vanished', reason: 'vanished', detail: 'its last words' },
    { type: 'turn.requested', eventsUpTo: carried },
    { type: 'turn.requested', eventsUpTo: carried + 1 },
    { type: 'pod.noted', kind: 'handoff', source: 'agent' },
    { type: 'pod.noted', kind: 'handoff', source: 'operator' },
    { type: 'pod.noted', kind: 'plan', source: 'agent' },
    ...[turns - 1, turns - 2].flatMap((turn): readonly TimelessEvent[] => [
      { type: 'turn.accepted', turn, eventsUpTo: carried },
      { type: 'turn.ended', turn, ...report },
      ...failures.map((stopReason) => ({ type: 'turn.failed', turn, stopReason, ...report })),
    ]),
    ...['bindVolumes', 'createPod', 'readSession', 'stopPod', 'forceDeletePod'].map((effect) => ({
      type: 'effect.failed',
      ...{ effect, reason: 'no', key: 'k' },
    })),
  ]
}
