// Plain JavaScript that any Node >= 20 can read: whatever Node starts a program hands over to the one that npm installed.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ownNode = join(root, 'node_modules', 'node', 'bin', 'node')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * True where another Node has run the script to its end, and this process is ending like it. A release has no Node beside
 * it: there Node 24 or later runs the script itself.
 */
export async function handOver(script, parameters) {
  if (!existsSync(ownNode)) return majorOf(process.versions.node) < 24 && refuse()
  if (realpathSync(process.execPath) === realpathSync(ownNode)) return false
  const notice = isRead(parameters) ? noticeOf(process.versions.node) : undefined
  if (notice) console.error(notice)
  const { code, signal } = await runToEnd(ownNode, [script, ...parameters])
  if (signal) process.kill(process.pid, signal)
  process.exitCode = code ?? exitCodeOf(signal)
  return true
}

/** A line for who starts us with a Node that no longer gets repairs. */
export function noticeOf(version) {
  if (majorOf(version) >= 22) return undefined
  return `Node ${version} started this, and the Node of node_modules runs it; install Node 22.19 or later.`
}

/** Logs and programs get nothing but what they asked for. */
export function isRead(parameters, isTerminal = process.stderr.isTTY) {
  return isTerminal === true && !parameters.includes('--json')
}

function majorOf(version) {
  return Number(version.split('.')[0])
}

function refuse() {
  console.error(`This needs Node 24; here is ${process.version}. Run npm ci in ${root}, which brings it.`)
  process.exitCode = 1
  return true
}

/** A shell's for what a signal ended. */
export function exitCodeOf(signal) {
  return 128 + constants.signals[signal]
}

/** Runs a program with our own input and output and passes signals on. */
export function runToEnd(command, parameters, options = {}) {
  const child = spawn(command, parameters, { stdio: 'inherit', ...options })
  const pass = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      for (const each of signals) process.off(each, pass)
      resolve({ code, signal })
    })
  })
}
