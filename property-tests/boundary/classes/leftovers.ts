import { suite, type Attack, type Suite, type Wall } from '../attack.ts'
import { openClones, type Plot } from '../stages/clones.ts'

const mark = 'left-by-the-pod-before'

/** What one pod leaves, and what a command of the next then says. */
function leaving(
  name: string,
  plant: (plot: Plot) => string,
  look: string,
  walls: readonly [Wall] = ['fresh-start'],
): Attack<Plot> {
  const said = new WeakMap<Plot, string>()
  return {
    name,
    walls,
    plant: (plot) => plot.run(plant(plot)),
    provoke: async (plot) => {
      await plot.nextPod()
      said.set(plot, (await plot.runNext(look)).said)
    },
    succeeded: (plot) => said.get(plot)!.includes(mark),
  }
}

const say = `!echo ${mark}`
const work = 'git commit -q --allow-empty -m x; echo y >> README.md; git add README.md; git status'

const attacks: readonly Attack<Plot>[] = [
  leaving(
    'a hook',
    () => `printf '#!/bin/sh\\necho ${mark}\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit`,
    work,
  ),
  leaving(
    'a folder of hooks',
    () =>
      `mkdir .git/own; printf '#!/bin/sh\\necho ${mark}\\n' > .git/own/post-commit; chmod +x .git/own/post-commit; git config core.hooksPath .git/own`,
    work,
  ),
  leaving(
    'a filter',
    () => `git config filter.x.clean 'echo ${mark} >&2; cat'; echo '* filter=x' > .git/info/attributes`,
    work,
  ),
  leaving('an alias', () => `git config alias.evil '${say}'`, 'git evil'),
  leaving(
    'an included configuration',
    () => `git config --file .git/more alias.evil '${say}'; git config include.path more`,
    'git evil',
  ),
  leaving(
    'a helper for credentials',
    () => `git config credential.helper '!echo ${mark}'`,
    'git config --get-all credential.helper',
  ),
  leaving(
    'an address taken for another',
    () => `git config url.https://${mark}/.insteadOf https://`,
    'git config --get-regexp url',
  ),
  leaving(
    'a configuration of the work tree',
    () => `git config extensions.worktreeConfig true; printf '[alias]\\n\\tevil = "${say}"\\n' > .git/config.worktree`,
    'git evil; cat .git/config.worktree',
  ),
  leaving(
    'files that git is told to overlook',
    () => `echo ${mark} > .git/info/exclude; : > ${mark}`,
    `git check-ignore ${mark}`,
  ),
  leaving('another work tree', ({ clone }) => `git worktree add -q ${clone}-${mark} HEAD`, 'git worktree list'),
  leaving(
    'objects that stand for others',
    () => `git replace $(git rev-parse HEAD) $(git commit-tree HEAD^{tree} -m ${mark})`,
    'git log -1 --format=%s',
  ),
  leaving('a note in HOME', () => `echo 'echo ${mark}' > ~/.bashrc`, 'cat ~/.bashrc', ['namespaces']),
  leaving('a configuration in HOME', () => `git config --global alias.evil '${say}'`, 'git evil', ['namespaces']),
  leaving(
    'a file in /tmp',
    ({ clone }) => `echo ${mark} > /tmp/$(basename $(dirname $(dirname ${clone}))).note`,
    'file=/tmp/$(basename $(dirname $(dirname $PWD))).note; cat $file; rm -f $file',
    ['namespaces'],
  ),
]

export const leftovers: Suite = suite('11 leftovers between pods', openClones, attacks)
