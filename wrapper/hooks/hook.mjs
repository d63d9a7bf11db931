#!/usr/bin/env node
// The CLI's hook program: `hook.mjs <url>` posts its stdin to the wrapper's loopback and prints what comes back, which
// is how a probe reaches the agent. It runs around every tool call and stands between a turn's end and its result, so it
// is plain JavaScript that loads next to nothing: node:http alone takes longer to load than Node to start. It never
// fails a tool: when the wrapper can't be reached within a few attempts it says nothing and ends with 0.
import { readSync } from 'node:fs'
import { connect } from 'node:net'

const attempts = 5
const gapMs = 200
const limitMs = 5000

/** Whoever started this may have left the pipe non-blocking; then reading too early is no end of it. */
function readInput() {
  const chunks = []
  const buffer = Buffer.allocUnsafe(65_536)
  for (;;) {
    try {
      const count = readSync(0, buffer)
      if (count === 0) return Buffer.concat(chunks)
      chunks.push(Buffer.from(buffer.subarray(0, count)))
    } catch (error) {
      if (error.code !== 'EAGAIN') return Buffer.concat(chunks)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }
  }
}

/** HTTP/1.0: the answer is neither chunked nor kept open, so it ends with the connection. */
function post(url, body) {
  return new Promise((resolve) => {
    const { hostname, port, pathname } = new URL(url)
    const chunks = []
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: limitMs })
    socket.on('timeout', () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(answerOf(Buffer.concat(chunks))))
    socket.write(
      `POST ${pathname} HTTP/1.0\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
  })
}

function answerOf(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.\d (\d{3})/.exec(bytes.toString('latin1', 0, 16))?.[1]
  return end < 0 || !status ? undefined : { status: Number(status), text: bytes.toString('utf8', end + 4) }
}

const body = readInput()
for (let attempt = 1; attempt <= attempts; attempt += 1) {
  const answer = await post(process.argv[2], body)
  if (answer) {
    if (answer.status === 200) process.stdout.write(answer.text)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, gapMs))
}
