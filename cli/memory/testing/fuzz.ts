/** Starts the memory service before an identity provider and lets schemathesis ask it at random; options are its own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { programDir } from '../../program.ts'
import { memoryHost } from './host.ts'

const host = await memoryHost()
try {
  const { url } = await host.start()
  console.log(`schemathesis against ${url}, on ${host.databaseUrl === '' ? 'the embedded store' : 'PostgreSQL'}`)
  const command = [join(programDir, '.ci', 'schemathesis.sh'), 'run', url, await host.token(), ...process.argv.slice(2)]
  const child = spawn('bash', command, { stdio: 'inherit' })
  // Whoever ends this ends the service too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill('SIGTERM'))
  process.exitCode = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
} finally {
  await host.close()
}
