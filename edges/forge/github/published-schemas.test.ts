import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { deviations } from '../../../standins/forge/testing/judges/deviations.ts'
import {
  examples,
  judgeExchange,
  judgeWebhook,
  operationNames,
  webhookNames,
  type Judgement,
} from '../../../standins/forge/testing/judges/judge.ts'
import { servedRoutes, unasked } from '../../../standins/forge/testing/judges/routes.ts'
import { hookEvents } from './hooks.ts'
import { githubWebhooks } from './inbound.ts'
import { walkForge } from './testing/walk.ts'

const listed = new URL('../../../standins/forge/testing/judges/unjudged.json', import.meta.url)

const { exchanges, received, called, methods } = await walkForge()
const judgements = [
  ...exchanges.map(judgeExchange),
  ...received.map(({ event, headers, payload }) => judgeWebhook(event, headers, payload)),
].filter((one) => one !== undefined)

function faultsByName(found: readonly Judgement[]): Record<string, string[]> {
  const names = [...new Set(found.filter(({ faults }) => faults.length > 0).map(({ name }) => name))]
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const faults = found.filter((one) => one.name === name).flatMap((one) => one.faults)
      return [name, [...new Set(faults)].toSorted()]
    }),
  )
}

test('requests of the adapter, answers and webhooks of the local forge are as GitHub describes its own, but for the list', () => {
  const sorted = Object.entries(deviations).map(([name, faults]) => [name, faults.toSorted()])
  expect(faultsByName(judgements)).toEqual(Object.fromEntries(sorted))
})

test('what is used and not judged stands in one list, no more and no less', async () => {
  const strange = exchanges.filter((one) => judgeExchange(one) === undefined)
  const kinds = received.filter((one) => judgeWebhook(one.event, one.headers, one.payload) === undefined)
  const events = received.map(({ event }) => event)
  const unjudged = [
    ...methods.filter((name) => !called.includes(name)).map((name) => `method ${name}`),
    ...unasked(await servedRoutes(), exchanges).map((name) => `route ${name}`),
    ...strange.map(({ method, path }) => `request ${method} ${path}`),
    ...kinds.map(({ event, action }) => `webhook ${event} ${action ?? ''}`.trim()),
    ...hookEvents.filter((event) => !events.includes(event)).map((event) => `webhook ${event}`),
  ]
  expect([...new Set(unjudged)].toSorted()).toEqual(JSON.parse(readFileSync(listed, 'utf8')))
})

test('the judges know what is used, and nothing else', () => {
  const names = judgements.map(({ name }) => name)
  expect([...operationNames, ...webhookNames].filter((name) => !names.includes(name))).toEqual([])
})

test('every payload that GitHub has published of our events is read; pins and milestones of merge requests concern nobody', () => {
  const passed = examples.filter(({ event, payload }) => githubWebhooks.changeOf(event, payload) === undefined)
  expect(examples.length).toBe(110)
  expect(new Set(examples.map(({ event }) => event))).toEqual(new Set(hookEvents))
  const names = passed.map(({ event, payload }) => `${event} ${String(payload.action)}`)
  const milestones = ['issues demilestoned', 'issues demilestoned', 'issues milestoned', 'issues milestoned']
  expect(names.toSorted()).toEqual([...milestones, 'issues pinned', 'issues unpinned'])
})
