import { readdirSync, readFileSync } from 'node:fs'
import { Octokit } from '@octokit/rest'
import { expect, test } from 'vitest'
import { deviations } from '../../../standins/forge/testing/judges/deviations.ts'
import {
  examples,
  judgeExchange,
  judgeWebhook,
  operationNames,
  pagedOperations,
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

/** The operations that a source asks by `read`, which looks at one page. */
function readBy(source: string): string[] {
  const { rest } = new Octokit()
  const asked = source.matchAll(/client\s*\.(read|list|page|send|redirected)\([^]*?\.rest\.(\w+)\.(\w+)/g)
  return [...asked].flatMap(([, how, part = '', method = '']) => {
    const { endpoint } = (
      rest as unknown as Record<string, Record<string, { endpoint: typeof Octokit.prototype.request.endpoint }>>
    )[part]![method]!
    return how === 'read' ? [`${endpoint.DEFAULTS.method} ${endpoint.DEFAULTS.url}`] : []
  })
}

/** `ahead_by` counts the commits of all pages. */
const wholeInOnePage = ['GET /repos/{owner}/{repo}/compare/{basehead}']

test('an answer that has pages is read by list or page, never by read', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => /(?<!test)\.ts$/.test(name))
  const asked = sources.flatMap((name) => readBy(readFileSync(new URL(name, import.meta.url), 'utf8')))
  expect(asked).toContain('GET /repos/{owner}/{repo}/pulls/{pull_number}')
  expect(asked.filter((name) => pagedOperations.includes(name))).toEqual(wholeInOnePage)
  const planted = "await client.read('read status', schema.X, (rest) => rest.rest.repos.getCombinedStatusForRef(place))"
  expect(readBy(planted).filter((name) => pagedOperations.includes(name))).toHaveLength(1)
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
