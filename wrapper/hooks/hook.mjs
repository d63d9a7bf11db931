#!/usr/bin/env node
// The CLI's hook program: `hook.mjs <url>` posts its stdin to the wrapper's loopback and prints what comes back, which
// is how a probe reaches the agent. Plain JavaScript without imports of ours, so that it starts fast. It never fails a
// tool: when the wrapper can't be reached within a few attempts it says nothing and ends with 0.
import { request } from 'node:http'

const attempts = 5
const gapMs = 200
const limitMs = 5000

function post(url, body) {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const call = request(url, { method: 'POST', timeout: limitMs, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(undefined))
    call.end(body)
  })
}

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const body = Buffer.concat(chunks)
for (let attempt = 1; attempt <= attempts; attempt += 1) {
  const answer = await post(process.argv[2], body)
  if (answer) {
    if (answer.status === 200) process.stdout.write(answer.text)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, gapMs))
}
