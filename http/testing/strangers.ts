/**
 * What a stranger can send to a listener without a credential: odd targets with and without an upgrade, resets, half-closed
 * connections, heads that stop halfway. No server may end by it, leave it open or answer others later for it.
 */
import { readdirSync } from 'node:fs'
import { connect, type NetConnectOpts, type Socket } from 'node:net'

const targets = [
  ...[
    '/',
    '//',
    '///',
    '//:99999',
    '//[',
    'http://[::1',
    'http://',
    'http://a/',
    '/\\',
    '//%zz',
    '/%zz',
    '/%00',
    '/%ff',
  ],
  ...[
    '/nowhere',
    '/nowhere?x=%',
    '/inspector/live/',
    '/inspector/live//',
    '/inspector/%6cive/x',
    '//inspector/live',
    '/./x',
    '/../x',
  ],
  ...[
    '*',
    '?',
    '#',
    '?#',
    '/?#',
    '/:',
    '/;',
    '/%2f',
    '/%2F%2f',
    '/..%2f..%2f',
    'http:///x',
    'https://x:y@z/',
    'ftp://x',
    'x:',
    'x',
  ],
  ...[
    '/a'.repeat(2000),
    `/${'%41'.repeat(1000)}`,
    `/?${'a=b&'.repeat(1000)}`,
    '//\u0001',
    '/\u00e9',
    '/{}',
    '/[::1]',
    '/@',
    '/~',
  ],
]
const upgrades: Readonly<Record<string, string>> = {
  none: '',
  websocket:
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
  h2c: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
}

/** How the connection ends once the request is sent. */
type End = 'reads' | 'resets' | 'half-closes' | 'stops midway'
const ends: readonly End[] = ['reads', 'resets', 'half-closes', 'stops midway']

type Place = Extract<NetConnectOpts, object>

/** What was asked, and the first line of the answer: empty where the connection was closed without one. */
export interface Heard {
  readonly asked: string
  readonly answer: string
}

/** A server that leaves a connection open hears nothing for so long; one of another protocol need not answer. */
const longestMs = 20_000

/** Each target with each upgrade, ended in each way; only who reads waits for an answer. */
export async function walk(place: Place, limitMs = longestMs): Promise<readonly Heard[]> {
  const heard: Heard[] = []
  for (const [upgrade, headers] of Object.entries(upgrades))
    for (const target of targets) {
      const answers = await Promise.all(ends.map((end) => send(place, requestOf('GET', target, headers), end, limitMs)))
      heard.push({ asked: `GET ${target.slice(0, 40)} (${upgrade})`, answer: answers[0]! })
    }
  for (const request of [requestOf('CONNECT', 'a:80', ''), requestOf('PRI', '*', ''), '\u0016\u0003\u0001\r\n\r\n'])
    heard.push({ asked: request.slice(0, 20), answer: await send(place, request, 'reads', limitMs) })
  return heard
}

/** So many upgrade requests that nobody takes, each half-closed and then gone. */
export async function flood(place: Place, connections: number): Promise<void> {
  const atOnce = 50
  const request = requestOf('GET', '/nowhere', upgrades['websocket']!)
  for (let sent = 0; sent < connections; sent += atOnce)
    await Promise.all(Array.from({ length: atOnce }, () => send(place, request, 'half-closes')))
}

/** Of a process on Linux. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

function requestOf(method: string, target: string, headers: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`
}

async function send(place: Place, request: string, end: End, limitMs = longestMs): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket: Socket = connect({ ...place, allowHalfOpen: end === 'half-closes' } as NetConnectOpts)
  const limit = setTimeout(() => socket.destroy(), limitMs)
  // Where there is no RST it just closes.
  const isLeft = (): void => void ('path' in place ? socket.destroy() : socket.resetAndDestroy())
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      answer += data.toString('latin1')
      if (end === 'reads' && answer.includes('\r\n')) socket.destroy()
    })
    .on('end', () => socket.destroy())
    .on('close', () => {
      clearTimeout(limit)
      resolve(answer.split('\r\n', 1)[0]!)
    })
    .on('connect', () => {
      socket.write(Buffer.from(end === 'stops midway' ? request.slice(0, -6) : request, 'latin1'), () => {
        if (end === 'half-closes') socket.end()
        // The server has it by then, and has found out what it makes of it.
        if (end === 'resets' || end === 'stops midway') setTimeout(isLeft, 20)
      })
    })
  return promise
}
