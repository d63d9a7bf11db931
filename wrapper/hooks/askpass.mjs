#!/usr/bin/env node
// GIT_ASKPASS of the wrapper's own git children: asks the wrapper's memory over the loopback for the answer to git's
// prompt. No token stands in a URL, in .git/config or in a file. The wrapper answers only for the git gateway.
import { request } from 'node:http'

const body = JSON.stringify({ prompt: process.argv[2] ?? '' })
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
const call = request(process.env.STATEWRIGHT_CREDENTIAL_URL, { method: 'POST', timeout: 5000, headers }, (response) => {
  const chunks = []
  response.on('data', (chunk) => chunks.push(chunk))
  response.on('end', () => {
    if (response.statusCode === 200) process.stdout.write(`${JSON.parse(Buffer.concat(chunks).toString()).answer}\n`)
    else process.exitCode = 1
  })
})
call.on('timeout', () => call.destroy())
call.on('error', () => (process.exitCode = 1))
call.end(body)
