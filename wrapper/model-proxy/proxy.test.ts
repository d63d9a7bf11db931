import Fastify from 'fastify'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Attestor } from '../attestation/attestor.ts'
import { startTestModel, type Move, type TestModel } from '../selftest/model.ts'
import { ModelMeter } from './meter.ts'
import { forwardToModel } from './proxy.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function openProxy(
  baseUrl: string,
  ceiling: number,
  attestor = new Attestor(),
): Promise<{ meter: ModelMeter; url: string }> {
  const app = Fastify()
  const meter = new ModelMeter(ceiling)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.all('/*', (request, reply) =>
    forwardToModel(
      {
        baseUrl,
        credential: { kind: 'api-key', value: 'real' },
        fetch,
        meter,
        requestBegan: (body) => attestor.requestBegan(body),
        onOutput: () => undefined,
        onFailure: () => undefined,
      },
      request.url,
      request,
      reply,
    ),
  )
  closers.push(() => app.close())
  return { meter, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

async function openModel(move: Move): Promise<TestModel> {
  const model = await startTestModel(() => move)
  closers.push(() => model.close())
  return model
}

const ask = (url: string, stream = true): Promise<Response> =>
  fetch(`${url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-4-5', stream, messages: [] }),
  })

/** One answer of the test's model: 100 in, 20 written, 30 read, 7 out. */
const perAnswer = 157

describe("a turn's token ceiling", () => {
  test('lets a turn through that stays below it, streamed or whole', async () => {
    const model = await openModel({ kind: 'say', text: 'fine' })
    const { meter, url } = await openProxy(model.url, perAnswer * 2 + 1)
    expect(await (await ask(url)).text()).toContain('message_stop')
    expect(await (await ask(url, false)).json()).toMatchObject({ stop_reason: 'end_turn' })
    expect(meter.ceiling.wasEnforced).toBe(false)
  })

  test('asks the model nothing more at it, and asks again after a reset', async () => {
    const model = await openModel({ kind: 'say', text: 'fine' })
    const { meter, url } = await openProxy(model.url, perAnswer)
    await (await ask(url)).text()
    const refused = await ask(url)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'permission_error' } })
    expect([model.requests.length, meter.ceiling.wasEnforced]).toEqual([1, true])
    meter.reset()
    expect((await ask(url)).status).toBe(200)
    expect(meter.ceiling.wasEnforced).toBe(false)
  })

  test('breaks off a stream whose input alone reaches it, at the provider too', async () => {
    const begun = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const provider = createServer((_request, response) => {
      response.on('close', left.resolve)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const message = { id: 'm', model: 'x', usage: { input_tokens: 500, output_tokens: 1 } }
      response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`)
      begun.resolve()
    })
    const { meter, url } = await openProxy(await listen(provider), 400)
    const answer = await ask(url)
    await begun.promise
    expect(await answer.text()).toMatch(/event: error\ndata: .*permission_error/)
    await left.promise
    expect(meter.ceiling.wasEnforced).toBe(true)
  })

  test('gives out a whole answer that reaches it with its last count', async () => {
    const model = await openModel({ kind: 'say', text: 'all of it' })
    const { meter, url } = await openProxy(model.url, perAnswer - 3)
    expect(await (await ask(url)).text()).toContain('message_stop')
    expect(meter.ceiling.wasEnforced).toBe(false)
    expect((await ask(url)).status).toBe(403)
  })

  test('leaves what costs nothing alone', async () => {
    const model = await openModel({ kind: 'say', text: 'fine' })
    const { url } = await openProxy(model.url, 1)
    await (await ask(url)).text()
    expect((await fetch(`${url}/v1/models`)).status).toBe(404)
  })
})

describe('failures of the model', () => {
  test('count in a row until a whole answer comes', async () => {
    const moves: Move[] = [
      { kind: 'refuse', status: 529, type: 'overloaded_error' },
      { kind: 'refuse', status: 500, type: 'api_error' },
    ]
    const model = await startTestModel((_request, index) => moves[index] ?? { kind: 'say', text: 'fine' })
    closers.push(() => model.close())
    const { meter, url } = await openProxy(model.url, 0)
    await (await ask(url)).text()
    await (await ask(url)).text()
    expect(meter.failures).toEqual({ inRow: 2, status: 500 })
    await (await ask(url)).text()
    expect(meter.failures.inRow).toBe(0)
  })

  test('are connections that nobody takes and streams that break off, too', async () => {
    const provider = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const message = { id: 'm', model: 'x', usage: { input_tokens: 5, output_tokens: 1 } }
      response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`, () =>
        response.destroy(),
      )
    })
    const broken = await openProxy(await listen(provider), 0)
    await (await ask(broken.url)).text().catch(() => undefined)
    expect(broken.meter.failures).toEqual({ inRow: 1, status: 0 })
    const nobody = await openProxy('http://127.0.0.1:1', 0)
    await (await ask(nobody.url)).text()
    expect(nobody.meter.failures).toEqual({ inRow: 1, status: 0 })
  })
})

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
