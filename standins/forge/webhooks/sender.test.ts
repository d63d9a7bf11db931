import { expect, test } from 'vitest'
import type { Fault } from '../faults.ts'
import { failure, SECRET, withForge, withReceiver, type ForgeRoom, type Receiver } from '../testing.ts'

const REPO = { owner: 'acme', repo: 'library' }

/** A repository whose only hook tells about issues; the ping has come and been forgotten. */
async function withHook(
  faults: readonly Fault[],
  use: (
    room: ForgeRoom & { receiver: Receiver; hook: { owner: string; repo: string; hook_id: number } },
  ) => Promise<void>,
): Promise<void> {
  await withReceiver(async (receiver) => {
    await withForge({}, async (room) => {
      const { data } = await room.octokit('maintainer').repos.createWebhook({
        ...REPO,
        config: { url: receiver.url, content_type: 'json', secret: SECRET },
        events: ['issues'],
      })
      await room.forge.idle()
      expect(receiver.received.map((one) => one.event)).toEqual(['ping'])
      receiver.received.length = 0
      for (const fault of faults) room.forge.faults.inject(fault)
      await use({ ...room, receiver, hook: { ...REPO, hook_id: data.id } })
    })
  })
}

function open(room: ForgeRoom, ...titles: readonly string[]): void {
  for (const title of titles) room.forge.openIssue('reader', 'acme/library', { title })
}

function titles(receiver: Receiver): unknown[] {
  return receiver.received.map((one) => (one.payload.issue as { title: string }).title)
}

test('deliveries come in order, and the signature covers the bytes that came', async () => {
  await withHook([], async (room) => {
    open(room, 'one', 'two', 'three ü')
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['one', 'two', 'three ü'])
    const [first] = room.receiver.received
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-hook-id': String(room.hook.hook_id),
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
    })
  })
})

test('a duplicate comes twice under one delivery id', async () => {
  await withHook([{ kind: 'duplicate', event: 'issues', action: 'opened' }], async (room) => {
    open(room, 'one', 'two')
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['one', 'one', 'two'])
    const ids = room.receiver.received.map((one) => one.delivery)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
  })
})

test('a dropped delivery is on record as failed, and comes under the same id when asked for again', async () => {
  await withHook([{ kind: 'drop' }], async (room) => {
    open(room, 'lost', 'found')
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['found'])
    const admin = room.octokit('maintainer').repos
    const { data: list } = await admin.listWebhookDeliveries(room.hook)
    expect(list.map((one) => [one.event, one.status_code, one.redelivery])).toEqual([
      ['issues', 202, false],
      ['issues', 0, false],
      ['ping', 202, false],
    ])
    const lost = list[1]
    await admin.redeliverWebhookDelivery({ ...room.hook, delivery_id: lost?.id ?? 0 })
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['found', 'lost'])
    expect(room.receiver.received[1]?.delivery).toBe(lost?.guid)
    const { data: newest } = await admin.listWebhookDeliveries({ ...room.hook, per_page: 1 })
    expect(newest).toMatchObject([{ guid: lost?.guid, redelivery: true, status: 'OK' }])
    const { data: whole } = await admin.getWebhookDelivery({ ...room.hook, delivery_id: newest[0]?.id ?? 0 })
    expect(whole).toMatchObject({
      request: { payload: { issue: { title: 'lost' } }, headers: { 'x-github-delivery': lost?.guid } },
      response: { payload: 'noted' },
    })
    const paged = await room.octokit('maintainer').paginate(admin.listWebhookDeliveries, { ...room.hook, per_page: 1 })
    expect(paged).toHaveLength(4)
  })
})

test('reordered comes after the next one, delayed after all that were not', async () => {
  await withHook([{ kind: 'reorder' }], async (room) => {
    open(room, 'one', 'two', 'three')
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['two', 'one', 'three'])
  })
  await withHook([{ kind: 'delay', delayMs: 1_500 }], async (room) => {
    open(room, 'one', 'two', 'three')
    await room.forge.idle()
    expect(titles(room.receiver)).toEqual(['two', 'three', 'one'])
  })
})

test('a reordered delivery that nothing follows comes all the same', async () => {
  await withHook([{ kind: 'reorder', delayMs: 50 }], async (room) => {
    open(room, 'one')
    await expect.poll(() => titles(room.receiver), { timeout: 10_000 }).toEqual(['one'])
  })
})

test('a receiver that is gone or says no is not tried again, and its answer is on record', async () => {
  await withHook([], async (room) => {
    room.receiver.answer = 500
    open(room, 'one')
    await room.forge.idle()
    expect(room.receiver.received).toHaveLength(1)
    const admin = room.octokit('maintainer').repos
    await admin.updateWebhook({ ...room.hook, config: { url: 'http://127.0.0.1:1/gone' } })
    open(room, 'two')
    await room.forge.idle()
    expect(
      room.forge
        .deliveries()
        .slice(-2)
        .map((one) => [one.status, one.statusCode]),
    ).toEqual([
      ['failed', 500],
      ['failed', 0],
    ])
    expect((await admin.getWebhook(room.hook)).data).toMatchObject({
      config: { secret: '********' },
      last_response: { code: null },
    })
  })
})

test('an inactive, narrowed or deleted hook hears nothing, and only admins see hooks at all', async () => {
  await withHook([], async (room) => {
    const admin = room.octokit('maintainer').repos
    await admin.updateWebhook({ ...room.hook, active: false })
    open(room, 'one')
    await admin.updateWebhook({ ...room.hook, active: true, events: ['push'] })
    open(room, 'two')
    expect(await failure(admin.createWebhook({ ...REPO, config: { url: room.receiver.url } }))).toMatchObject({
      status: 422,
      errors: [{ message: 'Hook already exists on this repository' }],
    })
    expect(await failure(room.octokit('bot').repos.listWebhooks(REPO))).toMatchObject({ status: 404 })
    await admin.pingWebhook(room.hook)
    await room.forge.idle()
    expect(room.receiver.received.map((one) => one.event)).toEqual(['ping'])
    await admin.deleteWebhook(room.hook)
    expect((await admin.listWebhooks(REPO)).data).toEqual([])
  })
})

test('the same seed strikes the same deliveries', async () => {
  const strikes: unknown[][] = []
  for (let time = 0; time < 2; time += 1) {
    await withHook([{ kind: 'drop', probability: 0.5 }], async (room) => {
      open(room, ...Array.from({ length: 12 }, (_, number) => String(number)))
      await room.forge.idle()
      strikes.push(titles(room.receiver))
    })
  }
  expect(strikes[0]).toEqual(strikes[1])
  expect(strikes[0]?.length).toBeGreaterThan(0)
  expect(strikes[0]?.length).toBeLessThan(12)
})
