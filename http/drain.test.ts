import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { HttpApp } from './app.ts'
import { withServer } from './testing/fixture.ts'

/** A route that answers when the test says so. */
function slowRoute(): { declare(app: HttpApp): void; entered: Promise<void>; finish(): void } {
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    declare: (app) =>
      void app.get('/slow', async () => {
        entered.resolve()
        await released.promise
        return { done: true }
      }),
    entered: entered.promise,
    finish: released.resolve,
  }
}

test('a stop lets what runs finish, takes no new connection and then ends (MEMORY-LIMITS-10, HTTP-14)', async () => {
  const slow = slowRoute()
  await withServer(slow.declare, async ({ url, server }) => {
    const answer = fetch(`${url}/slow`)
    await slow.entered
    const closed = server.close()
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused')
    slow.finish()
    expect(await (await answer).json()).toEqual({ done: true })
    await closed
  })
})

test('a request that was still arriving when the stop began is told so: not ready, no new work (HTTP-14)', async () => {
  let worked = 0
  await withServer(
    (app) => void app.get('/work', async () => ({ worked: ++worked })),
    async ({ url, server }) => {
      const accepted = once(server.app.server, 'connection')
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.write('GET /work HTTP/1.1\r\n')
      const [inner] = (await accepted) as [Socket]
      await expect.poll(() => inner.bytesRead).toBeGreaterThan(0)
      const closed = server.close()
      socket.write('Host: x\r\n\r\n')
      await closed
      await expect
        .poll(() => text)
        .toMatch(/^HTTP\/1\.1 503 [^]*connection: close[^]*"detail":"the server is stopping"/i)
      expect(worked).toBe(0)
    },
  )
})

test('what has not finished within the grace is cut, upgraded connections too (MEMORY-LIMITS-10, HTTP-14)', async () => {
  const slow = slowRoute()
  await withServer(
    (app) => {
      slow.declare(app)
      app.server.on('upgrade', (_request, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    },
    async ({ url, server, clock }) => {
      const answer = fetch(`${url}/slow`).catch(() => 'cut')
      await slow.entered
      const upgraded = connect(Number(new URL(url).port), '127.0.0.1')
      const ended = new Promise((resolve) => upgraded.once('close', resolve))
      upgraded.on('error', () => {})
      upgraded.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      await new Promise((resolve) => upgraded.once('data', resolve))
      const closed = server.close({ graceMs: 25_000 })
      clock.advance(25_000)
      expect(await answer).toBe('cut')
      await Promise.all([closed, ended])
    },
  )
})
