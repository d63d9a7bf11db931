import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shellWords } from '../../../wrapper/boot/shell-words.ts'
import { runGit } from '../../../wrapper/testing/pod.ts'
import type { Attack } from '../attack.ts'
import { bashCall, branch, call, type PodScene } from '../stages/pods.ts'

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

export const configuration: readonly Attack<PodScene>[] = [
  {
    name: 'a trace that ~/.gitconfig asks of the git that the CLI runs by itself',
    isDear: true,
    walls: ['namespaces'],
    plant: ({ turn, clone, mark, besideTheCli }) =>
      turn(
        bashCall(`git config --global trace2.normalTarget ${besideTheCli}
          mkdir -p ${clone}/.claude/skills/${mark}; echo ${mark} > ${clone}/.claude/skills/${mark}/SKILL.md`),
        // A skill that was not known makes the CLI ask its git whether it is ignored.
        call('Read', { file_path: join(clone, 'README.md') }),
      ),
    succeeded: ({ besideTheCli }) => textOf(besideTheCli).includes('check-ignore'),
  },
]

/** Shell text that leaves a file, when whoever runs it may write there; what it reads goes through as it came. */
const leaves = (file: string): string => `touch ${file} 2>/dev/null; cat`

export const filters: readonly Attack<PodScene>[] = [
  {
    name: 'a filter that a command of the CLI wrote, when its turn ends',
    walls: ['namespaces'],
    plant: ({ bash, clone, besideTheWrapper }) =>
      bash(`cd ${clone} && git config filter.x.clean ${shellWords([leaves(besideTheWrapper)])} &&
        echo '* filter=x' > .git/info/attributes && echo work >> README.md`),
    succeeded: ({ besideTheWrapper }) => existsSync(besideTheWrapper),
  },
]

/** A repository of the wrapper's that no agent may see, and what it holds. */
function secretOf({ world, mark }: PodScene): { readonly dir: string; readonly sha: string } {
  const dir = join(world.stateDir, `${mark}.git`)
  mkdirSync(dir, { recursive: true })
  runGit(dir, 'init', '--quiet', '--bare', '--initial-branch=main', '.')
  return { dir, sha: runGit(dir, 'commit-tree', runGit(dir, 'mktree', '--missing'), '-m', mark) }
}

function holds(dir: string, sha: string): boolean {
  try {
    return runGit(dir, 'cat-file', '-t', sha) !== ''
  } catch {
    return false
  }
}

const secrets = new WeakMap<PodScene, string>()
const turns = 4
const seconds = 20

export const moving: readonly Attack<PodScene>[] = [
  {
    name: 'a work branch that moves to somebody else’s commit while turns end',
    isDear: true,
    walls: ['namespaces'],
    plant: async (scene) => {
      const { dir, sha } = secretOf(scene)
      secrets.set(scene, sha)
      const tip = `.git/refs/heads/${branch}`
      await scene.bash(`cd lib && git commit -q --allow-empty -m work && cp ${tip} .git/own-tip
        end=$(( $(date +%s) + ${seconds} )); : > .git/moves
        (while [ -e .git/moves ] && [ $(date +%s) -lt $end ]; do
          echo ${dir}/objects > .git/objects/info/alternates; echo ${sha} > ${tip}; sleep 0.1; cp .git/own-tip ${tip}; sleep 0.02
        done > /dev/null 2>&1 &)`)
      for (let turn = 0; turn < turns; turn++) await scene.bash('cd lib && date +%N > file')
      await scene.bash('rm -f lib/.git/moves')
    },
    succeeded: (scene) => holds(join(scene.world.stateDir, 'git', 'lib.git'), secrets.get(scene)!),
  },
]
