import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const program = join(import.meta.dirname, 'hook.mjs')

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

async function serve(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    answer(request, Buffer.concat(chunks).toString('utf8'), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/k/key/internal/hook/Stop`
}

function run(input: string, url: string): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, url], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    )
    child.stdin!.end(input)
  })
}

test('hands on what the CLI told, whole, and prints what the wrapper has to say to the model', async () => {
  const told: string[] = []
  const told1MB = JSON.stringify({ prompt: 'žluťoučký 🦆 '.repeat(60_000) })
  const url = await serve((request, body, response) => {
    told.push(`${request.method} ${request.url}`, body)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"hookSpecificOutput":"ž"}')
  })
  expect(await run(told1MB, url)).toEqual({ code: 0, said: '{"hookSpecificOutput":"ž"}' })
  expect(told).toEqual(['POST /k/key/internal/hook/Stop', told1MB])
})

test.each([204, 400, 401, 500])('says nothing after a %i', async (status) => {
  const url = await serve(
    (_request, _body, response) => void response.writeHead(status).end(status === 204 ? '' : '{"code":"x"}'),
  )
  expect(await run('{}', url)).toEqual({ code: 0, said: '' })
})

test('tries again when the connection breaks, and is heard once', async () => {
  let attempts = 0
  const url = await serve((request, _body, response) => {
    attempts += 1
    if (attempts < 3) request.socket.destroy()
    else response.writeHead(204).end()
  })
  expect(await run('{}', url)).toEqual({ code: 0, said: '' })
  expect(attempts).toBe(3)
})

test('lets the tool go on when there is no wrapper', async () => {
  expect(await run('{}', 'http://127.0.0.1:1/k/key/internal/hook/Stop')).toEqual({ code: 0, said: '' })
})
