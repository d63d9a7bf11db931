import { suite, type Attack, type Suite } from '../attack.ts'
import { openClones, type Plot } from '../stages/clones.ts'
import { configText } from './git-text.ts'

const clean = (plot: Plot): readonly (readonly [string, string])[] => [['filter.x.clean', plot.canary()]]

/** `attributes`: shell text that puts them where git finds them. */
function planted(
  name: string,
  attributes: string,
  entries: (plot: Plot) => readonly (readonly [key: string, value: string])[],
  provoke?: Attack<Plot>['provoke'],
): Attack<Plot> {
  return {
    name,
    walls: ['git-outside'],
    plant: async (plot) => {
      await plot.write('.git/more', configText(entries(plot)))
      await plot.run(`cat .git/more >> .git/config; ${attributes}; echo work >> README.md; echo new > new.txt`)
    },
    provoke: provoke ?? ((plot) => plot.turnEnd()),
    succeeded: (plot) => plot.ranOutside(),
  }
}

async function behind(plot: Plot): Promise<void> {
  await plot.othersPush('README.md', 'another pod wrote this\n')
  await plot.othersPush('theirs.txt', 'and this\n')
  await plot.turnEnd()
}

const attacks: readonly Attack<Plot>[] = [
  planted('a filter that cleans, by .git/info/attributes', "echo '* filter=x' > .git/info/attributes", clean),
  planted('a filter that cleans, by .gitattributes', "echo '* filter=x' > .gitattributes", clean),
  planted(
    'a filter that cleans, by attributes of a folder',
    "mkdir deep; echo '* filter=x' > deep/.gitattributes; echo y > deep/y",
    clean,
  ),
  planted('a filter that cleans, by a macro', "printf '[attr]evil filter=x\\n* evil\\n' > .gitattributes", clean),
  planted('a filter that cleans, by core.attributesFile', "echo '* filter=x' > .git/own", (plot) => [
    ...clean(plot),
    ['core.attributesFile', `${plot.clone}/.git/own`],
  ]),
  planted(
    'a filter that cleans, by the attributes of the agent’s HOME',
    "mkdir -p ~/.config/git; echo '* filter=x' > ~/.config/git/attributes",
    clean,
  ),
  planted('a filter under the name of one that people have', "echo '* filter=lfs' > .gitattributes", (plot) => [
    ['filter.lfs.clean', plot.canary()],
    ['filter.lfs.required', 'true'],
  ]),
  planted('a filter that is a process', "echo '* filter=x' > .gitattributes", (plot) => [
    ['filter.x.process', plot.canary('false')],
  ]),
  planted(
    'a filter that smudges what others pushed',
    "echo '*.txt filter=x' > .git/info/attributes",
    (plot) => [['filter.x.smudge', plot.canary()]],
    behind,
  ),
  planted(
    'a driver that merges what others pushed',
    "echo '* merge=x' > .git/info/attributes",
    (plot) => [['merge.x.driver', plot.canary('true')]],
    behind,
  ),
  planted('a filter that waits for the next pod’s boot', "echo '* filter=x' > .git/info/attributes", clean, (plot) =>
    plot.nextPod(),
  ),
  planted(
    'a filter that waits for the push in the middle of a turn',
    "echo '* filter=x' > .git/info/attributes; git commit -qm work --allow-empty",
    clean,
    (plot) => plot.safetyPush(),
  ),
]

export const attributes: Suite = suite('2 attributes and drivers', openClones, attacks)
