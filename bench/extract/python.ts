/** Programs and sources of PyPI, in environments of their own that are kept. */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const graphify = '0.9.96'
const jedi = '0.19.2'
/** Packages that extraction is judged by: what installing them brings is their sources. */
export const pythonPackages: Readonly<Record<string, string>> = { click: '8.3.1', httpx: '0.28.1' }

export interface Jedi {
  readonly python: string
  /** One folder for each package. */
  readonly sources: string
}

/** Undefined in a quick run that has none, and without Python. */
export function findGraphify(quick: boolean): string | undefined {
  const given = process.env['GRAPHIFY']
  if (given !== undefined && given !== '') return given
  const place = environment(`graphify-${graphify}`, quick, [[`graphifyy==${graphify}`]])
  return place === undefined ? undefined : join(place, 'bin', 'graphify')
}

export function findJedi(quick: boolean): Jedi | undefined {
  const wanted = Object.entries(pythonPackages).map(([name, version]) => `${name}==${version}`)
  const name = ['jedi', jedi, ...wanted.map((each) => each.replace('==', '-'))].join('-')
  const place = environment(name, quick, [[`jedi==${jedi}`], ['--no-deps', '--target', 'sources', ...wanted]])
  return place === undefined ? undefined : { python: join(place, 'bin', 'python'), sources: join(place, 'sources') }
}

function environment(name: string, quick: boolean, installs: readonly (readonly string[])[]): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const place = join(cache, 'statewright', name)
  const complete = join(place, 'complete')
  if (existsSync(complete)) return place
  if (quick || spawnSync('python3', ['-m', 'venv', '--clear', place]).status !== 0) return undefined
  console.error(`installing ${name} into ${place}`)
  for (const parameters of installs) {
    const pip = spawnSync(join(place, 'bin', 'pip'), ['install', '-q', ...parameters], {
      cwd: place,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (pip.status !== 0) return undefined
  }
  writeFileSync(complete, '')
  return place
}
