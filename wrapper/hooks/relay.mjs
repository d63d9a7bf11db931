#!/usr/bin/env node
// The CLI starts MCP servers as programs; the wrapper's servers live in the wrapper. This carries lines between the CLI's
// pipe and the wrapper's socket, and knows nothing of either. It does not reconnect: a wrapper that went away takes its
// CLI along. It loads node:net and nothing else, since the tools' list waits for its start.
import { connect } from 'node:net'

const socket = connect(process.argv[2] ?? '')
socket.on('error', (error) => {
  process.stderr.write(`relay: ${error.message}\n`)
  process.exitCode = 1
})
socket.on('close', () => process.stdin.destroy())
process.stdin.pipe(socket).pipe(process.stdout)
