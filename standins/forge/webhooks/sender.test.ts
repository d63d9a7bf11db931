import { expect, test } from 'vitest'
import type { Fault } from '../faults.ts'
import { failure, SECRET, withForge, withReceiver, type ForgeFixture, type Receiver } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = { owner: 'acme', repo: 'library' }

/** A repository whose only hook tells about issues; the ping has come and been forgotten. */
async function withHook(
  faults: readonly Fault[],
  use: (
    fixture: ForgeFixture & { receiver: Receiver; hook: { owner: string; repo: string; hook_id: number } },
  ) => Promise<void>,
): Promise<void> {
  await withReceiver(async (receiver) => {
    await withForge({ git: 'memory' }, async (fixture) => {
      const { data } = await fixture.octokit('maintainer').repos.createWebhook({
        ...REPO,
        config: { url: receiver.url, content_type: 'json', secret: SECRET },
        events: ['issues'],
      })
      await fixture.forge.idle()
      expect(receiver.received.map((one) => one.event)).toEqual(['ping'])
      receiver.received.length = 0
      for (const fault of faults) fixture.forge.faults.inject(fault)
      await use({ ...fixture, receiver, hook: { ...REPO, hook_id: data.id } })
    })
  })
}

function open(fixture: ForgeFixture, ...titles: readonly string[]): void {
  for (const title of titles) fixture.forge.openIssue('reader', 'acme/library', { title })
}

function titles(receiver: Receiver): unknown[] {
  return receiver.received.map((one) => (one.payload.issue as { title: string }).title)
}

const it = testInside(withHook, [])

it('deliveries come in order, and the signature covers the bytes that came', async (fixture) => {
  await fixture.forge.idle(open(fixture, 'one', 'two', 'three ü'))
  expect(titles(fixture.receiver)).toEqual(['one', 'two', 'three ü'])
  const [first] = fixture.receiver.received
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-hook-id': String(fixture.hook.hook_id),
    'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
  })
})

test('a duplicate comes twice under one delivery id', async () => {
  await withHook([{ kind: 'duplicate', event: 'issues', action: 'opened' }], async (fixture) => {
    await fixture.forge.idle(open(fixture, 'one', 'two'))
    expect(titles(fixture.receiver)).toEqual(['one', 'one', 'two'])
    const ids = fixture.receiver.received.map((one) => one.delivery)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
  })
})

test('a dropped delivery is on record as failed, and comes under the same id when asked for again', async () => {
  await withHook([{ kind: 'drop' }], async (fixture) => {
    await fixture.forge.idle(open(fixture, 'lost', 'found'))
    expect(titles(fixture.receiver)).toEqual(['found'])
    const admin = fixture.octokit('maintainer').repos
    const { data: list } = await admin.listWebhookDeliveries(fixture.hook)
    expect(list.map((one) => [one.event, one.status_code, one.redelivery])).toEqual([
      ['issues', 202, false],
      ['issues', 0, false],
      ['ping', 202, false],
    ])
    const lost = list[1]
    await fixture.forge.idle(admin.redeliverWebhookDelivery({ ...fixture.hook, delivery_id: lost?.id ?? 0 }))
    expect(titles(fixture.receiver)).toEqual(['found', 'lost'])
    expect(fixture.receiver.received[1]?.delivery).toBe(lost?.guid)
    const { data: newest } = await admin.listWebhookDeliveries({ ...fixture.hook, per_page: 1 })
    expect(newest).toMatchObject([{ guid: lost?.guid, redelivery: true, status: 'OK' }])
    const { data: whole } = await admin.getWebhookDelivery({ ...fixture.hook, delivery_id: newest[0]?.id ?? 0 })
    expect(whole).toMatchObject({
      request: { payload: { issue: { title: 'lost' } }, headers: { 'x-github-delivery': lost?.guid } },
      response: { payload: 'noted' },
    })
    const paged = await fixture
      .octokit('maintainer')
      .paginate(admin.listWebhookDeliveries, { ...fixture.hook, per_page: 1 })
    expect(paged).toHaveLength(4)
  })
})

test('reordered comes after the next one, delayed after all that were not', async () => {
  await withHook([{ kind: 'reorder' }], async (fixture) => {
    await fixture.forge.idle(open(fixture, 'one', 'two', 'three'))
    expect(titles(fixture.receiver)).toEqual(['two', 'one', 'three'])
  })
  await withHook([{ kind: 'delay', delayMs: 1_500 }], async (fixture) => {
    await fixture.forge.idle(open(fixture, 'one', 'two', 'three'))
    expect(titles(fixture.receiver)).toEqual(['two', 'three', 'one'])
  })
})

test('a reordered delivery that nothing follows comes all the same', async () => {
  await withHook([{ kind: 'reorder', delayMs: 50 }], async (fixture) => {
    open(fixture, 'one')
    await expect.poll(() => titles(fixture.receiver), { timeout: 10_000 }).toEqual(['one'])
  })
})

it('a receiver that is gone or says no is not tried again, and its answer is on record', async (fixture) => {
  fixture.receiver.answer = 500
  await fixture.forge.idle(open(fixture, 'one'))
  expect(fixture.receiver.received).toHaveLength(1)
  const admin = fixture.octokit('maintainer').repos
  await admin.updateWebhook({ ...fixture.hook, config: { url: 'http://127.0.0.1:1/gone' } })
  await fixture.forge.idle(open(fixture, 'two'))
  expect(
    fixture.forge
      .deliveries()
      .slice(-2)
      .map((one) => [one.status, one.statusCode]),
  ).toEqual([
    ['failed', 500],
    ['failed', 0],
  ])
  expect((await admin.getWebhook(fixture.hook)).data).toMatchObject({
    config: { secret: '********' },
    last_response: { code: null },
  })
})

it('an inactive, narrowed or deleted hook hears nothing, and only admins see hooks at all', async (fixture) => {
  const admin = fixture.octokit('maintainer').repos
  await admin.updateWebhook({ ...fixture.hook, active: false })
  open(fixture, 'one')
  await admin.updateWebhook({ ...fixture.hook, active: true, events: ['push'] })
  open(fixture, 'two')
  expect(await failure(admin.createWebhook({ ...REPO, config: { url: fixture.receiver.url } }))).toMatchObject({
    status: 422,
    errors: [{ message: 'Hook already exists on this repository' }],
  })
  expect(await failure(fixture.octokit('bot').repos.listWebhooks(REPO))).toMatchObject({ status: 404 })
  await fixture.forge.idle(admin.pingWebhook(fixture.hook))
  expect(fixture.receiver.received.map((one) => one.event)).toEqual(['ping'])
  await admin.deleteWebhook(fixture.hook)
  expect((await admin.listWebhooks(REPO)).data).toEqual([])
})

test('the same seed strikes the same deliveries', async () => {
  const strikes: unknown[][] = []
  for (let time = 0; time < 2; time += 1) {
    await withHook([{ kind: 'drop', probability: 0.5 }], async (fixture) => {
      await fixture.forge.idle(open(fixture, ...Array.from({ length: 12 }, (_, number) => String(number))))
      strikes.push(titles(fixture.receiver))
    })
  }
  expect(strikes[0]).toEqual(strikes[1])
  expect(strikes[0]?.length).toBeGreaterThan(0)
  expect(strikes[0]?.length).toBeLessThan(12)
})
