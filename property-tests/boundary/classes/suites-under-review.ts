import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite } from '../attack.ts'
import { openClones, type Plot } from '../stages/clones.ts'
import { caches } from '../stages/folders.ts'

/** A file that turns a red suite green, left by an earlier pod where git does not track it. */
function left(name: string, file: string): Attack<Plot> {
  return {
    name,
    profile: 'review',
    walls: ['tracked-only', 'fresh-start'],
    plant: (plot) => plot.write(file, '#!/bin/sh\nexit 0\n'),
    provoke: (plot) => plot.nextPod(),
    succeeded: (plot) => existsSync(join(plot.clone, file)),
  }
}

/** A cache that the author's pods fill. */
function cached(name: string): Attack<Plot> {
  return {
    name: `a program in the cache ${name}`,
    profile: 'review',
    walls: ['namespaces'],
    plant: ({ folders }) => writeFileSync(join(folders.home, name, 'planted'), 'green-by-the-cache\n'),
    succeeded: async ({ runNext }) => (await runNext(`cat ~/${name}/planted`)).said.includes('green-by-the-cache'),
  }
}

/** A suite that reaches for the wrapper while it is run. */
function reaching(name: string, script: (plot: Plot) => string): Attack<Plot> {
  return {
    name,
    walls: ['namespaces'],
    plant: async (plot) => {
      await plot.write('suite.sh', script(plot))
      await plot.run('sh suite.sh')
    },
    succeeded: (plot) => plot.ranOutside(),
  }
}

const attacks: readonly Attack<Plot>[] = [
  left('a runner in node_modules/.bin', 'node_modules/.bin/vitest'),
  left('a package in node_modules', 'node_modules/assert/index.js'),
  left('a package above the clone', '../node_modules/assert/index.js'),
  left('an environment of Python', '.venv/bin/python'),
  left('a plugin of a test runner', 'conftest.py'),
  left('a configuration of a test runner', 'vitest.config.ts'),
  left('what a build left', 'dist/index.js'),
  left('a configuration of npm', '.npmrc'),
  ...caches.map(cached),
  reaching('a suite that writes into the wrapper’s state', (plot) => plot.canary('true')),
  reaching(
    'a process that outlives its suite and writes later',
    (plot) => `(sleep 0.1; ${plot.canary('true')}) > /dev/null 2>&1 & sleep 0.4`,
  ),
  reaching(
    'a suite that looks for the wrapper’s state',
    ({ folders, canaryFile }) =>
      `for at in $(find ${folders.dir} -maxdepth 3 -name canaries 2>/dev/null); do [ -e $at/../secret.git ] && echo found > ${canaryFile}; done`,
  ),
]

export const underReview: Suite = suite('5 test-suites and package scripts', openClones, attacks)
