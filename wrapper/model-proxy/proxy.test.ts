import Fastify from 'fastify'
import { createServer, type Server, type ServerResponse } from 'node:http'
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

  test('asks the model nothing more at it, and asks again after a reset (CLI-FACT-4)', async () => {
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

test('what a stream brings is counted apart from its pings, which bring nothing (SESSION-5)', async () => {
  const provider = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const says = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a "ping"' } }
    for (const event of [{ type: 'ping' }, says, { type: 'ping' }, { type: 'ping' }])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  })
  const { meter, url } = await openProxy(await listen(provider), 0)
  await (await ask(url)).text()
  expect(meter.streamed).toEqual({ events: 1, pings: 3 })
})

describe('failures of the model', () => {
  test('count in a row until a whole answer comes (CLI-FACT-4)', async () => {
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

describe('what the model decides', () => {
  const tool = 'mcp__platform__submit_outcome'
  const call = { id: 'toolu_1', tool: 'submit_outcome', arguments: { verdict: 'approve' } }
  const declaring = (url: string, stream = true, path = '/v1/messages'): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        stream,
        model: 'm',
        tools: [{ name: tool }],
        messages: [{ role: 'user', content: 'go' }],
      }),
    })
  const decide: Move = { kind: 'call', tool, input: call.arguments }
  async function inTurn(move: Move): Promise<{ attestor: Attestor; url: string }> {
    const attestor = new Attestor()
    attestor.turnBegan('turn-1')
    const model = await startTestModel(() => move)
    closers.push(() => model.close())
    return { attestor, url: (await openProxy(model.url, 0, attestor)).url }
  }

  test.each([true, false])('is registered before the CLI has it, streamed: %s', async (stream) => {
    const { attestor, url } = await inTurn(decide)
    const answer = await declaring(url, stream)
    for await (const chunk of answer.body!) {
      const isWhole = new TextDecoder().decode(chunk).match(/content_block_stop|"stop_reason":"tool_use"/)
      if (isWhole) break
    }
    const id = 'toolu_1'
    expect(attestor.spend({ ...call, id }).kind).toBe('spent')
  })

  test('is not yet registered while its block has not ended', async () => {
    const attestor = new Attestor()
    attestor.turnBegan('turn-1')
    const { provider, send } = byHand()
    const { url } = await openProxy(await listen(provider), 0, attestor)
    const answering = declaring(url)
    const block = { type: 'tool_use', id: 'toolu_1', name: tool, input: {} }
    const delta = { type: 'input_json_delta', partial_json: '{"verdict":"approve"}' }
    send({ type: 'content_block_start', index: 0, content_block: block })
    send({ type: 'content_block_delta', index: 0, delta })
    const reader = (await answering).body!.getReader()
    await untilRead(reader, 'input_json_delta')
    expect(attestor.spend(call)).toEqual({ kind: 'refused', reason: 'no-block' })
    send({ type: 'content_block_stop', index: 0 })
    await untilRead(reader, 'content_block_stop')
    expect(attestor.spend(call).kind).toBe('spent')
    await reader.cancel()
  })

  test('counts no more once its stream has broken off', async () => {
    const { attestor, url } = await inTurn({ kind: 'break', how: 'reset', after: { tool, input: call.arguments } })
    await (await declaring(url)).text().catch(() => undefined)
    expect(attestor.spend(call)).toEqual({ kind: 'refused', reason: 'no-block' })
  })

  test.each<[string, Move, string]>([
    ['a failure', { kind: 'refuse', status: 400, type: 'tool_use' }, '/v1/messages'],
    ['a count of tokens', decide, '/v1/messages/count_tokens'],
    [
      'a tool that the request did not declare',
      { ...decide, tool: 'mcp__platform__task_note' } as Move,
      '/v1/messages',
    ],
  ])('is nothing in %s', async (_what, move, path) => {
    const { attestor, url } = await inTurn(move)
    await (await declaring(url, true, path)).text()
    await (await declaring(url, false, path)).text()
    for (const one of [call, { ...call, tool: 'task_note' }, { ...call, id: 'toolu_2' }])
      expect(attestor.spend(one)).toEqual({ kind: 'refused', reason: 'no-block' })
  })

  test('of an earlier turn’s request is nothing in the next', async () => {
    const attestor = new Attestor()
    attestor.turnBegan('turn-1')
    const { provider, send } = byHand()
    const { url } = await openProxy(await listen(provider), 0, attestor)
    const answering = declaring(url)
    const block = { type: 'tool_use', id: 'toolu_1', name: tool, input: {} }
    send({ type: 'content_block_start', index: 0, content_block: block })
    const reader = (await answering).body!.getReader()
    await untilRead(reader, 'content_block_start')
    attestor.turnEnded()
    attestor.turnBegan('turn-2')
    send({ type: 'content_block_stop', index: 0 })
    await untilRead(reader, 'content_block_stop')
    expect(attestor.spend({ ...call, arguments: {} })).toEqual({ kind: 'refused', reason: 'no-block' })
    await reader.cancel()
  })

  test('is read from two requests at once: a subagent’s blocks count beside those of its parent', async () => {
    const { attestor, url } = await inTurn(decide)
    await Promise.all([declaring(url).then((one) => one.text()), declaring(url).then((one) => one.text())])
    expect([attestor.spend(call).kind, attestor.spend({ ...call, id: 'toolu_2' }).kind]).toEqual(['spent', 'spent'])
    expect(attestor.spend(call).kind).toBe('repeat')
  })
})

/** A provider whose events the test sends. */
function byHand(): {
  readonly provider: Server
  send(event: { readonly type: string; readonly [member: string]: unknown }): void
} {
  const asked = Promise.withResolvers<ServerResponse>()
  const provider = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    asked.resolve(response)
  })
  return {
    provider,
    send: (event) =>
      void asked.promise.then((to) => to.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)),
  }
}

async function untilRead(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string): Promise<void> {
  for (let text = ''; !text.includes(wanted);) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended before ${wanted}`)
    text += new TextDecoder().decode(value)
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
