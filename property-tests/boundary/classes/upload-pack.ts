import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite } from '../attack.ts'
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
  succeeded: Attack<LyingServer>['succeeded'],
  plant = commit,
): Attack<LyingServer> {
  return {
    name,
    walls: ['wire'],
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
  return lying(name, 'what is planted', (scene) => scene.has(tip(scene)), plant)
}

const withTree = (lines: string): string =>
  `blob=$(echo x | git hash-object -w --stdin); inner=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
   bad=$(printf '[submodule "x"]\\n\\tpath = x\\n\\turl = -u./evil\\n' | git hash-object -w --stdin)
   tree=$(${lines} | git mktree); git commit-tree $tree -p HEAD -m odd > .git/tip`

const strays = (scene: LyingServer): boolean => scene.refs().some((ref) => ref !== agentRef(branch))
const beyond = (bytes: number) => (scene: LyingServer) => scene.sent() > bytes

const attacks: readonly Attack<LyingServer>[] = [
  lying('refs that nobody asked for', 'extra refs', strays),
  lying('names that climb out of refs', 'names that climb', (scene) => scene.refs().some((ref) => /climbed/.test(ref))),
  lying('a HEAD that stands for another ref', 'a symbolic HEAD', strays),
  lying('no end of refs', 'no end of refs', beyond(1024 * 1024)),
  lying('no end of bytes beside the pack', 'no end of bytes', beyond(3 * limits.bytes)),
  lying(
    'more objects than anybody needs',
    'what is planted',
    (scene) => scene.has(tip(scene)),
    `{ i=0; while [ $i -lt ${limits.objects + 200} ]; do i=$((i+1)); printf 'blob\\ndata 5\\n%05d\\nM\\n' $i | head -n 3; done; } | sed '/^M$/d' > .git/blobs
     { i=0; echo 'commit refs/heads/many'; echo 'committer a <a@b> 1 +0000'; echo 'data 1'; echo m; while [ $i -lt ${limits.objects + 200} ]; do i=$((i+1)); printf 'M 644 inline f%s\\ndata 5\\n%05d\\n' $i $i; done; } | git fast-import --quiet; git rev-parse many > .git/tip`,
  ),
  lying('a count of objects without the objects', 'a bare count', beyond(8000)),
  lying(
    'a protocol that can send the client elsewhere',
    'version two',
    ({ clone }) =>
      existsSync(join(clone, '.git', 'asked')) && readFileSync(join(clone, '.git', 'asked'), 'utf8') !== '',
  ),
  lying('an answer that drips', 'a slow drip', (scene) => scene.has(tip(scene))),
  lying('a flood of complaints for the terminal', 'a flood of complaints', ({ ended }) =>
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
]

export const uploadPack: Suite = suite('13 a lying upload-pack', openWires, attacks)
