/** The wire with its walls down, each for itself or all at once. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collect, spawnGit, type GitSide } from '../../../wrapper/workspace/git.ts'
import { createWire, type Wire, type WireOptions } from '../../../wrapper/workspace/outside/wire.ts'
import type { Wall } from '../attack.ts'

const loose = [
  'protocol.allow=always',
  'transfer.fsckObjects=false',
  'fetch.fsckObjects=false',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting])

const everything = ['+refs/*:refs/*']

const limitless = { refs: Infinity, objects: Infinity, bytes: Infinity }
const longMs = 60_000

export interface OpenedWire extends WireOptions {
  readonly down: ReadonlySet<Wall>
  /** For a program that stands in place of git. */
  readonly dir: string
  /** Stands in place of the clone's upload-pack where git itself opens the path. */
  readonly server?: string
}

export function wireOf({ down, dir, server, ...options }: OpenedWire): Wire {
  if (down.has('wire')) return looseWire(options.outside, server)
  const wire = createWire({
    ...options,
    ...(down.has('fsck') ? { outside: unchecked(options.outside, dir) } : {}),
    ...(down.has('limits') ? { limits: limitless } : {}),
    ...(down.has('patience') ? { timeoutMs: longMs } : {}),
  })
  if (!down.has('refspec')) return wire
  return (crossing) =>
    wire(crossing.direction === 'serve' ? crossing : { ...crossing, refspecs: [...everything, ...crossing.refspecs] })
}

/** A git in the place of git that checks no object, and is git in all else. */
function unchecked(side: GitSide, dir: string): GitSide {
  const text = (path: string): string => `#!/bin/sh
for word; do
  shift
  [ "$word" != transfer.fsckObjects=true ] || word=transfer.fsckObjects=false
  set -- "$@" "$word"
done
PATH='${path}' exec git "$@"
`
  return {
    ...side,
    env: (run) => {
      const env = side.env(run)
      const program = join(dir, 'git')
      writeFileSync(program, text(env['PATH']!))
      chmodSync(program, 0o755)
      return { ...env, PATH: `${dir}:${env['PATH']}` }
    },
  }
}

/** All of them: git itself opens the clone's path, takes whatever is offered, checks and limits nothing. `server` stands in place of the clone's upload-pack. */
function looseWire(side: GitSide, server?: string): Wire {
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
