#!/usr/bin/env node
// `npm run test:wrapper`: every test of the wrapper, the whole contract of the agent's CLI and 200 turns, on the real CLI with a
// model on the loopback. Where the kernel allows it all runs in a network namespace in which only the loopback is up, so
// that nothing can go out; where it doesn't, that is said.
import { spawnSync } from 'node:child_process'
import { onNode24, run } from './on-node-24.mjs'

const usage = `usage: npm run test:wrapper [-- FILE...]

Tests the wrapper with the real agent CLI and a model on the loopback: every test, the whole contract and 200 turns.
Where the kernel allows it, the tests run in a network namespace that reaches only the loopback.

  FILE...   run only test files whose path contains FILE (default: wrapper)

Environment:
  WRAPPER_SOAK_TURNS   play N turns (default 200)`

const inNamespace = 'STATEWRIGHT_NO_EGRESS'

async function main(parameters) {
  if (process.env[inNamespace] === undefined) {
    if (canIsolate()) return isolated(parameters)
    console.log('no network namespace on this machine (unshare -n is refused): running with the network as it is')
  }
  process.env['WRAPPER_CONTRACT'] = 'all'
  process.env['WRAPPER_SOAK_TURNS'] ??= '200'
  process.env['STATEWRIGHT_REQUIRE'] ??= 'claude'
  return run('vitest', ['run', '--no-file-parallelism', ...(parameters.length > 0 ? parameters : ['wrapper'])])
}

const entry = 'ip link set lo up 2>/dev/null || ifconfig lo up; exec "$@"'

function isolate(command) {
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  return [...own, '--net', 'sh', '-c', entry, 'sh', ...command]
}

/** Not only that the namespace is granted: its loopback must come up too. */
function canIsolate() {
  const probe =
    "require('node:net').createServer().listen(0, '127.0.0.1', function () { require('node:net').connect(this.address().port, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1)) })"
  return (
    spawnSync('unshare', isolate([process.execPath, '-e', probe]), { stdio: 'ignore', timeout: 10_000 }).status === 0
  )
}

function isolated(parameters) {
  console.log('in a network namespace with nothing but the loopback')
  process.env[inNamespace] = '1'
  return run('unshare', isolate([process.execPath, import.meta.filename, ...parameters]))
}

await onNode24(import.meta.url, main, usage)
