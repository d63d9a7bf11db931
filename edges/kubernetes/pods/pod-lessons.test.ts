import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ATask } from '../../../machines/testing/a-task.ts'
import { explain } from '../../../machines/why/why.ts'
import { statePath } from '../../../runtime/step/state-path.ts'
import { remediationHints, taught } from './remediation-hints.ts'
import {
  claimRefused,
  containerEnds,
  deletedReason,
  disruptions,
  hopelessWaits,
  mendableWaits,
  otherReason,
  plainEnds,
  podEnds,
  podRefused,
  unschedulable,
} from './pod-reasons.ts'

/** A comment on the forge shows 300 letters of a detail, which begins with the reason (edges/forge/standing/text.ts). */
const [longestReason, longestStep] = [40, 200]

test('each reason has one lesson, with a step that its standing comment shows whole', () => {
  const all = [hopelessWaits, mendableWaits, containerEnds, plainEnds, podEnds, disruptions].flat()
  const others = [unschedulable, deletedReason, otherReason, podRefused, claimRefused, 'exit-<code>']
  const known = new Set([...all, ...others])
  expect(remediationHints.flatMap(({ reasons }) => reasons).toSorted()).toEqual([...known].toSorted())
  for (const { reasons, next } of remediationHints) {
    expect(reasons.filter(({ length }) => length > longestReason)).toEqual([])
    expect(next.length).toBeLessThanOrEqual(longestStep)
  }
})

test('the README teaches them in the same words', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const rows = remediationHints.map(
    ({ reasons, happened, next }) => `| ${reasons.map((one) => `\`${one}\``).join(', ')} | ${happened} | ${next} |`,
  )
  const [, table = ''] = /\| reason \| what happened \| next step \|\n\|-\|-\|-\|\n((?:\|.*\n)+)/.exec(readme) ?? []
  expect(table.trimEnd().split('\n')).toEqual(rows)
})

test('the step stands before the words of the cluster, and one of an exit code is that of all', () => {
  expect(taught('OOMKilled', 'exit code 137')).toBe('raise the memory limit in AGENT_RESOURCES (exit code 137)')
  expect(taught('exit-3')).toBe(taught('Error'))
  expect(taught('of 2031')).toBe(taught(otherReason))
})

test('a Task whose pods do not start shows the step before the words of a registry, however long they are (POD-22)', () => {
  const task = new ATask().mint()
  const detail = taught('ErrImagePull', `container wrapper: ${'a long answer of a registry '.repeat(30)}`)
  for (let lost = 0; lost < 5; lost += 1) {
    if (task.pod === 'backingOff') task.fire('respawnDelay')
    task.slot().final('lost', { reason: 'ErrImagePull', detail })
  }
  const { value, context } = task
  const actor = { value, path: statePath(value as never), context: context as never }
  const why = explain({ task: actor, timers: [], now: 0 })
  const step = 'see that the image is there, and that the nodes may pull it'
  expect(why.resting?.reason).toBe('task/operator-error/pod-start-failed')
  expect(why.detail).toContain(`ErrImagePull: ${step} (container wrapper: `)
})
