#!/usr/bin/env node
// GIT_ASKPASS of the wrapper's own git children: asks the wrapper's memory over the loopback for the answer to git's
// prompt. No token stands in a URL, in .git/config or in a file. The wrapper answers only for the git gateway. It runs
// twice with every fetch and push, so it loads next to nothing: node:http alone takes longer to load than Node to start.
import { connect } from 'node:net'

const limitMs = 5000

const { hostname, port, pathname } = new URL(process.env.STATEWRIGHT_CREDENTIAL_URL)
const body = Buffer.from(JSON.stringify({ prompt: process.argv[2] ?? '' }))
const chunks = []
const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: limitMs })
socket.on('timeout', () => socket.destroy())
socket.on('error', () => undefined)
socket.on('data', (chunk) => chunks.push(chunk))
socket.on('close', () => {
  const [head = '', answer = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
  if (/^HTTP\/1\.\d 200 /.test(head)) process.stdout.write(`${JSON.parse(answer).answer}\n`)
  else process.exitCode = 1
})
// HTTP/1.0: the answer is neither chunked nor kept open, so it ends with the connection.
socket.write(
  `POST ${pathname} HTTP/1.0\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
)
socket.write(body)
