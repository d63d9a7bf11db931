import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** Commands of `statewright`, which cli/help.test.ts covers, and vitest, which prints its own help. */
const others = ['start', 'demo', 'test']
const scripts = Object.entries(manifest.scripts).filter(([name]) => !others.includes(name))

test.each(scripts)(
  'npm run %s -- --help prints a usage and runs nothing',
  { timeout: 60_000 },
  async (name, command) => {
    const [, script = ''] = command.split(' ')
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, script), '--help'], { cwd: root })
    expect(stdout).toMatch(new RegExp(`^usage: npm run ${name}( |\\n)`))
  },
)
