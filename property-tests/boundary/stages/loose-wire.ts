/** The wire with its wall down: git itself opens the clone's path, takes whatever is offered, checks and limits nothing. */
import { collect, spawnGit, type GitSide } from '../../../wrapper/workspace/git.ts'
import type { Wire } from '../../../wrapper/workspace/outside/wire.ts'

const loose = [
  'protocol.allow=always',
  'transfer.fsckObjects=false',
  'fetch.fsckObjects=false',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting])

const everything = ['+refs/*:refs/*']

/** `server` stands in place of the clone's upload-pack. */
export function looseWire(side: GitSide, server?: string): Wire {
  return async ({ direction, bare, clone, refspecs }) => {
    const [into, from] = direction === 'take' ? [bare, clone] : [clone, bare]
    const lying = server === undefined || direction === 'serve' ? [] : [`--upload-pack=${server}`]
    const wanted = direction === 'take' ? [...everything, ...refspecs] : refspecs
    const args = [
      ...loose,
      'fetch',
      '--quiet',
      '--tags',
      '--force',
      '--update-head-ok',
      '--update-shallow',
      ...lying,
      from,
      ...wanted,
    ]
    const child = spawnGit({ ...side, timeoutMs: 60_000 }, [], args, { cwd: into, stdio: ['ignore', 'ignore', 'pipe'] })
    const stderr = collect(child.stderr!)
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code: code ?? 128, stdout: '', stderr: stderr() }))
    })
  }
}
