// The program of a test's container: writes down what it finds, serves it, and ends when it is asked to.
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const attempt = (act) => {
  try {
    return act()
  } catch (error) {
    return error.code ?? String(error)
  }
}
const read = (path) => attempt(() => readFileSync(path, 'utf8'))

const seen = {
  env: process.env,
  pid: process.pid,
  uid: process.getuid(),
  gid: process.getgid(),
  parameters: process.argv.slice(2),
  cwd: process.cwd(),
  root: attempt(() => readdirSync('/')),
  processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  namespaces: Object.fromEntries(
    ['user', 'mnt', 'pid', 'ipc', 'net'].map((n) => [n, readlinkSync(`/proc/self/ns/${n}`)]),
  ),
  mounts: readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ').slice(1, 4).join(' ')),
  files: Object.fromEntries((process.env.READ ?? '').split(',').map((path) => [path, read(path)])),
  writes: Object.fromEntries(
    (process.env.WRITE ?? '').split(',').map((path) => [path, attempt(() => writeFileSync(path, 'written') ?? 'ok')]),
  ),
  there: Object.fromEntries((process.env.LOOK ?? '').split(',').map((path) => [path, existsSync(path)])),
}
const [host, port] = (process.env.HTTP_ADDR ?? '127.0.0.1:0').split(':')
let isSick = false
createServer((request, response) => {
  if (request.url === '/sick') isSick = true
  if (isSick) response.statusCode = 500
  if (request.url === '/end') setTimeout(() => process.exit(Number(process.env.EXIT ?? 0)), 10)
  response.end(JSON.stringify(seen))
}).listen(Number(port), host, () => console.log('listening'))
process.on('SIGTERM', () => {
  if (process.env.STUBBORN) return
  console.log('stopping')
  if (process.env.MESSAGE) writeFileSync('/dev/termination-log', process.env.MESSAGE)
  process.exit(Number(process.env.EXIT ?? 0))
})
