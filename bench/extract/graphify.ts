import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const version = '0.9.96'

/** graphify from PyPI, in an environment of its own that is kept; undefined in a quick run that has none, and without Python. */
export async function findGraphify(_folder: string, quick: boolean): Promise<string | undefined> {
  const given = process.env['GRAPHIFY']
  if (given !== undefined && given !== '') return given
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const place = join(cache, 'statewright', `graphify-${version}`)
  const program = join(place, 'bin', 'graphify')
  if (existsSync(program)) return program
  if (quick || spawnSync('python3', ['-m', 'venv', place]).status !== 0) return undefined
  console.error(`installing graphifyy ${version} into ${place}`)
  const pip = spawnSync(join(place, 'bin', 'pip'), ['install', '-q', `graphifyy==${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return pip.status === 0 && existsSync(program) ? program : undefined
}
