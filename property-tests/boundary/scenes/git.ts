import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
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
    succeeded: ({ besideTheCli, outside }) => textOf(outside(besideTheCli)).includes('check-ignore'),
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
    succeeded: ({ besideTheWrapper, outside }) => existsSync(outside(besideTheWrapper)),
  },
]

/** A repository of the wrapper's that no agent may see, by the pod's name of it, and what it holds. */
function secretOf({ world, mark, outside }: PodScene): { readonly dir: string; readonly sha: string } {
  const name = `${mark}.git`
  const made = join(world.dir, name)
  mkdirSync(made)
  runGit(made, 'init', '--quiet', '--bare', '--initial-branch=main', '.')
  const sha = runGit(made, 'commit-tree', runGit(made, 'mktree', '--missing'), '-m', mark)
  const dir = join(world.stateDir, name)
  cpSync(made, outside(dir), { recursive: true })
  return { dir, sha }
}

/** Looked at in a copy: git asks for the path of its folder, and a pod's has none out here. */
function holds({ world, mark, outside }: PodScene, dir: string, sha: string): boolean {
  const copy = join(world.dir, `${mark}-copy.git`)
  cpSync(outside(dir), copy, { recursive: true })
  try {
    return runGit(copy, 'cat-file', '-t', sha) !== ''
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
    succeeded: (scene) => holds(scene, join(scene.world.stateDir, 'git', 'lib.git'), secrets.get(scene)!),
  },
]
