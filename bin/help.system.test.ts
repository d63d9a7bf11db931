import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** Commands of `statewright`, which cli/help.test.ts covers, and `npm test`, which people call without `run`. */
const others = ['start', 'demo', 'test']
const scripts = Object.entries(manifest.scripts).filter(([name]) => !others.includes(name))

test.each(scripts)(
  'npm run %s -- --help prints a usage and runs nothing',
  { timeout: 60_000 },
  async (name, command) => {
    const [, ...words] = command.split(' ')
    const { stdout } = await promisify(execFile)(process.execPath, [...words, '--help'], { cwd: root })
    expect(stdout).toMatch(new RegExp(`^usage: npm run ${name}( |\\n)`))
  },
)

/** Benches that a text does not name. */
function unnamed(benches: readonly string[], text: string): readonly string[] {
  return benches.filter((name) => !new RegExp(`^ {2}${name} {2,}\\S`, 'm').test(text))
}

test('npm run bench -- --help names every bench', () => {
  const benches = readdirSync(join(root, 'bench')).filter((name) => existsSync(join(root, 'bench', name, 'main.ts')))
  expect(benches.length).toBeGreaterThan(5)
  expect(unnamed(benches, readFileSync(join(root, 'bin', 'bench.mjs'), 'utf8'))).toEqual([])
  expect(unnamed(['one', 'two'], '  one   measure one\n  twofold  measure two')).toEqual(['two'])
})
