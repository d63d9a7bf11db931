import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Problem } from './problems/problem.ts'
import { withServer, type TestServer } from './testing/fixture.ts'
import type { TakeUpgrade } from './upgrades.ts'

const head = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Other: 1\r\n\r\n`

/** Says so, and sends back what comes. */
const echo: TakeUpgrade = async (_request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
  socket.pipe(socket)
}

async function ask({ url }: TestServer, path: string): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  socket.on('error', () => undefined).write(head(path))
  const [data] = (await once(socket, 'data')) as [Buffer]
  return { socket, answer: data.toString() }
}

function withTaker(
  take: TakeUpgrade,
  use: (server: TestServer) => Promise<void>,
  options: Parameters<typeof withServer>[2] = {},
): Promise<void> {
  return withServer((app) => app.upgrades.accept('/line', take), use, options)
}

test.each(['/line', '/line?after=1', '/%6cine', '/under/it/line'])(
  'a path that takes upgrades is read as routes are: %s',
  async (path) => {
    await withTaker(
      echo,
      async (server) => {
        const { socket, answer } = await ask(server, path)
        expect(answer).toMatch(/^HTTP\/1\.1 101 /)
        socket.write('hello')
        expect(String((await once(socket, 'data'))[0])).toBe('hello')
        socket.destroy()
      },
      { basePath: '/under/it' },
    )
  },
)

test('any other path answers an upgrade as it answers every request, and the connection goes on (HTTP-RULE-7)', async () => {
  await withTaker(echo, async (server) => {
    const { socket, answer } = await ask(server, '/lines')
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*"code":"not-found"/)
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })
})

test.each<[what: string, fault: Error, answer: RegExp, logged: number]>([
  ['a Problem by its status', new Problem('forbidden', 'not you'), /^HTTP\/1\.1 403 [^]*not you/, 0],
  ['what else is thrown by 500, in the log alone', new Error('a secret'), /^HTTP\/1\.1 500 (?![^]*a secret)/, 1],
])('what takes an upgrade refuses it by what it throws: %s', async (_what, fault, refused, logged) => {
  await withTaker(
    () => Promise.reject(fault),
    async (server) => {
      const { socket, answer } = await ask(server, '/line')
      expect(answer).toMatch(refused)
      await once(socket, 'close')
      expect(server.log.lines().filter(({ level }) => level === 50)).toHaveLength(logged)
    },
  )
})

test('an upgrade that is not through after ten seconds ends, and each of them after a day', async () => {
  const slow = Promise.withResolvers<void>()
  let asked = (): void => undefined
  await withTaker(
    (request, socket, rest) => {
      asked()
      return request.url === '/line?slow' ? slow.promise : echo(request, socket, rest)
    },
    async (server) => {
      const waiting = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port) })
      const heard = new Promise<void>((resolve) => (asked = resolve))
      waiting.on('error', () => undefined).write(head('/line?slow'))
      await heard
      server.clock.advance(10_000)
      await once(waiting, 'close')
      const { socket } = await ask(server, '/line')
      server.clock.advance(86_399_000)
      socket.write('still here')
      expect(String((await once(socket, 'data'))[0])).toBe('still here')
      server.clock.advance(1000)
      await once(socket, 'close')
    },
  )
})

test('five hundred are open at most: one more is told to come again', async () => {
  await withTaker(echo, async (server) => {
    const open = []
    // Fewer at a time than a listener lets wait.
    for (let sent = 0; sent < 500; sent += 50)
      open.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(server, '/line')))))
    expect(open.filter(({ answer }) => !answer.startsWith('HTTP/1.1 101 '))).toEqual([])
    expect((await ask(server, '/line')).answer).toMatch(/^HTTP\/1\.1 503 /)
    open.pop()!.socket.destroy()
    // The server hears of its end a moment later.
    for (let answer = ''; !answer.startsWith('HTTP/1.1 101 '); answer = open.at(-1)!.answer)
      open.push(await ask(server, '/line'))
    for (const { socket } of open) socket.destroy()
  })
})
