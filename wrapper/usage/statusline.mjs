#!/usr/bin/env node
// The CLI's status line program (STATUSLINE-1 to STATUSLINE-5). Reads the CLI's JSON on stdin, posts the two usage windows once to the
// wrapper's socket, prints nothing. With a window missing, or a reset time that is not epoch seconds, nothing is
// posted. One attempt, 500 ms. Plain JavaScript that loads next to nothing: node:http alone takes longer to load than
// Node to start, and a turn's end waits for the processor that it takes.
import { readSync } from 'node:fs'
import { connect } from 'node:net'

const limitMs = 500

/** Whoever started this may have left the pipe non-blocking; then reading too early is no end of it. */
function readInput() {
  const chunks = []
  const buffer = Buffer.allocUnsafe(65_536)
  for (;;) {
    try {
      const count = readSync(0, buffer)
      if (count === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(Buffer.from(buffer.subarray(0, count)))
    } catch (error) {
      if (error.code !== 'EAGAIN') return Buffer.concat(chunks).toString('utf8')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }
  }
}

function windowOf(value) {
  const usedPercent = value?.used_percentage
  const resetsAt = value?.resets_at
  const sound =
    typeof usedPercent === 'number' &&
    usedPercent >= 0 &&
    Number.isFinite(resetsAt) &&
    typeof resetsAt === 'number' &&
    resetsAt > 0
  return sound ? { usedPercent: Math.min(usedPercent, 100), resetsAt: Math.floor(resetsAt) } : undefined
}

/** The answer says nothing that this program could do anything about: whatever comes, or the end of the time, ends it. */
function post(path, text) {
  const body = Buffer.from(text)
  const socket = connect(path)
  const timer = setTimeout(() => socket.destroy(), limitMs)
  socket.on('error', () => undefined)
  socket.on('data', () => socket.destroy())
  socket.on('close', () => clearTimeout(timer))
  socket.write(
    `POST /internal/account-usage HTTP/1.0\r\nhost: wrapper\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body)
}

try {
  const limits = JSON.parse(readInput()).rate_limits
  const fiveHour = windowOf(limits?.five_hour)
  const sevenDay = windowOf(limits?.seven_day)
  if (fiveHour && sevenDay && process.argv[2]) post(process.argv[2], JSON.stringify({ fiveHour, sevenDay }))
} catch {
  // A payload that is not JSON reports nothing.
}
