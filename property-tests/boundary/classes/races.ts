import { runGit } from '../../../wrapper/testing/pod.ts'
import { suite, type Attack, type Suite, type Wall } from '../attack.ts'
import { branch, openClones, type Plot } from '../stages/clones.ts'
import { configText } from './git-text.ts'
import { holds } from './structure.ts'

interface Race {
  readonly name: string
  readonly prepare?: (plot: Plot) => Promise<unknown>
  /** Done again and again, beside the platform's work; `back` undoes it in between. */
  readonly swap: (plot: Plot) => string
  readonly back: (plot: Plot) => string
  readonly walls: readonly [Wall, ...Wall[]]
  readonly succeeded: Attack<Plot>['succeeded']
}

/** Ends by itself, should nobody end it. */
const seconds = 60
const rounds = 4
/** On a busy machine the platform's work takes longer than a short swap lasts, so the swaps last differently long. */
const dwells = '0.03 0.1 0.03 0.4'
const controlTries = 5

/** Of one repository, beside it: the swaps go on while the first file is there, and have ended when the second is not. */
const wanted = '../.race-$(basename $PWD)'
const swapping = '../.swapping-$(basename $PWD)'

function race({ name, prepare, swap, back, walls, succeeded }: Race): Attack<Plot> {
  return {
    name,
    walls,
    controlTries,
    plant: async (plot) => {
      await plot.run('git commit -q --allow-empty -m work; cp -r .git ../.kept-$(basename $PWD)')
      await prepare?.(plot)
    },
    provoke: async (plot) => {
      const isDue = `[ -e ${wanted} ] && [ $(date +%s) -lt $end ]`
      const swaps = `for dwell in ${dwells}; do ${isDue} || break; { ${swap(plot)}; sleep $dwell; ${back(plot)}; sleep 0.01; } ; done`
      const loop = `end=$(( $(date +%s) + ${seconds} )); while ${isDue}; do ${swaps}; done; rm -f ${swapping}`
      await plot.run(`: > ${wanted}; : > ${swapping}; (${loop}) > /dev/null 2>&1 &`)
      for (let round = 0; round < rounds; round++) {
        await plot.safetyPush()
        await plot.turnEnd()
      }
      await plot.run(
        `rm -f ${wanted}; i=0; while [ -e ${swapping} ] && [ $i -lt 200 ]; do i=$((i+1)); sleep 0.05; done`,
      )
    },
    succeeded,
  }
}

const tip = `.git/refs/heads/${branch}`
const secretCrosses = (plot: Plot): boolean => holds(plot, plot.secret.sha)
const ran = (plot: Plot): boolean => plot.ranOutside()
const configured = (plot: Plot, text: string): Promise<unknown> => plot.write('.git/more', text)
const filter = (plot: Plot): string => configText([['filter.x.clean', plot.canary()]])
const work = 'echo y >> README.md'

const attacks: readonly Attack<Plot>[] = [
  race({
    name: 'a .git swapped for a link',
    swap: ({ secret }) => `mv .git .git-own; ln -s ${secret.dir} .git`,
    back: () => 'rm .git; mv .git-own .git',
    walls: ['namespaces'],
    succeeded: secretCrosses,
  }),
  race({
    name: 'a .git swapped for a file',
    swap: ({ secret }) => `mv .git .git-own; echo 'gitdir: ${secret.dir}' > .git`,
    back: () => 'rm .git; mv .git-own .git',
    walls: ['namespaces'],
    succeeded: secretCrosses,
  }),
  race({
    name: 'objects swapped for a link',
    swap: ({ secret }) =>
      `cp ${tip} .git/kept-tip; mv .git/objects .git/own; ln -s ${secret.dir}/objects .git/objects; echo ${secret.sha} > ${tip}`,
    back: () => `rm .git/objects; mv .git/own .git/objects; cp .git/kept-tip ${tip}`,
    walls: ['namespaces'],
    succeeded: secretCrosses,
  }),
  race({
    name: 'a work branch that moves under alternates',
    swap: ({ secret }) =>
      `cp ${tip} .git/kept-tip; echo ${secret.dir}/objects > .git/objects/info/alternates; echo ${secret.sha} > ${tip}`,
    back: () => `cp .git/kept-tip ${tip}`,
    walls: ['namespaces'],
    succeeded: secretCrosses,
  }),
  race({
    name: 'a configuration that comes and goes',
    prepare: (plot) => configured(plot, filter(plot)),
    swap: () =>
      `echo '* filter=x' > .git/info/attributes; cp .git/config .git/own; cat .git/more >> .git/config; ${work}`,
    back: () => 'mv .git/own .git/config',
    walls: ['git-outside'],
    succeeded: ran,
  }),
  race({
    name: 'attributes that come and go',
    prepare: async (plot) => (await configured(plot, filter(plot)), plot.run('cat .git/more >> .git/config')),
    swap: () => `echo '* filter=x' > .gitattributes; ${work}`,
    back: () => 'rm -f .gitattributes',
    walls: ['git-outside'],
    succeeded: ran,
  }),
  race({
    name: 'a hook that comes and goes',
    prepare: (plot) => plot.write('.git/hook', `#!/bin/sh\n${plot.canary('exit 0')}\n`),
    swap: () => `cp .git/hook .git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction; ${work}`,
    back: () => 'rm -f .git/hooks/reference-transaction',
    walls: ['git-outside'],
    succeeded: ran,
  }),
  race({
    name: 'a monitor that comes and goes',
    prepare: (plot) => configured(plot, configText([['core.fsmonitor', `${plot.canary('echo /')} #`]])),
    swap: () => `cp .git/config .git/own; cat .git/more >> .git/config; ${work}`,
    back: () => 'mv .git/own .git/config',
    walls: ['git-outside'],
    succeeded: ran,
  }),
  race({
    name: 'other refs that come and go',
    swap: () => 'git update-ref refs/heads/platform/other HEAD',
    back: () => 'git update-ref -d refs/heads/platform/other; git commit -q --allow-empty -m more',
    walls: ['refspec'],
    succeeded: ({ bareDir }) => runGit(bareDir, 'for-each-ref').includes('platform/other'),
  }),
  {
    name: 'another commit than the one that was taken, by the word of the agent’s side',
    walls: ['bare-tips'],
    plant: async (plot) => {
      await plot.run('git commit -q --allow-empty -m work')
      plot.says(runGit(plot.forge, 'rev-parse', 'main'))
    },
    provoke: async (plot) => {
      await plot.safetyPush()
      await plot.turnEnd()
    },
    succeeded: (plot) =>
      runGit(plot.forge, 'for-each-ref', `refs/heads/${branch}`).startsWith(runGit(plot.forge, 'rev-parse', 'main')),
  },
]

export const races: Suite = suite('9 time of check and use', openClones, attacks)
