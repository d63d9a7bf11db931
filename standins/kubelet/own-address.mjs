// Loaded before a program of Node in a container (`NODE_OPTIONS=--import=...`): all interfaces of a pod are its own address,
// as they are on a node, where each pod has a network of its own.
import { readFileSync } from 'node:fs'
import { Server } from 'node:net'

const all = ['0.0.0.0', '::']
const [own] = readFileSync('/etc/hosts', 'utf8')
  .split('\n')
  .map((line) => line.split(/\s+/))
  .filter(([, ...names]) => names.includes(process.env.HOSTNAME))
  .map(([address]) => address)
const listen = Server.prototype.listen

Server.prototype.listen = function (...parameters) {
  const placed = (value) => {
    if (all.includes(value)) return own
    return typeof value === 'object' && all.includes(value?.host) ? { ...value, host: own } : value
  }
  return listen.apply(this, own === undefined ? parameters : parameters.map(placed))
}
