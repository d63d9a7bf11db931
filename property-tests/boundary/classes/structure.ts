import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite } from '../attack.ts'
import { runGit } from '../../../wrapper/testing/pod.ts'
import { branch, openClones, type Plot } from '../stages/clones.ts'

const tip = `refs/heads/${branch}`

export function holds(plot: Plot, sha: string): boolean {
  return [plot.bareDir, plot.forge].some((dir) => {
    try {
      runGit(dir, 'cat-file', '-e', sha)
      return true
    } catch {
      return false
    }
  })
}

function refsOf(dir: string): readonly string[] {
  return runGit(dir, 'for-each-ref', '--format=%(refname)').split('\n')
}

/** A `.git` that leads git to a repository of somebody else: what crosses holds his work. */
function leading(name: string, plant: (plot: Plot) => string): Attack<Plot> {
  return {
    name,
    walls: ['namespaces'],
    plant: (plot) => plot.run(plant(plot)),
    provoke: async (plot) => {
      await plot.safetyPush()
      await plot.turnEnd()
    },
    succeeded: (plot) => holds(plot, plot.secret.sha),
  }
}

/** A commit of a tree that no honest git makes, on the work branch. */
function odd(name: string, listing: string): Attack<Plot> {
  const made = (plot: Plot): Promise<string> => plot.run('cat .git/odd-tree').then(({ said }) => said)
  return {
    name,
    walls: ['fsck'],
    plant: (plot) =>
      plot.run(`blob=$(echo '[core]' | git hash-object -w --stdin); link=$(printf /etc/passwd | git hash-object -w --stdin)
        modules=$(printf '[submodule "x"]\\n\\tpath = x\\n\\turl = -u./evil\\n' | git hash-object -w --stdin)
        inner=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
        tree=$( { git ls-tree HEAD; printf '${listing}'; } | git -c core.protectNTFS=false -c core.protectHFS=false mktree)
        echo $tree > .git/odd-tree
        git update-ref ${tip} $(git commit-tree $tree -p HEAD -m odd)`),
    provoke: (plot) => plot.safetyPush(),
    succeeded: async (plot) => holds(plot, await made(plot)),
  }
}

/** A ref that nobody asked for. */
function stray(name: string, plant: string, ref: RegExp): Attack<Plot> {
  return {
    name,
    walls: ['refspec'],
    plant: (plot) => plot.run(`git commit -q --allow-empty -m work; ${plant}`),
    provoke: (plot) => plot.safetyPush(),
    succeeded: (plot) => [plot.bareDir, plot.forge].some((dir) => refsOf(dir).some((found) => ref.test(found))),
  }
}

const attacks: readonly Attack<Plot>[] = [
  leading(
    'objects of another repository, by alternates',
    ({ secret }) =>
      `echo ${secret.dir}/objects > .git/objects/info/alternates; mkdir -p .git/refs/heads/platform; echo ${secret.sha} > .git/${tip}`,
  ),
  leading(
    'objects of another repository, by a link',
    ({ secret }) =>
      `rm -rf .git/objects; ln -s ${secret.dir}/objects .git/objects; mkdir -p .git/refs/heads/platform; echo ${secret.sha} > .git/${tip}`,
  ),
  leading('a .git that is a file', ({ secret }) => `rm -rf .git; echo 'gitdir: ${secret.dir}' > .git`),
  leading('a .git that is a link', ({ secret }) => `rm -rf .git; ln -s ${secret.dir} .git`),
  leading('a commondir', ({ secret }) => `rm -rf .git/refs .git/packed-refs; echo ${secret.dir} > .git/commondir`),
  leading(
    'refs that are a link, with alternates',
    ({ secret }) =>
      `echo ${secret.dir}/objects > .git/objects/info/alternates; rm -rf .git/refs .git/packed-refs; ln -s ${secret.dir}/refs .git/refs`,
  ),
  leading(
    'a work branch that is a link, with alternates',
    ({ secret }) =>
      `echo ${secret.dir}/objects > .git/objects/info/alternates; mkdir -p .git/refs/heads/platform; rm -f .git/${tip}; ln -s ${secret.dir}/${tip} .git/${tip}`,
  ),
  leading(
    'packs that are links',
    ({ secret }) =>
      `rm -rf .git/objects/pack; ln -s ${secret.dir}/objects/pack .git/objects/pack; for d in ${secret.dir}/objects/??; do o=.git/objects/$(basename $d); mkdir -p $o; ln -s $d/* $o/; done; echo ${secret.sha} > .git/${tip}`,
  ),
  odd('a folder .GIT for systems that fold case', "040000 tree %s\\t.GIT\\n' $inner; printf '"),
  odd('a folder .git with a letter that nobody sees', "040000 tree %s\\t.g\\342\\200\\214it\\n' $inner; printf '"),
  odd('a folder by the short name of .git', "040000 tree %s\\tgit~1\\n' $inner; printf '"),
  odd('a .gitmodules that is a link', "120000 blob %s\\t.gitmodules\\n' $link; printf '"),
  odd('a .gitmodules whose address is an option', "100644 blob %s\\t.gitmodules\\n' $modules; printf '"),
  stray('refs that replace objects', `git replace ${'$(git rev-parse HEAD~1)'} HEAD`, /^refs\/replace\//),
  stray('tags', 'git tag v9', /^refs\/tags\/v9$/),
  stray(
    'notes, and a branch of another Task',
    'git notes add -m x; git update-ref refs/heads/platform/other HEAD',
    /notes|platform\/other$/,
  ),
  {
    name: 'a history that is cut off',
    walls: ['wire'],
    plant: (plot) => plot.run(`git commit -q --allow-empty -m work; git rev-parse HEAD > .git/shallow`),
    provoke: (plot) => plot.safetyPush(),
    succeeded: (plot) => existsSync(join(plot.bareDir, 'shallow')),
  },
]

export const structure: Suite = suite('3 repository structure', openClones, attacks)
