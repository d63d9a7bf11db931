import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite } from '../attack.ts'
import { openClones, type Plot } from '../stages/clones.ts'

async function behind(plot: Plot): Promise<void> {
  await plot.othersPush('theirs.txt', 'another pod wrote this\n')
  await plot.turnEnd()
}

/** A hook of git, which the platform's own work would run. */
function hooked(hook: string, provoke: Attack<Plot>['provoke'] = (plot) => plot.turnEnd()): Attack<Plot> {
  return {
    name: `the hook ${hook} of git`,
    walls: ['git-outside'],
    plant: async (plot) => {
      await plot.write(`.git/hooks/${hook}`, `#!/bin/sh\n${plot.canary('exit 0')}\n`)
      await plot.run(`chmod +x .git/hooks/${hook}; echo work >> README.md`)
    },
    provoke: provoke as never,
    succeeded: (plot) => plot.ranOutside(),
  }
}

/** What the next agent's CLI would obey. */
function obeyed(file: string, more = ''): Attack<Plot> {
  return {
    name: `${file} for the next agent`,
    walls: ['fresh-start'],
    plant: async (plot) => {
      if (more !== '') await plot.run(more)
      await plot.write(file, '{"forged":true}\n')
    },
    provoke: (plot) => plot.nextPod(),
    succeeded: (plot) => existsSync(join(plot.clone, file)),
  }
}

/** What a lifecycle hook of the Project runs: the repository's own script. */
function scripted(name: string, file: string, run: string): Attack<Plot> {
  return {
    name,
    walls: ['namespaces'],
    plant: (plot) => plot.write(file, `${plot.canary('true')}\n`),
    provoke: (plot) => plot.hook(run),
    succeeded: (plot) => plot.ranOutside(),
  }
}

const attacks: readonly Attack<Plot>[] = [
  hooked('pre-commit'),
  hooked('post-commit'),
  hooked('pre-push'),
  hooked('post-merge', behind),
  hooked('reference-transaction', (plot) => plot.nextPod()),
  obeyed('.claude/settings.json'),
  obeyed('.claude/skills/obey/SKILL.md'),
  obeyed('.mcp.json'),
  obeyed('CLAUDE.local.md'),
  obeyed('deep/AGENTS.md', 'mkdir deep'),
  obeyed('ignored/deep/.claude/settings.json', 'echo ignored > .gitignore; git add .gitignore; git commit -qm ignore'),
  obeyed('nested/.mcp.json', 'git init -q nested'),
  scripted('a setup script that a lifecycle hook runs', 'setup.sh', 'sh ./setup.sh'),
  scripted('an environment of a folder that a lifecycle hook reads', '.envrc', '. ./.envrc'),
  scripted('a start-up file of a shell that a lifecycle hook starts', '.bash-env', 'BASH_ENV=./.bash-env bash -c true'),
]

export const startUp: Suite = suite('4 hooks and start-up files', openClones, attacks)
