import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type Attack, type Suite } from '../attack.ts'
import { openViews, secret, type Views } from '../stages/views.ts'

const told = ({ said }: Views): boolean => said.includes(secret)
const settingsOf = ({ folders }: Views): string => join(folders.home, '.claude', 'settings.json')

/** A link that a command planted, and a file tool of the CLI that is led along it. */
function led(
  name: string,
  plant: (views: Views) => string,
  tool: (views: Views) => string,
  succeeded: Attack<Views>['succeeded'] = told,
): Attack<Views> {
  return {
    name,
    walls: ['nosymfollow'],
    plant: (views) => views.run(plant(views)),
    provoke: (views) => views.view(tool(views)),
    succeeded,
  }
}

/** What the CLI obeys, written by a command or by a file tool that a test leads. */
function obeyed(
  name: string,
  script: (views: Views) => string,
  file: (views: Views) => string,
  inside: 'run' | 'view',
): Attack<Views> {
  const word = ({ mark }: Views): string => `forged-${mark}`
  return {
    name,
    walls: ['read-only'],
    plant: (views) => views[inside](`word=${word(views)}; ${script(views)}`),
    succeeded: (views) => existsSync(file(views)) && readFileSync(file(views), 'utf8').includes(word(views)),
  }
}

/** A path in the CLI's own folder that leads to what is no transcript: the wrapper is asked for what is there. */
function transcribed(name: string, target: (views: Views) => string, path = 'link'): Attack<Views> {
  const folder = ({ folders, mark }: Views): string => `${folders.home}/.claude/projects/${mark}`
  return {
    name: `a transcript that is ${name}`,
    walls: ['own-transcript'],
    plant: (views) => views.view(`mkdir -p ${folder(views)}; ln -s ${target(views)} ${folder(views)}/link`),
    provoke: (views) => views.transcript(`${folder(views)}/${path}`),
    succeeded: told,
  }
}

const attacks: readonly Attack<Views>[] = [
  led(
    'a link in a clone to what the CLI obeys',
    (views) => `ln -s ${settingsOf(views)} ${views.mark}`,
    ({ mark }) => `cat lib/${mark}`,
  ),
  led(
    'a link in a clone to a folder of the CLI',
    ({ folders, mark }) => `ln -s ${folders.home}/.claude ${mark}`,
    ({ mark }) => `cat lib/${mark}/settings.json`,
  ),
  led(
    'a chain of links',
    (views) => `ln -s ${settingsOf(views)} ${views.mark}-1; ln -s ${views.mark}-1 ${views.mark}`,
    ({ mark }) => `cat lib/${mark}`,
  ),
  led(
    'a link that climbs',
    ({ mark }) => `ln -s ../../home/.claude/settings.json ${mark}`,
    ({ mark }) => `cat lib/${mark}`,
  ),
  led(
    'a link in /tmp',
    ({ folders, mark }) => `ln -s ${folders.home} /tmp/${mark}`,
    ({ mark }) => `cat /tmp/${mark}/.claude/settings.json`,
  ),
  led(
    'a link to the environment of the CLI',
    ({ sibling, mark }) => `ln -s /proc/${sibling} ${mark}; ln -s /proc/self/environ ${mark}-self`,
    ({ mark }) => `cat lib/${mark}-self | tr '\\0' '\\n'`,
    ({ said }) => said.includes('a-canary-of-the-cli'),
  ),
  led(
    'a folder swapped for a link between look and use',
    ({ folders, mark }) =>
      `mkdir ${mark}; echo harmless > ${mark}/settings.json; (i=0; while [ $i -lt 2000 ]; do i=$((i+1)); mv -T ${mark} ${mark}-aside 2>/dev/null; ln -sfn ${folders.home}/.claude ${mark}; sleep 0.001; rm -f ${mark}; mv -T ${mark}-aside ${mark} 2>/dev/null; done >/dev/null 2>&1 &)`,
    ({ mark }) => `i=0; while [ $i -lt 400 ]; do i=$((i+1)); cat lib/${mark}/settings.json 2>/dev/null; done`,
  ),
  led(
    'a link through which a file tool writes',
    (views) => `ln -s ${views.folders.home}/.claude.${views.mark} ${views.mark}`,
    ({ mark }) => `echo forged > lib/${mark}`,
    ({ folders, mark }) => existsSync(`${folders.home}/.claude.${mark}`),
  ),
  led(
    'a link through which a file tool makes a file at the root',
    ({ mark, folders }) => `ln -s ${folders.home}/.claude ${mark}`,
    ({ mark }) => `echo forged > lib/${mark}/${mark}`,
    ({ folders, mark }) => existsSync(`${folders.home}/.claude/${mark}`),
  ),
  obeyed(
    'a command writes at the root of the workspace',
    () => `echo $word >> ../CLAUDE.md`,
    ({ folders }) => `${folders.workspace}/CLAUDE.md`,
    'run',
  ),
  obeyed(
    'a command makes an .mcp.json',
    () => `echo $word > ../.mcp.json`,
    ({ folders }) => `${folders.workspace}/.mcp.json`,
    'run',
  ),
  obeyed(
    'a file tool writes settings',
    ({ folders }) => `echo $word > ${folders.home}/.claude/settings.local.json`,
    ({ folders }) => `${folders.home}/.claude/settings.local.json`,
    'view',
  ),
  obeyed(
    'a file tool writes a skill',
    ({ folders }) => `echo $word > ${folders.home}/.claude/skills/SKILL.md`,
    ({ folders }) => `${folders.home}/.claude/skills/SKILL.md`,
    'view',
  ),
  obeyed(
    'a file tool writes at the root of the workspace',
    () => `echo $word > CLAUDE.local.md`,
    ({ folders }) => `${folders.workspace}/CLAUDE.local.md`,
    'view',
  ),
  transcribed('a link to the wrapper’s state', ({ folders }) => `${folders.state}/turns.jsonl`),
  transcribed('a link to the environment beside the wrapper', ({ neighbour }) => `/proc/${neighbour}/environ`),
  transcribed('below a link to the wrapper’s state', ({ folders }) => folders.state, 'link/turns.jsonl'),
  {
    name: 'a name that a command gives to the file of the CLI’s last folder',
    walls: ['namespaces'],
    plant: async (views) => {
      const snapshots = `${views.folders.home}/.claude/shell-snapshots`
      await views.view(`mkdir -p ${snapshots} ${views.folders.home}/.tmp; : > ${snapshots}/snapshot-bash-1.sh`)
      const folder = `${views.folders.home}/.tmp/claude-${views.mark}-cwd`
      const attack = `mkdir -p ${views.folders.home}/.tmp; ln -sf ${views.folders.home}/.claude/settings.json ${folder}`
      await views.shell(
        '-c',
        `source ${snapshots}/snapshot-bash-1.sh 2>/dev/null || true && eval '${attack}' < /dev/null && pwd -P >| ${folder}`,
      )
    },
    succeeded: (views) => !readFileSync(settingsOf(views), 'utf8').includes(secret),
  },
]

export const links: Suite = suite('6 symbolic links and file tools', openViews, attacks)
