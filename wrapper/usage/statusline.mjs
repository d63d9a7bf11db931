#!/usr/bin/env node
// The CLI's status line program (S3 Statusline feed): plain JavaScript without imports of ours, so that it starts fast.
// Reads the CLI's JSON on stdin, posts the two usage windows once to the wrapper's loopback, prints nothing. With a
// window missing, or a reset time that is not epoch seconds, nothing is posted. One attempt, 500 ms.
import { request } from 'node:http'

const limitMs = 500

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

function post(url, body) {
  const call = request(url, {
    method: 'POST',
    timeout: limitMs,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  })
  const timer = setTimeout(() => call.destroy(), limitMs)
  call.on('response', (response) => response.resume().on('end', () => clearTimeout(timer)))
  call.on('timeout', () => call.destroy())
  call.on('error', () => clearTimeout(timer))
  call.end(body)
}

let text = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => (text += chunk))
process.stdin.on('end', () => {
  try {
    const limits = JSON.parse(text).rate_limits
    const fiveHour = windowOf(limits?.five_hour)
    const sevenDay = windowOf(limits?.seven_day)
    if (fiveHour && sevenDay && process.argv[2]) post(process.argv[2], JSON.stringify({ fiveHour, sevenDay }))
  } catch {
    // A payload that is not JSON reports nothing.
  }
})
