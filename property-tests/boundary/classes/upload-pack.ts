import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite, type Wall } from '../attack.ts'
import { agentRef } from '../../../wrapper/workspace/repository.ts'
import { branch } from '../stages/clones.ts'
import { limits, openWires, type LyingServer } from '../stages/wires.ts'

/** `tip` names what the liar says the work branch is. */
const commit = 'git commit -q --allow-empty -m work; git rev-parse HEAD > .git/tip'

function tip({ clone }: LyingServer): string {
  return readFileSync(join(clone, '.git', 'tip'), 'utf8').trim()
}

function lying(
  name: string,
  lie: string,
  wall: Wall | Attack<LyingServer>['walls'],
  succeeded: Attack<LyingServer>['succeeded'],
  plant = commit,
): Attack<LyingServer> {
  return {
    name,
    walls: typeof wall === 'string' ? [wall] : wall,
    plant: async (scene) => {
      await scene.run(plant)
      scene.lie = lie
    },
    provoke: (scene) => scene.took(),
    succeeded,
  }
}

/** A commit that a check of objects refuses. */
function unsound(name: string, plant: string): Attack<LyingServer> {
  return lying(name, 'what is planted', 'fsck', (scene) => scene.has(tip(scene)), plant)
}

const withTree = (lines: string): string =>
  `blob=$(echo x | git hash-object -w --stdin); inner=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
   bad=$(printf '[submodule "x"]\\n\\tpath = x\\n\\turl = -u./evil\\n' | git hash-object -w --stdin)
   tree=$(${lines} | git mktree); git commit-tree $tree -p HEAD -m odd > .git/tip`

/** What has no end is ended by whichever comes first. */
const streams = ['limits', 'patience'] as const
const strays = (scene: LyingServer): boolean => scene.refs().some((ref) => ref !== agentRef(branch))
const beyond = (bytes: number) => (scene: LyingServer) => scene.sent() > bytes

/** Git's own upload-pack, which lets a program of the agent's pack whatever it likes. */
function hooked(name: string, tree: string, script: string): Attack<LyingServer> {
  const attack = unsound(name, tree)
  return {
    ...attack,
    plant: async (scene) => {
      await attack.plant(scene)
      await scene.run(`git update-ref refs/heads/${branch} $(git commit-tree HEAD^{tree} -p HEAD -m fine)
        printf '#!/bin/sh\\n${script}\\n' > .git/packs; chmod +x .git/packs`)
      scene.words = [
        'git',
        '-c',
        'safe.directory=*',
        '-c',
        `uploadpack.packObjectsHook=${scene.clone}/.git/packs`,
      ].concat(['upload-pack', `${scene.clone}/.git`])
    },
  }
}

const attacks: readonly Attack<LyingServer>[] = [
  lying('refs that nobody asked for', 'extra refs', 'refspec', strays),
  lying('names that climb out of refs', 'names that climb', 'refspec', (scene) =>
    scene.refs().some((ref) => /climbed/.test(ref)),
  ),
  lying('a HEAD that stands for another ref', 'a symbolic HEAD', 'refspec', strays),
  lying('no end of refs', 'no end of refs', streams, beyond(1024 * 1024)),
  lying('no end of bytes beside the pack', 'no end of bytes', streams, beyond(3 * limits.bytes)),
  lying(
    'more objects than anybody needs',
    'what is planted',
    'limits',
    (scene) => scene.has(tip(scene)),
    `{ echo 'commit refs/heads/many'; echo 'committer a <a@b> 1 +0000'; echo 'data 1'; echo m
       seq ${limits.objects + 200} | awk '{ printf "M 644 inline f%s\\ndata 5\\n%05d\\n", $1, $1 }'; } | git fast-import --quiet; git rev-parse many > .git/tip`,
  ),
  lying('a count of objects without the objects', 'a bare count', streams, beyond(8000)),
  lying(
    'a protocol that can send the client elsewhere',
    'version two',
    'wire',
    ({ clone }) =>
      existsSync(join(clone, '.git', 'asked')) && readFileSync(join(clone, '.git', 'asked'), 'utf8') !== '',
  ),
  lying('an answer that drips', 'a slow drip', 'patience', (scene) => scene.has(tip(scene))),
  lying('a flood of complaints for the terminal', 'a flood of complaints', 'wire', ({ ended }) =>
    (ended?.stderr ?? '').includes('\u001b'),
  ),
  unsound('a folder .GIT', withTree("printf '040000 tree %s\\t.GIT\\n' $inner")),
  unsound('a folder by the short name of .git', withTree("printf '040000 tree %s\\tGIT~1\\n' $inner")),
  unsound('a .gitmodules whose address is an option', withTree("printf '100644 blob %s\\t.gitmodules\\n' $bad")),
  unsound(
    'a commit with two authors',
    `tree=$(git rev-parse HEAD^{tree})
    printf 'tree %s\\nauthor a <a@b> 1 +0000\\nauthor c <c@d> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nodd\\n' $tree | git hash-object -t commit -w --stdin --literally > .git/tip`,
  ),
  {
    name: 'a .gitmodules that is found too late, sent again',
    walls: ['fsck'],
    plant: async (scene) => {
      await scene.run(`for i in $(seq 20); do echo $i > file-$i; done; git add .; ${commit}`)
      scene.words = ['git', '-c', 'safe.directory=*', 'upload-pack', `${scene.clone}/.git`]
      await scene.took()
      // Its tree is sent as a delta, so that git knows of the .gitmodules when the pack is stored.
      await scene.run(`printf '[submodule "x"]\\n\\tpath = x\\n\\turl = -u./evil\\n' > .gitmodules; git add .; ${commit}
        git update-ref refs/heads/${branch} HEAD`)
    },
    provoke: async (scene) => {
      await scene.took()
      await scene.took()
    },
    succeeded: (scene) => scene.has(tip(scene)),
  },
  hooked(
    'a packObjectsHook that packs a folder .GIT besides',
    withTree("printf '040000 tree %s\\t.GIT\\n' $inner"),
    '{ cat tip; grep -v ^$; } | git -c safe.directory="*" pack-objects --revs --stdout --quiet',
  ),
]

export const uploadPack: Suite = suite('13 a lying upload-pack', openWires, attacks)
